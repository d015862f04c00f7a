# sed: commands, addresses, substitutions and messages, one command after the other.
mk() {
seq 10 > n10; printf 'apple pie\nbanana split\ncherry tart\n\napple sauce\n' > fruit
printf '[main]\nhost=localhost\nport=80\n[db]\nhost=db1\nport=5432\n' > ini
printf 'a/b/c\nfoo.bar\nTab\there\nback\\slash\n' > odd
printf 'no newline' > nonl; printf 'héllo\nÀÉ\n' > utf; printf 'a\r\nb\r\n' > crlf; cp n10 c1; cp fruit c2; mkdir d
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
sed -n '2,4p' n10
sed -n '$p' n10
sed -n '2~3p' n10
sed -n '0~4p' n10
sed -n '3,+2p' n10
sed -n '3,~4p' n10
sed -n '/5/,/7/p' n10
sed -n '/5/,2p' n10
sed '0,/apple/s//X/' fruit
sed '1,/apple/s//X/' fruit
sed '/^$/d;s/apple/APPLE/g' fruit
sed 's/a/A/2' fruit
sed 's/a/A/2g' fruit
sed -E 's/(\w+) (\w+)/\2 \1/' fruit
sed 's/\(.*\) \(.*\)/\u\1-\U\2\E!/' fruit
sed -E 's/\b(.)/\u\1/g' fruit
sed 's/.*/\L&/;s/^./\U&/' utf
sed 's/e/&&/gp' -n fruit
sed -n 's/apple/X/w out' fruit; cat out
sed 's|/|-|g' odd
sed 's/\t/TAB/' odd
sed 's/\./\n/' odd
sed 's,\\,/,' odd
sed -n l odd
sed -n 'l 10' odd
sed = n10 | head -4
sed '2i\inserted' n10 | head -3
sed '2a after' n10 | head -4
sed '2,4c\block' n10 | head -3
sed '$a\  lead' n10 | tail -2
x
sed -e '/db/,/^\[/{s/host=.*/host=new/}' ini
sed '/\[db\]/,$ s/port=.*/port=1/' ini
sed 'N;s/\n/,/' n10
sed '$!N;s/\n/,/;P;D' n10
sed ':a;N;$!ba;s/\n/ /g' n10
sed -n '1!G;h;$p' n10
sed 'G' fruit | head -4
sed -n 'H;${x;s/\n/,/g;p}' n10
sed 'y/abc/xyz/' fruit
sed 'y/abc/xy/' fruit
sed '3q' n10
sed '3q5' n10
sed -n '3{p;Q7}' n10
sed '5,$d' n10
sed '$d' n10
sed '2!d' n10
sed -i 's/1/X/' c1; cat c1
sed -i.bak '1d' c1; ls; head -2 c1 c1.bak
sed -i'.o' -e 's/a/b/' -e '2d' c2; cat c2
sed -i 's/x/y/' nosuch
sed -i 's/x/y/' d
sed -s -n '$p' n10 fruit
sed -n '$=' n10 fruit
sed -z 's/\n/,/g' n10
sed -u 2q n10
sed -f nosuch n10
printf 's/1/one/\n# c\n2d\n' > sc; sed -f sc n10 | head -3
sed 's/a/b' fruit
sed 's/a/b/x' fruit
sed 'k' fruit
sed '/abc' fruit
sed 's/\(/x/' fruit
sed -E 's/(/x/' fruit
sed 's/a\)/x/' fruit
sed 's/x/\1/' fruit
sed 'b foo' fruit
sed ':' fruit
sed '{p' fruit
sed 'p}' fruit
sed '3,1p' -n n10
sed '2,3!s/^/#/' n10 | head -4
sed -n '/apple/I,+1p' fruit
sed 's/APPLE/x/I' fruit
sed 's/^/> /;s/$/ </' nonl
sed 'a x' nonl
sed p nonl
sed '1r fruit' nonl
sed '/apple/r ini' fruit | head -3
sed 'R n10' fruit
sed '2w /dev/stdout' n10 | head -4
sed -n '/pie/e echo hi' fruit
sed 's/\r$//' crlf | od -c | head
sed 's/[[:upper:]]/x/g;s/[^[:alnum:]]/_/g' fruit
sed 's/[0-9]\+/<&>/' n10 | tail -1
sed 's/[0-9]\{2\}/two/' n10 | tail -1
sed -E 's/[0-9]{2,}|3/N/' n10 | tail -1
sed -r 's/(a|b)+/X/g' fruit
sed 's/a*/x/g' fruit
sed 's/b*/x/2' fruit
sed -E 's/(^|[^a-z])a/\1A/g' fruit
sed '/a/!{/^$/!d}' fruit
sed '1~2d' n10
sed -n '/apple/{=;p}' fruit
sed 's/\x41/x/;s/\o101/y/' utf
sed 's/é/E/' utf
sed -n '/^.\{5\}$/p' utf
sed '1!G;h;$!d' n10 | head -3
sed 'n;d' n10
sed '$!d' n10
sed '/^\s*$/d' fruit
sed -e :a -e 's/^\(-\?[0-9]*[0-9]\)\([0-9]\{3\}\)/\1,\2/;ta' <<< 1234567
sed 's/a/b/;T;s/b/c/' fruit
sed 's/a/b/;t end;s/^/no /;:end' fruit
sed 'D' n10 | head
sed '2,4{/3/d}' n10 | head -4
sed '2{s/2/two/;n;s/3/three/}' n10 | head -4
sed 's/[]]/x/;s/[^]]/y/' ini
sed -n '\,a/b,p' odd
sed -n '\xfooxp' odd
sed 's/foo\|a/Z/' odd
sed 's/\(a\)\|b/[\1]/' odd
sed 's/a\?p\+/Q/' fruit
sed -E 's/a{,2}/Q/' fruit
sed -E 's/a{2/Q/' fruit
sed -E 's/*a/Q/' fruit
sed 's/*a/Q/' fruit
sed '1s/^/\xEF\xBB\xBF/' n10 | head -1 | od -c
sed 0p n10
sed 's/a/b/gg' fruit
sed 's/a/b/pp' fruit
sed 's/a/b/0' fruit
sed 'dp' fruit
sed 'r' fruit
sed 'w' fruit
sed 'y/a/' fruit
sed '=p' fruit
sed 'q5 x' fruit
sed '1,2q' fruit
sed '1,2=' fruit | head -3
sed 'a' fruit
sed '2i\  foo\nbar' n10 | head -3
sed '2i\' -e 'multi\' -e 'line' n10 | head -4
sed -i -n p n10 ; wc -l n10
sed --sandbox 'w x' n10
sed --follow-symlinks -i 's/1/9/' n10; head -1 n10
COMMANDS

# wc, head, tail, cat, split, column, od, xxd, seq, numfmt and others, one command after the other.
mk() {
seq 20 > n; printf 'a b c\n1 22 333\nlonger x y\n' > c; printf 'one,two,three\n1,,3\n' > csv; printf 'no nl' > nonl; printf '\001\002hello\377w\303\266\n\tx\177\n' > bin; : > empty; printf 'é日本\n' > utf; printf 'l1\r\nl2\n' > cr; printf '1000\n1500000\n2K\n3.5M\nabc\n' > num; mkdir d
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
wc n
wc -l n c
wc -w c
wc -c n
wc -m utf
wc -L c utf
wc -lw n
wc < n
wc -l < n
cat n | wc
wc nosuch n
wc d
wc empty nonl
wc --total=only n c
wc -x
wc -l -c n c csv
head n
head -3 n
head -n 3 n
head -n -17 n
head -c 5 n
head -c -45 n
head -c 1K n | wc -c
head -q -n1 n c
head -v -n1 n
head -n1 n c
head -n x n
head nosuch n
head -n 0 n
head -1 -q n c
head -z -n1 n | wc -l
head --lines=2 n
head -2c n
head -n +2 n
head d
tail n
tail -3 n
tail -n 3 n
tail -n +18 n
tail -c 5 n
tail -c +48 n
tail -q -n1 n c
tail -v -n1 n
tail -n1 n c nosuch
tail -r n
tail -n x n
tail +19 n
tail -n 0 n
tail -1 nonl
tail -2 - < n
cat n | tail -n 2
cat n | tail -n +19
tail --lines=1 n
tail -c 3 nonl
tail -z -n1 n | wc -l
cat -n c
cat -b cr
cat -A bin
cat -E cr
cat -T bin
cat -v bin
cat -s c empty
cat -e cr
cat nosuch c
cat d
cat - < c
cat c - csv < nonl
cat -x
cat -nE nonl c
tac c
tac nonl c
tac -s, csv
rev c
rev utf
nl c
nl -ba c
nl -w2 -s: c
nl -nrz -w3 c
nl -v5 -i2 c
nl -bpx c
tee o < c; cat o
tee nosuch/x < nonl
tee o1 o2 < nonl; cat o1 o2
tee -p < nonl
tee -x
split -l 5 n; ls x*; cat xad
split -l 8 n p_; ls p_*
split -b 10 n b_; ls b_*; cat b_aa
split -d -l 10 n n_; ls n_*
split --numeric-suffixes=5 -l 10 n k_; ls k_*
split -x -l 10 n h_; ls h_*
split --additional-suffix=.txt -l 10 n a_; ls a_*
split -C 10 n e_; ls e_*
split --filter='cat > $FILE.f' -l 10 n f_; ls f_*
split --verbose -l 10 n v_
split -l 0 n
split -l x n
split -b 1K n s_; ls s_*
split nosuch
split -a 1 -l 1 n t_
split -t, -l1 csv u_; ls u_*
split -e -n 30 n w_; ls w_* | wc -l
column -t c
column -t -s, csv
column -s, -t -o '|' csv
column n
column -c 40 n
column -x -c 40 n
column -t -R 1 c
column -t -N A,B,C c
column -t -N A,B,C -H B c
column -t -n tab c
column nosuch
column -t -l 2 c
column -t utf c
column -t -O 3,1 -N a,b,c c
paste n c | head -3
paste -s n
paste -sd, n
paste -d: c csv
paste -d '\n' c csv
paste -d '' c csv
paste nosuch c
paste -d ',;' c csv c
fold -w 5 c
fold -s -w 5 c
fold -w x c
fmt -w 10 c
unexpand -a c
od bin
od -c bin
od -An -tx1 bin
od -A d -t x1 bin
od -t d1 bin
od -t u2 bin
od -x bin
od -b bin
od -j 2 -N 4 -c bin
od -w4 -t x1 bin
od -v -t x1z bin
od -t f4 -N 8 n
od -t a bin
od -s 3 bin
od -S 3 bin
od -t z bin
od -tx1 -tc bin
xxd bin
xxd -p bin
xxd -r -p <<< 68656c6c6f
xxd bin | xxd -r | cmp - bin
xxd -l 4 bin
xxd -s 3 bin
xxd -c 4 bin
xxd -g 1 bin
xxd -u bin
xxd -b nonl
xxd -i nonl
xxd -e bin
xxd -ps -c 4 bin
xxd nosuch
xxd -r <<< '0000000: 6869'
hexdump -C bin
hexdump bin
hexdump -c bin
hexdump -n 4 -s 2 -C bin
hexdump -e '1/1 "%02x "' nonl
seq 3
seq 2 5
seq 1 2 6
seq 5 -2 1
seq -w 8 11
seq -s, 5
seq -f '%03g' 3
seq -f '%.2f' 1 .5 2
seq 0.1 0.1 0.5
seq 1 0
seq x
seq
seq 1 2 3 4
seq -5 -3
seq -w -5 5 | head -3
seq 1e3 1e3
seq 1 .25 2
seq -f '%d' 3
seq -f '%s' 3
seq -f 'a%gb%%' 2
seq -f 'none' 2
seq -s '\n' 3
seq 10000000 10000001
seq 99999999999999999999 100000000000000000001
seq -w 1 .5 3
numfmt --to=iec 1024 1500 1048576
numfmt --to=si 1000 1500000
numfmt --from=iec 1K 2M
numfmt --from=auto 1K 1Ki
numfmt --from-unit=1024 --to=iec 5
numfmt --to=iec-i 2048
numfmt --grouping 1234567
numfmt --padding=10 5
numfmt --format='%.2f' 3.14159
numfmt --format='%10.1f' --to=iec 123456
numfmt --field=2 --to=si <<< 'a 1000 b'
numfmt -d, --field=2 --to=si <<< 'a,1000,b'
numfmt --header --to=si <<< $'h\n1000'
numfmt --to=si < num
numfmt --invalid=ignore --to=si < num
numfmt --suffix=B --to=si 1000
numfmt --round=up --to=si 1001
numfmt x
numfmt --to=foo 1
numfmt --from=si 1Q
numfmt --to=si 999999 9999 1e3
printf '%s\n' a b c
printf '%d %d\n' 1 2 3
printf '%5.2f|%-5s|%05d|%x|%X|%o|%e|%g|%c\n' 3.14159 ab 42 255 255 8 1234.5 0.0001 xyz
printf '%b' 'a\tb\n'
printf '%q\n' "it's a" 'x' ''
printf '%d\n' abc
printf '%d\n' 0x1f 010 "'a"
printf '%s %s\n'
printf '\x41\101\u00e9\n'
printf '%%\n'
printf '%z\n'
printf
printf '%(%F)T\n' 0
printf '%*d|%-*d|\n' 5 42 5 42
printf '%.3s|\n' abcdef
printf -v x '%s' hi; echo $x
printf '%i %u\n' -1 -1
printf '%f\n' 1e400 nan inf
printf '%d\n' 99999999999999999999
printf '%+d % d %#x %#o\n' 5 5 255 8
printf '%a\n' 1
printf 'a\cb'
env printf '%s\n' 'x' y
env printf '%d\n' 12x
env printf '%q\n' 'a b'
tsort <<< 'a b b c'
join <(printf 'a 1\nb 2\n') <(printf 'a x\nc y\n')
join -a1 -e- -o 0,1.2,2.2 <(printf 'a 1\nb 2\n') <(printf 'a x\nc y\n')
md5sum n
sha256sum n c
sha1sum n | sha1sum -c
cksum n
sum n
base64 bin
base64 -d <<< aGk=
base64 -w 10 n
base32 nonl
factor 12 97 100
expr 3 + 4 \* 2
expr abc : 'a\(.*\)'
expr length abc
expr 1 / 0
expr a + 1
sleep 0
sleep x
env -i A=1 env
env A=1 sh -c 'echo $A'
env -u HOME sh -c 'echo ${HOME-unset}'
env nosuchcmd
COMMANDS

# sort, uniq, cut, tr: options and messages, one command after the other.
mk() {
printf '10\n9\n-5\n1e3\n0.5\n-0.25\n\nabc\n010\n2K\n1M\n3G\n' > nums; printf 'b 2 x\na 10 y\nc 3 z\na 1 w\nB 5 v\n' > kv; printf 'x:1:foo\ny:2:bar\nnodelim\n:3:baz\nz::\n' > colon
printf 'Jan 5\nmar 3\nFEB 1\nfoo\nDec 9\n' > mon; printf '1.2.10\n1.2.9\n1.10\nf10.txt\nf9.txt\n' > ver; printf 'é\ne\nz\nE\na\nA\nÉ\n_x\nx-y\nxy\n' > utf; printf 'b\na' > nonl; printf 'a,3\nb,1\na,1\n' > csv; printf 'a\na\nb\n' > dup; printf 'z\0a\0' > nul; printf 'id\t5\nid\t10\n' > tab; printf '5K\n1.5M\n100\n2G\n' > hum
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
sort nums
sort -n nums
sort -g nums
sort -h hum
sort -rn nums
sort -u dup
sort -k2 kv
sort -k2n kv
sort -k2,2n kv
sort -k2,2nr -k1,1 kv
sort -k1,1 -k2,2n kv
sort -s -k1,1 kv
sort -f kv
sort -fu kv
sort -t: -k2 colon
sort -t: -k2,2n colon
sort -t: -k3,3r colon
sort -t, -k1,1 -k2n csv
sort -t $'\t' -k2n tab
sort -M mon
sort -V ver
sort -b -k2 kv
sort -k2.1,2.2 kv
sort -k 1.2b kv
sort utf
sort -f utf
sort -d utf
sort -i utf
sort -R dup | wc -l
sort -c nums
sort -C nums
sort -c dup
sort -cu dup
sort -m dup nonl
sort nonl
sort -z nul | od -c
sort -o out nums; cat out
sort -o nonl nonl; cat nonl
sort nosuch
sort -k0 kv
sort -kx kv
sort -k1,x kv
sort -k 1.0 kv
sort -t ab kv
sort -t '' kv
sort -t '\0' kv
sort --nosuch kv
sort -nM kv
sort -ng kv
sort --parallel=2 dup
sort -S 10M dup
sort -S x dup
sort -T /tmp dup
sort --key=2n --reverse kv
sort --field-separator=: --key=2 colon
sort --sort=numeric kv
sort --sort=foo kv
sort --check=quiet nums
sort --files0-from=nul
sort -n -k2 -u kv
sort -u -k1,1 kv
sort -r -k1,1 -s kv
sort -k2,1 kv
sort -k 3,3 -k 1,1r kv
sort -nr -k2 kv
sort -k2nr -k1 kv
sort + kv
sort dup nonl
sort - < dup
sort -- dup
sort -n -- dup
cat dup | sort -u -
uniq -c dup
uniq -d dup
uniq -u dup
uniq -D dup
uniq -i kv
uniq -f1 kv
uniq -s1 -w1 kv
uniq --group dup
uniq --group=both dup
uniq --all-repeated=separate dup
uniq nosuch
uniq -x dup
uniq -cd dup
uniq -cD dup
uniq dup out; cat out
uniq a b c
cut -d, -f1 csv
cut -d, -f2- csv
cut -c2 utf
cut -d' ' -f2,3 kv
cut -d' ' -f3,1 kv
cut -d: -f2 -s colon
cut -d: -f1 --complement colon
cut -f2 tab
cut -c 1,3- ver
cut -c
cut x
cut -f1 -d
cut -d: -f-
cut -z -f1 nul | od -c
tr a-z A-Z < kv
tr -d '0-9' < nums
tr -s ' ' < kv
tr -s '\n' < nums
tr -cd 'a-z\n' < kv
tr -c 'a-z\n' '_' < kv
tr '[:upper:]' '[:lower:]' < kv
tr '[:lower:]' '[:upper:]' < utf
tr -d '\n' < dup
tr ' ' '\n' < kv | head -3
tr 'a-c' 'x' < kv
tr 'abc' 'xy' < kv
tr -t 'abc' 'xy' < kv
tr 'a\nb' '12' < dup
tr '\000-\037' ' ' < tab
tr -ds 'a' 'b' < kv
tr 'x[y*3]' 'a' < kv
tr 'abc' '[x*]' < kv
tr 'abc' '[x*2]y' < kv
tr '[=a=]' z < kv
tr '\\' / <<< 'a\b'
tr 'é' e < utf
tr z-a b < kv
tr a < kv
tr
tr -d a b < kv
tr -s a b c < kv
tr '[:foo:]' a < kv
tr '[:alpha:]' '[:digit:]' < kv
tr a '' < kv
tr -x a b
tr '\101' b <<< A
tr '[a-c]' '[x-z]' <<< '[abc]'
tr a-zA-Z n-za-mN-ZA-M <<< Hello
tr -dc '[:print:]\n' < utf
tr -cs 'A-Za-z' '\n' < kv
tr 'a-' 'x_' <<< a-b
tr -- -a xy <<< -a
tr '\x' y <<< 'x\'
tr '[:digit:]' '#' < nums
tr -d '[:space:]' < kv
tr -d '[:punct:]' < colon
tr -s '[:alnum:]' < nums
COMMANDS

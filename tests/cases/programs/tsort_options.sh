# Options and messages of tsort, one command after the other.
mk() {
printf 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve' > nonl; seq 20 > n20
printf 'b 2\na 1\nc 3\na 10\nB 5\n' > kv; printf 'x:1:foo\ny:2:bar\nnodelim\n:3:baz\nz::\n' > colon
printf 'a\tb\tc\n1\t2\t3\n\n\n\nend\r\n' > tabs; printf '\001\002hello\377w\303\266rld\n\tx\177y\n' > bin
printf '10\n9\n-5\n1e3\n0.5\n-0.25\n\nabc\n010\n2K\n1M\n3G\n' > nums
printf 'apple\napple\nBanana\nbanana\ncherry\n\n\ndate\n' > fruits; printf 'Jan 5\nmar 3\nFEB 1\nfoo\nDec 9\n' > months
printf '1.2.10\n1.2.9\n1.10\nfile10.txt\nfile9.txt\na-1.0~rc1\na-1.0\n' > vers
printf 'k1 a b\nk2 c d\nk3 e f\n' > j1; printf 'k1 x\nk3 y\nk4 z\n' > j2; : > empty; mkdir dir
md5sum n20 kv > ok.md5; sed 's/^0/1/;s/^a/b/' ok.md5 > bad.md5
(cat ok.md5; echo junk; echo "d41d8cd98f00b204e9800998ecf8427e  missing") > mixed.md5; md5sum --tag n20 > tag.md5
base64 bin > bin.b64; echo 'aGk!' > bad.b64
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    eval "$c" 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
tsort j2
tsort n20
tsort kv
tsort colon
COMMANDS

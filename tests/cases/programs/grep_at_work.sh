# grep: options, expressions and messages, one command after the other.
mk() {
mkdir -p src/sub src/.hid node_modules; printf 'import os\ndef foo():\n    return 1\n# TODO: fix\nFoo = foo()\n' > src/a.py
printf 'function foo() {\n  return 1; // todo\n}\n' > src/sub/b.js; printf 'hidden foo\n' > src/.hid/h.txt; printf 'foo in mod\n' > node_modules/m.js
printf 'bin\0foo\n' > src/bin.dat; printf 'foo bar\nbarfoo\nfoo\n\nFOO\nfoo.bar\nfooXbar\na foo b foo\n' > t; printf 'foo\nFOO\n' > pats; : > empty
printf 'café\nnaïve\nCAFÉ\n' > utf; ln -s src lnk; printf 'a\tb\r\nlast no nl' > crlf; seq 30 > n30; printf '#c\n*.js\n' > ign
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
grep foo t
grep -c foo t
grep -n foo t
grep -i foo t
grep -v foo t
grep -w foo t
grep -x foo t
grep -o foo t
grep -on 'fo*' t
grep -ob foo t
grep -l foo t utf src/a.py
grep -L foo t utf src/a.py
grep -h foo t pats
grep -H foo t
grep -q foo t
grep -q nosuch t
grep -s foo nosuch
grep foo nosuch
grep foo nosuch t
grep foo src
grep -R foo lnk | sort
grep -a foo src/bin.dat
grep foo src/bin.dat
grep -c foo src/bin.dat
grep -I foo src/bin.dat
grep --binary-files=text -o foo src/bin.dat
grep -e foo -e bar t
grep -f pats t
grep -f empty t
grep -vf empty t
grep -f nosuch t
grep -F foo.bar t
grep -E 'foo|bar$' t
grep -E '^(foo|bar)+$' t
grep -E 'o{2}' t
grep 'o\{2\}' t
grep 'foo\|FOO' t
grep -P 'foo(?=bar|\.)' t
grep -P '(?<=a )foo' t
grep -oP 'foo\K.*' t
grep -oE '[0-9]+' n30 | tail -1
grep -A1 '^5$' n30
grep -B1 '^5$' n30
grep -C1 -n '^5$' n30
grep -2 '^5$' n30
grep -A1 -n '5$' n30
grep -A1 --no-group-separator '5$' n30
grep -A1 --group-separator=XX '5$' n30
grep -m2 foo t
grep -m 0 foo t
grep -m2 -A1 foo t
grep -m1 -c foo t
grep -c . empty
grep '' empty
grep '' t | wc -l
grep '^$' t
grep -n '^$' t
grep -v '^$' t | wc -l
grep '[[:space:]]' t
grep '[[:upper:]]' t
grep 'a foo \(b\) \1' t
grep '\bfoo\b' t
grep '\<foo\>' t
grep '\wX\w' t
grep 'fo\+' t
grep -E 'fo+' t
grep 'fo+' t
grep 'é' utf
grep -i 'é' utf
grep -o . utf | sort | uniq -c
grep -o 'f.' utf
grep -P 'caf\x{e9}' utf
grep '[' t
grep -E '(' t
grep -E ')' t
grep '\(' t
grep -E 'a{1' t
grep -E 'a{2,1}' t
grep -E '*a' t
grep '[[:foo:]]' t
grep '[:space:]' t
grep 'a\' t
grep -P '(' t
grep -P '[' t
grep
grep -E
grep -A x foo t
grep -m x foo t
grep -n foo - < t
cat t | grep -H foo
grep -T -n foo t
grep -Z -l foo t | od -c
grep --color=always foo t
grep --color=always -n foo t src/a.py
grep --colour=auto foo t
grep -y foo t
grep -nr 'TODO\|todo' . | sort
grep -e '-x' t
grep -- '-x' t
grep -ho 'foo.' t pats
grep --only-matching --ignore-case foo t
grep --files-with-matches foo t src/a.py
grep --max-count=1 foo t
grep --count foo t pats
grep -ci foo t
grep -on o t | head -3
grep -vn foo t
grep -vc foo t
grep -lv foo t
grep -xF 'foo' t
grep -wF 'foo' t
grep -wo 'foo' t
grep -w '' t
grep -E -w 'fo|foo' t
egrep 'foo|bar' t
fgrep foo.bar t
grep -d skip foo src t
grep -D skip foo t
grep -b foo t
grep -u foo t
grep -U foo crlf
grep 'b.$' crlf | od -c
grep last crlf
grep $'foo\nFOO' t
grep -E '(foo).*\1' t
grep -E '^.{3}$' t
grep '^*' t
grep -o 'x*' t
grep -o '' t
grep -c '' t
grep -no 'foo$' t
grep -nA1 -B1 bar t
grep -E '\.(bar|baz)' t
grep -E 'foo\>' t
grep -e t
grep -L nosuch t; echo $?
grep -iw FOO t -c
grep -q foo nosuch t
grep -qs foo nosuch
grep -F -x -f pats t
grep -E "^[^:]+:[0-9]+" t
grep -P '^\s*$' t -c
grep -P '(?i)foo' t -c
grep -P '\p{Lu}' utf
grep -NR foo t
COMMANDS

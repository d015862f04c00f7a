# rg: options and messages, one command after the other.
mk() {
mkdir -p src/sub src/.hid; printf 'import os\ndef foo():\n    return 1\n# TODO: fix\nFoo = foo()\n' > src/a.py
printf 'function foo() {\n  return 1; // todo\n}\n' > src/sub/b.js; printf 'hidden foo\n' > src/.hid/h.txt
printf 'bin\0foo\n' > src/bin.dat; printf 'foo bar\nbarfoo\nfoo\n\nFOO\nfoo.bar\nfooXbar\na foo b foo\n' > t; seq 30 > n30; printf 'foo\n' > pats
printf '*.js\n' > .ignore; printf 'café\n' > utf; mkdir .git; printf 'n30\n' > .gitignore
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
rg foo t
rg --sort path foo
rg --sort path -n foo src
rg --sort path --no-heading foo
rg --sort path -l foo
rg --sort path -c foo
rg --sort path --count-matches foo
rg --sort path --files
rg --sort path --files -g '*.py'
rg --sort path --files -uu
rg --sort path --files --hidden
rg --sort path --files --no-ignore
rg --sort path -uuu foo
rg -i foo t
rg -S foo t
rg -S FOO t
rg -w foo t
rg -x foo t
rg -v foo t
rg -o foo t
rg -on foo t
rg -F foo.bar t
rg -C1 '^5$' n30
rg -A1 -B1 -n '5$' n30
rg -m2 foo t
rg -q foo t
rg -q zz t
rg zz t
rg foo nosuch
rg '(' t
rg -r 'X$0' foo t
rg -or '$1' 'f(o+)' t
rg --sort path -t py foo
rg --sort path -tjs foo
rg --sort path -Tpy foo
rg --sort path -g '!*.py' foo
rg -U 'foo\n\nFOO' t
rg --vimgrep foo t
rg --column foo t
rg -n --no-line-number foo t
rg -e foo -e FOO t
rg -f pats t
rg --pretty foo t
rg --color always foo t
rg -H foo t
rg -a foo src/bin.dat
rg foo src/bin.dat
rg --type-list | head -3
rg -P 'foo(?=bar)' t
rg '\d+' n30 | tail -1
rg '\bfoo\b' t
rg -c foo t
rg -c zz t
rg --passthru foo t
rg --trim return src/a.py
rg -M 5 foo t
rg -L foo t
rg --files-without-match foo t utf
rg --nosuch foo
rg -t nosuch foo
cat t | rg foo
cat t | rg -n foo -
rg -b foo t
rg --context-separator=XX -A0 -B0 -C1 5 n30
rg -N foo t
rg --heading foo t
rg --sort path --heading -n foo src t
rg '[[:upper:]]+' t
rg 'é' utf
rg --sort path --glob-case-insensitive -g '*.PY' foo
rg --sort path --iglob '*.PY' foo
rg --sort path TODO -A2
rg -d 1 foo t
rg --crlf foo t
rg -e
rg --sortr path -l foo
COMMANDS

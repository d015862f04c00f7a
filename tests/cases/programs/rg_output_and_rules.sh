# stderr
mkdir -p src .hid build .git; printf 'fn main() {\n    hello();\n}\n' > src/main.rs; printf 'Hello\nhello again hello\nnothing\nüber hello\n' > a.txt
echo hello > .hid/x; echo hello > build/out; printf 'build/\n*.tmp\n!keep.tmp\n' > .gitignore; echo hello > x.tmp; echo hello > keep.tmp
r() { rg --sort path "$@"; echo "rc=$?"; }
r hello; r -n hello src; r -c hello; r --count-matches hello; r -l hello; r --files; r -i HELLO a.txt; r -S Hello a.txt
r -o 'h\w+' a.txt; r -or '<$1>' 'h(e)llo' a.txt; r --column hello a.txt; r --vimgrep hello a.txt; r -nC1 nothing a.txt
r -trust hello; r -g '!*.txt' -l hello; r -u -l hello; r -uu -l hello -g '!.git'; r -U 'again hello\nnothing' a.txt; r 'a\nb' a.txt
r -v hello a.txt; r -w ell a.txt; r '(' a.txt; r hello nope; r -t foo x; r zzz; r -m1 hello a.txt; r --heading hello src; r -P '(?<=l)lo' a.txt

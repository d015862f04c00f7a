# echo, printf, test, true, false and yes as programs
t() { printf '$'; printf ' %q' "$@"; echo; "$@" 2>&1; echo "[$?]"; }
printf 'hello world\nabc\t\0\001\177\200\377\n' > t1
for i in 1 2 3 4 5; do printf '0123456789abcdef'; done > rep; printf x >> rep
for i in {0..255}; do printf "\\x$(printf %02x $i)"; done > bin
seq 1 25 > n25
t env echo -ne 'a\tb\c' c
t env echo -x -n a
t env echo -e '\0101\x41\e[0m'
t env printf '%s-%03d\n' a 1 b 22
t env printf '%q\n' 'a b' "it's" ''
t env printf '%d\n' 12x abc "'A"
t env printf 'a' b
t env printf
t env printf '%5%'
t env printf '%b' 'a\cb'
t env test 1 -eq 1
t env test a b
t env test a b c
t env test a b c d
t env test 1 -eq x
t env test -f n25 -a -s n25
t env [ -d . ]
t env [ -n x
t env true x
t env false
t env yes --foo

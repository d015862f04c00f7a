# stderr
seq 30 > n; mkdir -p d/s; echo foo > d/f; echo foo > d/s/g; printf 'abc\0def\nabc\n' > bin; printf 'x\nabc\xff\nabc\n' > enc
g() { grep "$@"; echo "rc=$?"; }
g -m2 -B1 1 n; g -nA1 5 n; g -C1 -e 5 -e 7 n; g --group-separator=XX -A1 1$ n; g -A12 -m1 1 n
g -c 1 n d/f; g -l 1 n d/f; g -L 1 n d/f; g -o 1. n; g -bo 12 n; g -vc 1 n; g -x 1 n; g -w 1 n
g abc bin; g -c abc bin; g -a abc bin; g abc enc; g -rh foo d | sort; g -r --include=g foo d; g -r --exclude-dir=s foo d
g foo d; g foo nope; g 'a\(' n; g -E 'a{2,1}' n; g '[' n; g -E -F x n; g -E '(.)\1' n; g -P '\d+(?=0)' -o n
g --color=always -nH 12 n; g --color=always -A1 -n 12 n; g -A x 1 n; g; g -f /dev/null n

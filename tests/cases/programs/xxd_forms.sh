# xxd: dumps, and back
t() { printf '$'; printf ' %q' "$@"; echo; "$@" 2>&1; echo "[$?]"; }
printf 'hello world\nabc\t\0\001\177\200\377\n' > t1
for i in 1 2 3 4 5; do printf '0123456789abcdef'; done > rep; printf x >> rep
for i in {0..255}; do printf "\\x$(printf %02x $i)"; done > bin
seq 1 25 > n25
(cat t1; head -c 100 /dev/zero; echo end) > mix
xxd t1 > dump; xxd -p bin > pdump
t xxd t1
t xxd rep
t xxd bin
t xxd -p t1
t xxd -p bin
t xxd -ps -c 10 bin
t xxd -p -c 0 bin
t xxd -b t1
t xxd -b -c 4 -g 2 t1
t xxd -i t1
t xxd -i -C t1
t xxd -i -n foo t1
t xxd -i
t xxd -c 8 t1
t xxd -c8 t1
t xxd -cols 8 t1
t xxd -g 1 t1
t xxd -g 4 t1
t xxd -g 0 t1
t xxd -g 3 t1
t xxd -e t1
t xxd -e -g 2 t1
t xxd -e -g 3 t1
t xxd -u bin
t xxd -u -i t1
t xxd -l 5 t1
t xxd -len 5 t1
t xxd -s 4 t1
t xxd -s -4 t1
t xxd -s +4 t1
t xxd -o 16 t1
t xxd -d bin
t xxd -E bin
t xxd -a mix
t xxd -r dump
t xxd -r -p pdump
t xxd -c 300 t1
t xxd -s 100 t1

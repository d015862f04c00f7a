# hexdump: displays and -e formats
t() { printf '$'; printf ' %q' "$@"; echo; "$@" 2>&1; echo "[$?]"; }
printf 'hello world\nabc\t\0\001\177\200\377\n' > t1
for i in 1 2 3 4 5; do printf '0123456789abcdef'; done > rep; printf x >> rep
for i in {0..255}; do printf "\\x$(printf %02x $i)"; done > bin
seq 1 25 > n25
t hexdump t1
t hexdump -C t1
t hexdump -C rep
t hexdump -C bin
t hexdump -v rep
t hexdump -b t1
t hexdump -c t1
t hexdump -d t1
t hexdump -o t1
t hexdump -x t1
t hexdump -xC t1
t hexdump -Cx t1
t hexdump -s 3 -n 9 -C t1
t hexdump -n 0 t1
t hexdump -e '16/1 "%02x " "\n"' t1
t hexdump -e '1/1 "%02x"' t1
t hexdump -e '8/1 "%_c" "|"' t1
t hexdump -e '"%08_ad: " 4/1 "%3d " "\n"' t1
t hexdump -ve '1/1 "%.2x"' t1
t hexdump -e '4/4 "%08x " "\n"' bin
t hexdump -e '1/8 "%g\n"' bin
t hexdump -e '2/4 "%e "' bin
t hexdump -e '1/1 "%x' t1
t hexdump -e 'x' t1
t hexdump -e '/1 "%02X " "\n"' t1
t hexdump -e '16/1 "%02X " "  "' -e '16/1 "%_p" "\n"' t1
t hexdump t1 rep
t hexdump -n x t1
t hexdump -s 0x4 t1
t hexdump -C -n 16 bin
t hexdump --canonical --length=10 t1

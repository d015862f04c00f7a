# od in all its formats, offsets and messages
t() { printf '$'; printf ' %q' "$@"; echo; "$@" 2>&1; echo "[$?]"; }
printf 'hello world\nabc\t\0\001\177\200\377\n' > t1
for i in 1 2 3 4 5; do printf '0123456789abcdef'; done > rep; printf x >> rep
for i in {0..255}; do printf "\\x$(printf %02x $i)"; done > bin
seq 1 25 > n25
t od t1
t od rep
t od t1 +4
t od t1 4
t od t1 rep
t od -c t1
t od -a t1
t od -An -tx1 t1
t od -A x -t x1z -v rep
t od -A d -t x1z -t c t1
t od -tx2z -to4 t1
t od -tfF bin
t od -tfD bin
t od -tfL bin
t od -t f4 -tx1 bin
t od -v rep
t od -j 5 -N 7 -c t1
t od -j 0x5 t1
t od -j 1k t1
t od -N 0 t1
t od -w8 rep
t od -w rep
t od -w5 rep
t od -tx1 -w5 rep
t od -tx4 --endian=big bin
t od -td1 -tu1 -to1 bin
t od -td2 -tu2 -to2 -tx2 bin
t od -td4 -tu4 -to4 -tx4 bin
t od -td8 -tu8 -to8 -tx8 bin
t od -b t1
t od -d t1
t od -i t1
t od -l t1
t od -o t1
t od -s t1
t od -x t1
t od -f bin
t od -S 3 t1
t od -S3 -An t1
t od -tq t1
t od -tx3 t1
t od -tf3 t1
t od -Aq t1
t od -j x t1
t od -j 5x t1
t od -N x t1
t od --endian=foo t1
t od -xc t1
t od -tx1c t1
t od -ta -tc t1
t od -h t1
t od -X t1
t od -z t1
t od -j 1000 t1
t od -t x1z -N 20 rep
t od -tdS -tuC t1
t od -t oI -t xL rep

# split: lines, bytes, pieces, names
t() { printf '$'; printf ' %q' "$@"; echo; mkdir d; cd d; "$@" 2>&1; echo "[$?]"; for f in *; do [ -f "$f" ] && { echo "== $f"; cat "$f"; }; done; cd ..; rm -rf d; }
seq 1 25 > n25
printf 'hello world\nabc\t\001\177\n' > t1
t split -l 10 ../n25
t split -n 3 ../n25
t split -n l/3 ../n25
t split -n r/3 ../n25
t split -n 2/3 ../n25
t split -n l/2/3 ../n25
t split -n r/2/3 ../n25
t split -n 30 ../n25
t split -e -n l/40 ../n25
t split -n l/40 ../n25
t split -n l/7 ../n25
t split -n 70 ../n25
t split -n l/70 ../n25
t split -b 20 ../n25
t split -C 20 ../n25
t split -C 3 ../t1
t split -C 7 ../n25
t split -d -a 3 -l 10 ../n25 p
t split --numeric-suffixes=98 -l 1 ../n25
t split -x -l 2 ../n25
t split --additional-suffix=.txt -l 20 ../n25
t split --verbose -l 20 ../n25
t split -l 0 ../n25
t split -l x ../n25
t split -b 1x ../n25
t split -n 0 ../n25
t split -n x ../n25
t split -n 3/2 ../n25
t split -l 1 -a 1 ../n25
t split -b 1 -a 1 ../n25
t split -a 0 ../n25
t split -t '\0' -l 1 ../n25
t split -t ab ../n25
t split -5 ../n25
t split -l 5 -b 3 ../n25
t split --additional-suffix=a/b ../n25
t split -d --numeric-suffixes=5 -n 3 ../n25
t split -n l/5 ../t1
t split -a x ../n25
t split -l 10 ../n25 d/x
t split --numeric-suffixes=x ../n25
t split -l 99999999999999999999 ../n25
t split -n 99 -a 1 ../n25
t split -u -n r/2 ../n25
t split -t '' ../n25
t split -e -l 10 ../n25
t split -d -l 1 ../n25
t split -b 1 -d ../n25
t split -t 1 -l 3 ../n25
t split -n 12 -d --numeric-suffixes=95 ../n25
t split -n r/40 ../n25
t split -e -n r/40 ../n25

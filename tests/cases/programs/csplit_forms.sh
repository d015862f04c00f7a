# csplit: lines, patterns, repetitions, offsets
t() { printf '$'; printf ' %q' "$@"; echo; mkdir d; cd d; "$@" 2>&1; echo "[$?]"; for f in *; do [ -f "$f" ] && { echo "== $f"; cat "$f"; }; done; cd ..; rm -rf d; }
seq 1 25 > n25
printf 'hello world\nabc\t\001\177\n' > t1
t csplit ../n25 10
t csplit ../n25 /5/
t csplit ../n25 /5/ '{*}'
t csplit ../n25 /5/ '{1}'
t csplit ../n25 /5/ '{5}'
t csplit -k ../n25 /5/ '{5}'
t csplit ../n25 %5%
t csplit ../n25 /5/+2
t csplit ../n25 /5/-2
t csplit ../n25 /x/
t csplit ../n25 30
t csplit ../n25 5 3
t csplit ../n25 5 5
t csplit ../n25 5 '{2}'
t csplit ../n25 5 '{*}'
t csplit -s ../n25 5
t csplit -f p -n 3 ../n25 5
t csplit -b '%03d.txt' ../n25 5
t csplit -b '%x' ../n25 5
t csplit -b '%d%d' ../n25 5
t csplit -b 'foo' ../n25 5
t csplit -b '%s' ../n25 5
t csplit --suppress-matched ../n25 /5/ '{*}'
t csplit --suppress-matched ../n25 5 10
t csplit --suppress-matched ../n25 25
t csplit --suppress-matched ../n25 26
t csplit -z ../n25 /1/ '{*}'
t csplit ../n25 /1/ '{*}'
t csplit ../n25
t csplit ../n25 foo
t csplit ../n25 /5
t csplit ../n25 /5/x
t csplit ../n25 /5/ '{x}'
t csplit ../n25 /5/ '{'
t csplit ../n25 '{2}'
t csplit ../n25 0
t csplit ../n25 /5/ 10 %2%
t csplit ../n25 %5% /7/
t csplit ../n25 /5/-10
t csplit ../n25 /20/+10
t csplit ../n25 25
t csplit ../n25 26
t csplit ../n25 1
t csplit -n x ../n25 5
t csplit ../n25 /2/ /2/ /2/
t csplit -k ../n25 /x/
t csplit -s -z ../n25 1
t csplit ../n25 %5% '{*}'
t csplit ../n25 %5%+1 /9/-1
t csplit ../n25 3 -5
t csplit ../n25 /1/ '{3}'
t csplit ../n25 '/5/ +2'
t csplit ../n25 10 /10/
t csplit ../n25 /5/ 10 /10/
t csplit ../n25 '/\(/'
t csplit ../n25 /5/ 3
t csplit ../n25 /5/+3 /9/
t csplit ../n25 /5/+3 /8/
t csplit ../n25 /9/-3 /7/
t csplit -b '%-5dx' ../n25 5
t csplit -b '%5.3d' ../n25 5
t csplit -n 0 ../n25 5
t csplit ../t1 /abc/

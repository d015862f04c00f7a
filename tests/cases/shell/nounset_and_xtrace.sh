# stderr
set -u
echo ${a-ok} ${b:-ok2}
(echo $undefined; echo no); echo $?
(echo ${#undefined}; echo no); echo $?
(echo ${undefined[0]}; echo no); echo $?
(echo $1; echo no); echo $?
(echo "$@" $*; echo yes); echo $?
(arr=(); echo "${arr[@]}"; echo yes); echo $?
(arr=(); echo "${arr[0]}"; echo no); echo $?
(echo $((undef+1)); echo no); echo $?
(echo ${undefined%x}; echo no); echo $?
(echo ${undefined:1}; echo no); echo $?
(echo ${!undefined}; echo no); echo $?
(declare x; echo $x; echo no); echo $?
(echo $!; echo no); echo $?
([[ $undef == x ]]; echo no); echo $?
(x=$undef; echo no); echo $?
(for i in $undef; do :; done; echo no); echo $?
set +u
set -x
echo a 'b c' "d'e" $'x\ny'
x=5 y="a b"
a=(1 "2 3" 4)
a+=(5)
a[2]=q
f() { echo in $1; local z=3; }
f arg
for i in 1 2; do :; done
[[ a == b* ]] || true
((x+1))
case $x in 5) echo five;; esac
x=$(echo sub; echo sub2)
if [ -n "$x" ]; then echo y; fi
echo b | cat
(echo subsh)
echo > /dev/null redirected
while false; do :; done
declare -i n=3
export E=1
FOO=bar true
PS4='+$LINENO: '
echo with ps4
{ set +x; } 2>/dev/null
set -v
echo verbose
set +v

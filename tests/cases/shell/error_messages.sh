# stderr
nosuchcmd a b
./nofile
/tmp
: > ./nox; ./nox; echo $?
cd /nonexist
cd a b c
echo ${x!}
echo ${1x}
readonly r; r=1
echo after $?
unset r
export 1a=2; echo $?
declare 'a b=c'; echo $?
local x; echo $?
return 2>&1; echo $?
break; echo $?
shift 10; echo $?
shift x; echo $?
exit_() { exit abc; }; (exit_); echo $?
(exit 1 2); echo $?
[ 1 -eq x ]; echo $?
[ a b c d e ]; echo $?
[ a; echo $?
test -q x; echo $?
[[ 1 -eq 1x ]]; echo $?
echo $((1+)); echo s $?
echo n $?
((1+)); echo $?
echo $((08)); echo x
echo $((x y)); 
let; echo $?
a[1/0]=5
echo next
a=(1 2); echo ${a[-5]}; echo $?
a[-5]=3; echo $?
declare -A m; m[]=x; echo $?
m=(a); echo $?
declare -A m2=([a]=1 b); echo $?
unset a[1]; echo ${a[@]}
trap foo BADSIG; echo $?
trap 'x'; echo $?
wait %5; echo $?
wait abc; echo $?
. /nonexist.sh; echo $?
. ; echo $?
source /tmp; echo $?
eval 'if'; echo $?
eval 'echo "unterminated'; echo $?
bash -c 'if then'; echo $?
bash -c 'echo a; )'; echo $?
bash /nonexist.sh; echo $?
bash -c 'exit 300'; echo $?
bash -Z; echo $?
command -x; echo $?
type nosuch; echo $?
builtin nosuch; echo $?
exec /nonexist/prog; echo $?

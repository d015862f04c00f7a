# stderr
set -- a "b c" ""
for x in "$@"; do echo "<$x>"; done
for x in $@; do echo "<$x>"; done
for x in "$*"; do echo "<$x>"; done
for x in "pre$@post"; do echo "<$x>"; done
IFS=,; echo "$*" $*; 
x="a,b,,c"; for i in $x; do echo "<$i>"; done
x=":a::b:"; IFS=:; for i in $x; do echo "<$i>"; done; IFS=' :'; x=" a : b :: c "; for i in $x; do echo "<$i>"; done
unset IFS
set --; for x in "$@"; do echo no; done; for x in "" "$@"; do echo "<$x>"; done
e=; for x in $e; do echo no; done; for x in "$e"; do echo "<$x>"; done; for x in a$e; do echo "<$x>"; done
for x in $e"" ; do echo "<$x>"; done
a=(); for x in "${a[@]}"; do echo no; done; echo "${a[@]:-none}"
b=(x "" z); for x in "${b[@]}"; do echo "<$x>"; done; for x in ${b[@]}; do echo "<$x>"; done
echo "${b[@]/x/y}" "${b[@]^^}" "${#b[@]}" "${b[@]:1:1}"
n=b; echo "${!n}" "${!n[0]}"; r='b[2]'; echo "${!r}"
declare -n ref=b; echo "${ref[0]}" "${#ref[@]}"; ref+=(q); echo "${b[@]}"
foo1=1 foo2=2; echo ${!foo*} "${!foo@}"
v="it's \"q\""; echo "${v@Q}" ${v@A}; declare -p v b; declare -i num=3+4; echo $num; num+=5; echo $num
declare -l lo=ABC; declare -u up=abc; echo $lo $up
readonly ro=1; ro=2; echo "st $?"
echo ${#} $? $- | cat
local q 2>&1
echo $(( 0x1f + 010 + 2#101 )) $(( a = 5, a*2 )) $(( 1 ? 2 : 3 )) $(( ~5 )) $(( -7 / 2 )) $(( -7 % 3 ))
echo $(( 1 + )) ; echo "x $?"
echo $((1/0)); echo "x $?"
echo "x $?"

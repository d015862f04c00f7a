declare -A m; m[a]=1; m[b]=2; m[zebra]=3; m[x y]=4; m['q"q']=5; declare -p m; echo "${!m[@]}" "${m[@]}"
for i in {1..40}; do n[$i]=$i; k["key$i"]=$i; done; declare -A kk; for i in {1..40}; do kk["key$i"]=$i; done; echo "${!kk[@]}"; echo "${kk[@]}"
unset 'm[a]'; echo ${#m[@]}; m+=([new]=9 [b]=22); declare -p m
declare -a arr=(1 2 [5]=6 7); declare -p arr; arr[-1]=last; echo ${arr[-1]} ${arr[@]: -2}
arr=("${arr[@]}" more); declare -p arr
declare -i n1=5; n1+=3; echo $n1; n1=abc; echo $n1
declare -r c=1; declare -p c; declare -x ex=1; declare -p ex; declare -xr ex2=2; declare -p ex2
declare -p nope; echo $?
f() { local -A l=([a]=1); declare -p l; local y; declare -p y; local -i z=1+1; echo $z; declare -g glob=5; }; f; echo $glob
x=1 y=2 env_() { echo; }; x=5 bash -c 'echo $x'; echo $x
export V=1; bash -c 'echo $V'; export -n V; bash -c 'echo [$V]'
a=(a b c); echo ${a[*]/#/x} ${a[@]/%/y} ${a[@]#a}; echo "${a[@]@Q}" "${a[@]@A}" "${m[@]@K}"
printf '%s\n' "${a[@]:0:2}" "${@:1}"; set -- 1 2 3 4; echo "${@:2:2}" "${*: -1}" "${@:0:1}"
v=abcdef; echo ${v:1:-1} ${v: -3:2} ${v/b*e/X} ${v//[a-c]/_} ${v/#a/Z} ${v/%f/Z} ${v^} ${v^^[aeiou]} ${v,,}
p='a.b.c'; echo ${p%.*} ${p%%.*} ${p#*.} ${p##*.}
echo ${v@U} ${v@u} ${v@L} ${v@a} ${arr@a} ${m@a}
u=; echo "${u:-d}" "${u-d}" "${u:+s}" "${u+s}" "${nn:-d}" "${nn+s}"; echo ${#v} ${#u} ${#nn}
s="a b"; t=($s); echo ${#t[@]}; t=("$s"); echo ${#t[@]}
echo "${v/b/[&]}" "${v/b/\&}"; r='<&>'; echo "${v/b/$r}" "${v/b/"$r"}"
declare -n nr=v; nr=changed; echo $v; unset -n nr; echo ${nr-unset}
IFS=; z="a b"; set -- $z; echo $#; unset IFS
echo "a"'b'c$'\x41'"$(echo d)"`echo e`
echo $[1+2] $((1,2)) $((0x10)) $((3>2?10:20))
let a1=5+5 b1=a1*2; echo $a1 $b1; ((a1+=1)); echo $a1

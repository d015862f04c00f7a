x=5
# special variables etc
f() { echo ${FUNCNAME[0]} $LINENO; caller 2>/dev/null; }; f
echo "$_"; echo a b; echo "$_"
declare -A a=([x]=1); a+=([y]=2); echo ${#a[@]}; declare -A b; b=([k v]="v v"); echo "${b[k v]}"; echo "${a[@]@k}" | tr ' ' '\n' | sort | tr '\n' ' '; echo
local_test() { local -r c=5; local -x E=1; env | grep -c '^E=1'; local arr=(1 2 3); echo ${#arr[@]}; declare -g G=glob; }; local_test; echo $G ${arr[0]-unset}
g() { local x=1; unset x; echo ${x-unset}; x=2; echo $x; }; g; echo $x
set -- "${@:1:0}"; echo $#; set -o | grep errexit; echo $SHELLOPTS | grep -c braceexpand
v=hello; echo ${v@Q} ${v@E} ${v@A}; echo ${v:(-3)} ${v: 1 : 2} ${v:1+1}
IFS='|'; w='a|b||c|'; for i in $w; do echo "<$i>"; done; read -r p q r <<< "$w"; echo "$p,$q,$r"; IFS=$' \t\n'
printf -v out '%s,' a b c; echo "${out%,}"; printf -v 'ar[2]' x; echo ${!ar[@]}
exec 3<<< "fd3 data"; cat <&3; exec 3<&-
{ echo err >&2; echo out; } 2> >(sed 's/^/E:/') ; sleep 0.1
cat < <(echo ps) | tr a-z A-Z; paste <(seq 2) <(seq 3 4)
(sleep 0.3; echo late) & sleep 0.05; echo early; wait; jobs
echo $(for i in 1 2 3; do echo $i; [ $i = 2 ] && break; done)
timeout 1 bash -c 'while :; do :; done'; echo $?
echo 1 2 3 | { read -a z; echo ${z[1]}; }
str=$'line1\nline2\nline3'; while IFS= read -r line; do printf '%s;' "$line"; done <<< "$str"; echo
[[ $str == *line2* ]] && echo contains; [[ ! $str =~ ^line2 ]] && echo notstart
a=5; b=3; echo $((a>b?a:b)) $((a&b)) $((a|b)) $((a^b)) $((a<<b)) $(( -a/b )) $(( -a%b ))
((a+=b, b=a*2)); echo $a $b; (( a > 3 && b < 100 )) && echo cond
arr=(3 1 2); IFS=$'\n' sorted=($(sort <<< "${arr[*]}")); unset IFS; echo "${sorted[@]}"
printf '%s\n' "${arr[@]}" | sort -n | head -1; arr2=("${arr[@]:1}"); echo ${#arr2[@]}; arr=("${arr[@]/1/one}"); echo ${arr[@]}
echo "${arr[*]}" | sed 's/ /,/g'; echo ${arr[@]^}; unset arr; echo ${#arr[@]}
trap 'echo cleanup; rm -f tmpf' EXIT INT; touch tmpf; ls tmpf
s=abc; for ((i=0;i<${#s};i++)); do echo -n "${s:i:1}-"; done; echo
a=x; b=a; echo ${!b}; eval "$b=new"; echo $a; declare "$b=dyn"; echo $a; printf -v "$b" pf; echo $a; read "$b" <<< rd; echo $a
echo {1..10..3} {z..w} {a,b,c}{1,2} pre{x,y}post "{a,b}" {a,"b c"} \{a,b\} {1..} {,x}
echo "a" > 'f 1'; cat 'f 1'; for f in f*; do echo "$f"; done; rm 'f 1'; echo *nomatch*
! grep -q x <<< y && echo grep; if grep -q y <<< y; then echo y; fi; grep -c . <<< $'a\nb'
diff <(sort <<< $'b\na') <(printf 'a\nb\n') && echo same
exit 3

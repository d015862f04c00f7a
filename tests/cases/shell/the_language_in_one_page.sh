x=5; y="a b  c"; echo $y "$y" ${#y} ${y/ /_} ${y// /_} ${y#a} ${y%c} ${y^^} ${y:2} ${y:0:1} ${y: -1}
a=(1 2 "3 4"); echo "${a[@]}" ${#a[@]} ${!a[@]} "${a[*]}" "${a[2]}" ${a[@]:1}
declare -A m=([k]=v [foo]=bar ["a b"]=c); for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done
f() { local x=3; echo $1 $# $x; return 4; }; f one two; echo $? $x
for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done
i=0; while ((i<3)); do echo -n $i; ((i++)); done; echo
case foobar in foo*) echo yes;; *) echo no;; esac
if [[ abc =~ ^a(b)c$ ]]; then echo ${BASH_REMATCH[1]} ${BASH_REMATCH[0]}; fi
echo {a,b}{1..3} {01..03} {a..e..2}
echo $((1+2*3)) $((2**10)) $((7/2)) $((7%3)) $((x++)) $x
cat <<EOF
hello $x $((1+1)) $(echo sub)
EOF
cat <<'EOF'
raw $x
EOF
echo a | tr a b | cat
read a b <<< "one two three"; echo "$a|$b"
printf '%s-%d\n' a 1 b 2
set -- x y z; shift; echo $1 $#  "$@" "$*"
IFS=:; set -- $PATH; IFS=$' \t\n'
echo "${undefined:-default}" ${x:+set}
trap 'echo bye' EXIT
(exit 3); echo $?
false || echo or
! true; echo $?
echo ${x:=9} ${z:=7} $z
eval 'echo evald $x'
type echo f cat if
unset x; echo "[$x]"
a+=(5); a[10]=x; echo "${a[@]}" "${!a[@]}"; unset 'a[0]'; echo "${a[@]}"
s=abc; s+=def; echo $s
echo $'a\tb' "a\$b" 'x'"y"
ls /nonexistent 2>/dev/null; echo $?
nosuch; echo $?
echo done | while read l; do echo "got $l"; done
exec 3>&1; echo to3 >&3; exec 3>&-
diff <(echo a) <(echo b); echo $?

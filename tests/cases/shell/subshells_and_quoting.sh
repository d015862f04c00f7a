x=1; (x=2; echo $x); echo $x
cd /tmp; (cd /; pwd); pwd
f() { echo f1; }; (f() { echo f2; }; f); f
set -- a b; (set -- c; echo $*); echo $*
(exit 5) || echo $?
a=(1 2); (a+=(3); echo ${a[@]}); echo ${a[@]}
x=$(y=5; echo $y); echo $x ${y-unset}
echo a | { read z; echo $z; }; echo ${z-unset}
trap 'echo parent exit' EXIT
(trap 'echo child exit' EXIT; echo c)
$(exit 3); echo $?
(set -e; false; echo no); echo $?
umask_() { :; }
( ( ( echo deep ) ) )
x=$( (echo a; echo b) | tail -1 ); echo $x
echo $( { echo g; } )
v=$(cat <<< "hs"); echo $v
v="$(printf '%s\n' "a b" 'c"d')"; echo "$v"
echo "${v//$'\n'/,}"
`echo echo bt`
echo `echo "a b" 'c'` "`echo "q"`"
echo $(echo ')' "(")
echo $(case x in x) echo case;; esac)
: $(echo side >&2)
s='a  b'; echo $s "$s" ${s}x
t=(${s}); echo ${#t[@]}
IFS=x; v=axbxc; echo $v "$v"; set -- $v; echo $#; echo "$*"; IFS=$' \t\n'
v='*'; echo "$v" '*' \*; set -f; echo $v; set +f
v='a\b'; echo $v "$v"; echo a\\b 'a\b' "a\b" "a\\b" "\$x" "\x"
echo "nested ${v:-"quoted ${x}"}" ${nope:-"a  b"} ${nope:-a  b} "${nope:-a  b}"
echo ${nope:-'single'} "${nope:-'single'}" "${nope:-\}}" ${nope:-$'x\ty'}
echo "a${nope}b" ''a'' ""$x""
set -- 'x y' z; for i in "a$@b"; do echo "<$i>"; done; for i in $@; do echo "<$i>"; done; echo "${@/x/q}" "${*%z}" "${#@}" "${@: -1}"
for i in "${nope[@]}" "${@:5}"; do echo no; done
echo ${#x[@]} ${#nope[@]}

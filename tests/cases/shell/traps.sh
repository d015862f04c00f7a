trap 'echo ERR:$?:$LINENO' ERR
false
(false)
false | true
true | false
f() { false; }
f
if false; then :; fi
false || true
! true
[[ a == b ]]
((0))
x=$(false)
set -E
f
g() { trap 'echo RET' RETURN; :; }
g
h() { :; }
h
trap - ERR
trap 'echo DBG $BASH_COMMAND' DEBUG
echo a
for i in 1 2; do echo $i; done
x=5
if true; then echo y; fi
f2() { echo inf; }
f2
trap - DEBUG
trap 'echo usr1' USR1
kill -USR1 $$
echo after kill
trap
trap '' INT; trap
(trap; trap 'echo sub' EXIT; echo in)
trap 'echo exit $?' EXIT
exit 7

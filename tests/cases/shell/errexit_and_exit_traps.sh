set -e
f() { false; echo notreached; }
if f; then echo a; fi
f || echo b
(false; echo sub) || echo c
x=$(false) || echo d
{ false; echo grp; } || true
! false
echo before
trap 'echo exit $?' EXIT
trap 'echo err $LINENO' ERR
false
echo after

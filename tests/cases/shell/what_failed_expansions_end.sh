# stderr
( : ${zz?} ) ; echo $?
( : ${zz:?msg} ; echo no) ; echo $?
( set -u; echo $zz; echo no ); echo $?
x=$(echo ${zz?bad}); echo $?
bash -c 'echo ${zz?bad}'; echo $?
bash -c 'set -u; echo $zz'; echo $?
f() { echo ${zz?in f}; }; (f); echo $?
(echo $((1/0)); echo same); echo $?
(readonly q=1; q=2; echo same); echo $?
eval 'echo $((1/0))'; echo same $?
echo next $?
eval 'readonly q=1; q=2; echo x'; echo same $?
echo next $?
f() { echo $((1/0)); echo inf; }; f; echo same
echo next
: ${zz?top}
echo notreached

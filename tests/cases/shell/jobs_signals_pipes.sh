seq 100000 > lines
sleep 0.05 & p=$!; jobs -l >/dev/null 2>&1; wait $p; echo $?
(sleep 0.05; exit 3) & wait $!; echo $?
for i in 1 2 3; do (sleep 0.0$i; exit $i) & done; wait; echo all $?
(exit 2) & (exit 4) & wait -n; wait -n; wait -n; echo $?
wait 99999; echo $?
{ sleep 0.1; echo bg; } & echo fg; wait
sleep 5 & kill $! 2>/dev/null; wait $! 2>/dev/null; echo $?
yes | head -n 2
yes | head -1 | cat; echo "${PIPESTATUS[@]}"
seq 100000 | head -1; echo "${PIPESTATUS[@]}"
seq 1 100000 | tail -1
cat lines lines lines | wc -l
while read l; do echo $l; done < lines | tail -1
f() { while read x; do echo "$x"; done; }; seq 50000 | f | tail -n 1
x=$(seq 100000 | wc -l); echo $x
shopt -s lastpipe; echo a b | read q w; echo "$q $w"; shopt -u lastpipe
echo a b | read q2 w2; echo "[$q2]"
(trap 'echo term; exit 9' TERM; while :; do sleep 0.02; done) & sleep 0.1; kill -TERM $!; wait $!; echo $?
timeout 0.2 sleep 5; echo $?
bash -c 'exit 7'; echo $?; bash -c 'echo $0 $@' a b c; echo 'echo script $1' > ./s.sh; bash ./s.sh arg; 
echo 'echo from stdin' | bash; bash -s x y <<< 'echo $1 $2'
echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL))
[ $$ = $(echo $$) ] && echo same; [ $BASHPID != $(echo $BASHPID) ] && echo diff
echo $LINENO
coproc { read l; echo "got $l"; }; echo hey >&"${COPROC[1]}"; read r <&"${COPROC[0]}"; echo "$r"; wait $COPROC_PID; echo $?
time_() { time sleep 0.01; }; TIMEFORMAT=%0R; time_ 2>&1
cat <(echo a) <(echo b) | sort -r
wc -l < <(seq 10)
exec 3< <(echo procsub); cat <&3
mapfile -t arr < <(seq 3); echo ${arr[@]}

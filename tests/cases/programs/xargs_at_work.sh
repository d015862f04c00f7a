# xargs: ways to read and to run, and messages, one command after the other.
mk() {
printf 'a b\nc "d e" f\\ g\n' > in; printf 'x\0y z\0' > nul; seq 10 > n; printf 'one\n\ntwo\n' > bl; printf "it's\n" > bad; printf '/a/b c\n' > p
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
xargs < in
xargs echo X < in
xargs -n2 < in
xargs -n 3 echo < n
xargs -L1 echo L < in
xargs -L 2 < n
xargs -I{} echo '<{}>' < in
xargs -I % sh -c 'echo %%' < n
xargs -i echo {}-{} < n
xargs -0 -n1 echo < nul
xargs -0 -I{} echo '[{}]' < nul
xargs -d '\n' -n1 echo < in
xargs -d, echo <<< a,b,c
xargs -d '\t' echo <<< $'a\tb'
xargs -t echo < n
xargs -t -n 5 echo < n
xargs -P4 -n1 echo < n | sort -n
xargs -s 20 echo < n
xargs -x -s 10 -n 5 echo < n
xargs -n1 sh -c 'exit 1' < in
xargs -n1 sh -c 'exit 255' < in
xargs false < in
xargs nosuchcmd < in
xargs < bad
xargs -L1 echo < bl
xargs -E two echo < bl
xargs -eone echo < bl
xargs -a n echo
xargs -a nosuch echo
xargs --nosuch
xargs -n x echo < n
xargs -n 0 echo < n
xargs -I < n
xargs -n2 -I{} echo {} < n
xargs -L2 -n1 echo < n
xargs -l echo < in
xargs --max-args=3 --verbose < n
xargs --null -n1 < nul
xargs --replace=@ echo @ < p
xargs basename -a < n
xargs -n1 basename < p
xargs sh -c 'echo "$# $0 $1"' < n
printf 'f1\nf2\n' | xargs touch; ls f*
ls f* | xargs rm -v
echo "'a  b' c" | xargs -n1
echo 'a"b"c' | xargs
echo 'a\"b' | xargs
printf 'a b \nc\n' | xargs -L1 echo
printf '  lead  \n' | xargs -I{} echo '[{}]'
printf 'a\n' | xargs -I{} echo '{}{}' x{}y
printf 'a\n' | xargs -I{} {} 
printf 'echo\n' | xargs -I{} {} hi
seq 3 | xargs -I{} -P2 sh -c 'echo {}' | sort
seq 5 | xargs | tr ' ' +
echo a b | xargs -n1 -t true
seq 3 | xargs --process-slot-var=S -P1 -n1 sh -c 'echo $S'
seq 3 | xargs -d '' echo
printf 'a_END_b' | xargs -d _ echo
echo {} | xargs -I{} echo {}
xargs -I{} echo "{}" < bad
xargs -d '\n' echo < bad
xargs -d '\x41' echo <<< 1A2
xargs --arg-file=n -n4
xargs printf '%s\n' < n | head -3
xargs -n2 printf '%s-%s\n' < n
xargs cat <<< 'n nosuch' | tail -1
COMMANDS

f() { echo "${FUNCNAME[@]} ${BASH_LINENO[@]}"; g; }
g() { echo "${FUNCNAME[*]}"; local -a arr=(1 2); echo ${arr[1]}; x=global; local x=loc; h; echo $x; }
h() { echo "h sees $x"; x=changed; unset x; echo "after unset [$x]"; }
f; echo "x=$x"
p() { return $1; }; p 300; echo $?
rec() { (( $1 <= 0 )) && return; rec $(($1-1)); }; rec 100; echo ok
echo $(echo $(echo nested "$(echo "q q")"))
echo `echo back \`echo tick\``
x=$(printf 'a\n\n\n'); echo "[$x]"
{ echo out; echo err >&2; } 2>&1 | sort
echo a > ./o1; echo b >> ./o1; cat < ./o1; cat ./o1 | wc -l
cat <<-EOF
	tabbed
	  x
EOF
while read -r a b; do echo "$b-$a"; done <<< $'1 2\n3 4'
while IFS=, read -r a b c; do echo "$c|$b|$a"; done < <(printf '1,2,3\n4,5,6\n')
echo ${PIPESTATUS[@]}; true | false | true; echo "${PIPESTATUS[@]}"
set -o pipefail; false | true; echo $?; set +o pipefail
sleep 0.1 & wait $!; echo $?; (exit 5) & wait $!; echo $?
coproc cat; echo hi >&${COPROC[1]}; read l <&${COPROC[0]}; echo $l
exec {fd}>./o2; echo x >&$fd; exec {fd}>&-; cat ./o2
shopt -s nullglob 2>/dev/null; echo
for ((i=0;i<3;i++)); do for j in 1 2; do ((j==2)) && continue 2; echo $i$j; done; done
until false; do break; done; echo $?
select x in a b; do echo $x; break; done <<< 2
time -p true 2>/dev/null
printf -v var '%05d' 42; echo $var
printf '%q %s\n' 'a b' "x'y" ; printf '%b\n' 'a\tb'; echo -e 'a\nb'; echo -n x; echo
[[ -f /etc/passwd && ! -d /nonexist ]]; echo $?; [[ abc == a* ]]; echo $?; [[ abc < abd ]]; echo $?; [[ 3 -gt 2 ]]; echo $?
test -z ""; echo $?; [ a = b ]; echo $?; [ 1 -lt 2 -a 2 -lt 3 ]; echo $?
set -x; echo traced "a b"; y=3; set +x

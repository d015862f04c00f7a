# stderr
set --; printf '<%s>' "${*:+f}" "${@:+g}"; echo
echo "${x:-$'a\nb'}" "${x-a$'b}'}"; cat <<E
${x:-$'a\tb'}
E
v=a/xb; echo ${v///x} ${v////-} ${v/////} ${v//\//-} "${v/#//p}"
for 1x in $(echo no >&2); do echo; done; echo $?
for $x in a; do echo; done; echo $?
select a-b in 1; do echo; done; echo $?
unset 1a; echo $?; unset -v 1a; echo $?
x='y[x]'; y='x[y]'; (echo $((x))); echo $?
read x <&-; mapfile a <&-; echo $? ${#a[@]}; cat <&- 2>/dev/null; echo $?; cut -c1 - <&- 2>/dev/null; echo $?
(shift 1 2; echo no); echo $?; f() { return 1 2; echo no; }; (f; echo no); echo $?; (exit 1 2; echo no); echo $?
printf '%'; echo $?
exit 1 2

# misc semantics
f() { local x; x=$(false); echo $?; local y=$(false); echo $?; }; f
a=1; a=2 b=$a; echo $b; a=5 eval 'echo $a'; echo $a
x=1
g() { echo "[$FOO]"; FOO=inner; }; FOO=temp g; echo "[${FOO-unset}]"
FOO=orig; FOO=temp g; echo $FOO
h() { local v=1; k; echo $v; }; k() { v=2; local v=3; v=4; }; h
IFS=: read x y <<< a:b; echo "$x $y"; echo "$IFS" | od -c | head -1
v=$'a\nb'; echo $v; echo "$v"; w=($v); echo ${#w[@]}
echo ${v/$'\n'/-}; printf '%s\n' "${v@Q}"
arr=([0]=a [2]=c); for i in "${!arr[@]}"; do echo $i; done; arr=("${arr[@]}"); echo ${!arr[@]}
declare -a e=(); echo "${#e[@]}" "${e[@]+set}" "${e[*]-unset}"
s="x y"; set -- $s; echo $2; set -- "$s"; echo $1 $#
echo "${@}" "${*}" $# "${1}" "${1:0:1}"
[ "$s" = "x y" ] && echo eq; [ -n "$s" -a -z "" ] && echo and; [ ! -e nofile ] && echo no; test 5 -gt 3 && echo gt
[[ $s == x* ]] && echo pat; [[ $s =~ ^x ]] && echo re; [[ -z $nope ]] && echo z
case $s in x\ y) echo sp;; esac
echo $(( (1+2)*3 )) $(( 2 ** 3 ** 2 )) $(( 10 > 5 ? 1 : 0 )) $(( 5 & 3 | 4 ^ 1 )) $(( !0 )) $(( 1,2 ))
i=5; echo $((i++)) $((++i)) $((i--)) $((--i)) $((i+=3)) $((i*=2)) $((i<<=1)) $((i%=7)) $i
echo $((0x1F)) $((017)) $((2#1010)) $((36#z)) $((16#fF))
n=010; echo $((10#$n)) $((n)); m=08; echo $((10#$m))
echo "a$((1+1))b" $(( ${#s} + 1 ))
until [ $((i)) -ge 10 ]; do i=$((i+1)); done; echo $i
for x; do echo no; done; for x in; do echo no; done; echo $x
for ((;;)); do break; done; while :; do break; done
select z in; do echo no; done
{ echo 1; } > o && cat o; ( echo 2 ) >> o; cat o; if true; then echo 3; fi > o; cat o
while read -r l; do echo "$l"; done < o; for q in 1 2; do echo $q; done | tail -1
case x in x) echo c;; esac | cat
f3() { cat; }; echo piped | f3; f3 <<< here; f3 < o
echo one; echo two >&2; echo three | cat >&2
exec 2>/dev/null; echo gone >&2; exec 2>&1; echo back >&2
! false && echo notfalse; ! ! true; echo $?
true | false; echo $?; false | true; echo $?
(exit 42); echo $?; $(exit 43); echo $?; `exit 44`; echo $?
x=$(exit 45); echo $?; x=$(exit 46) true; echo $?; echo $(exit 47); echo $?
trap 'echo T$?' EXIT; (exit 3); trap - EXIT
f4() { trap 'echo ret' RETURN; return 7; }; f4; echo $?; trap - RETURN
set -- -a -b; while [ $# -gt 0 ]; do case $1 in -a) echo A;; -b) echo B;; esac; shift; done
printf '%s' a b; echo; printf '%3d|%-3d|%03d\n' 5 5 5; printf '%s\n'; printf 'no newline'; echo
echo 'a  b' "c  d" e\ \ f; echo a\
b
echo "tab	x" $'\u00e9' "é" ${#v}; u=é; echo ${#u} ${u^^} ${u:0:1}
: "${XX:=def}"; echo $XX; : ${YY:="a b"}; echo "$YY"
unset -v XX; echo ${XX-gone}; unset YY ZZ; echo $?
readonly R=1; unset R; echo $?; (R=2; echo no); echo $?
type -t if f4 cd nosuch; echo $?
cd /; echo $PWD $OLDPWD | wc -w; cd - >/dev/null
eval echo '$((1+1))' '"a  b"'; eval 'x=1;' 'y=2'; echo $x$y
(set -u; echo ${nope-ok}; set +u; echo $nope end)
. /dev/stdin <<< 'echo sourced $1; return 5' ; echo $?
echo 'srcvar=1; echo "args $@"' > src.sh; source ./src.sh p q; echo $srcvar $#
bash -c 'echo $0 $1' name arg; bash -ec 'false; echo no'; echo $?; sh -c 'echo $((1+1))'
printf 'exit 9\n' > s9.sh; bash s9.sh; echo $?; chmod +x s9.sh; ./s9.sh; echo $?
printf '#!/bin/bash\necho shebang $1 $0\n' > sb; chmod +x sb; ./sb x; printf '#!/usr/bin/env bash\necho env $#\n' > sb2; chmod +x sb2; ./sb2 a b; PATH=.:$PATH sb y
printf '#!/bin/nosuch\n' > bad; chmod +x bad; ./bad; echo $?
printf '#!/usr/bin/awk -f\nBEGIN { print "awk script" }\n' > aw; chmod +x aw; ./aw
printf '#!/bin/sed -f\ns/a/b/\n' > sd; chmod +x sd; echo aaa | ./sd
echo 'echo nosheb $1' > ns; chmod +x ns; ./ns z; rm -f o s9.sh sb sb2 bad aw sd ns src.sh

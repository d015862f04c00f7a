rm -f r1 r2 2>/dev/null
echo a >r1 2>&1; echo b >>r1; cat r1; { echo o; echo e >&2; } >r2 2>&1; cat r2; { echo o; echo e >&2; } &>r2; cat r2; echo x &>>r2; cat r2
exec 5<r1; read -u 5 l; echo $l; read l <&5; echo $l; read l <&5; echo "eof $?"; exec 5<&-
echo hi 1>&2 2>/dev/null
echo hi >&9; echo $?
echo hi > ''; echo $?
echo a > r1 b; cat r1
set -C; echo z > r1; echo $?; echo z >| r1; cat r1; set +C
cat < nonexist; echo $?
{ cat; } <<< "here string"
cat <<A <<B
in a
A
in b
B
cat 0<<E
zero
E
f() { cat; } <<X
func heredoc
X
f
while read l; do echo "l:$l"; done <<E | cat
1
2
E
echo foo | { read x; echo "x=$x"; cat; }
printf 'a\nb\nc\n' | { read x; echo $x; cat; }
printf 'l1\nl2\nl3\n' > r1; { read a; read b; cat; } < r1
exec 4>r2; echo 1 >&4; echo 2 >&4; exec 4>&-; cat r2
ls > /dev/null 2>&1; echo $?
(echo sub >&2) 2>&1 | cat
x=$(echo err 2>&1 >/dev/null); echo "[$x]"; x=$( { echo err >&2; } 2>&1 ); echo "[$x]"
echo ">$(< r2)<"
echo test 3>&1 >&2 2>&3 | cat
cat /dev/fd/3 3<<< fd3; cat /dev/stdin <<< stdin
v=r1; cat <$v; w="a b"; echo q >$w; echo $?; cat "a b" 2>/dev/null; echo > r*; echo $?
diff <(printf '1\n2\n') <(printf '1\n3\n')
tee >(cat > r2) <<< tee >/dev/null; sleep 0.1; cat r2
echo > /nonexist/dir/file; echo $?
: > r1; [ -s r1 ]; echo $?
{ echo a; echo b; } > r1; wc -l < r1
exec 3<> r1; read -u 3 q; echo $q; echo new >&3; exec 3>&-; cat r1
echo {fd}; exec {fd}< r1; echo $((fd >= 10)); read -u $fd z; echo $z; exec {fd}<&-
2>&1 echo pre
>r1 echo first; cat r1
>r1; cat r1
exec 3>&1; (echo to3 >&3) | cat; exec 3>&-
{ echo a >&3; } 3>&1; echo b >&3
f() { echo $1 >&2; }; f x 2>&1 | cat; f y 2>r1; cat r1
for i in 1 2; do echo $i; done > r1; cat r1; if true; then echo yes; fi >> r1; cat r1
echo abc | cat - r1; cat r1 - <<< dash
while read -r a; do read -r b; echo "$a+$b"; done < <(printf '1\n2\n3\n4\n')
exec 7< <(printf 'p1\np2\n'); read -u7 x; read -u7 y; echo $x $y
cat <&7; exec 7<&-
echo "done"

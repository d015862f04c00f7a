f() { local x=1; g; echo "f:$x"; }; g() { x=2; local y=3; h; }; h() { echo "h:$x,$y"; y=9; }; x=0; f; echo $x
f() { local IFS=,; echo "$*"; set -- a b; echo "$*"; }; f 1 2; set -- p q; echo "$*"
f() { local a b=2 c; a=1; echo $a $b ${c-unset}; }; f; echo ${a-unset}
outer() { inner() { echo inner; }; inner; }; outer; inner
f() { echo "$0 $1 ${@: -1}"; }; f a b c | sed 's/.*sh/sh/'
f() { [ $1 -eq 0 ] && return 5; f $(($1-1)); }; f 10; echo $?
fib() { if (($1<2)); then echo $1; else echo $(( $(fib $(($1-1))) + $(fib $(($1-2))) )); fi; }; fib 10
f() { unset -f f; echo once; }; f; f 2>/dev/null; echo $?
function g { echo kw; }; g; function g2() { echo kw2; }; g2
f() ( echo subshell; exit 3 ); f; echo $?
f() { return; }; false; f; echo $?
f() { local -n r=$1; r=set; }; f target; echo $target
f() { local v=$1; shift; echo "$v:$#"; [ $# -gt 0 ] && f "$@"; }; f a b c
f() { for i; do echo -n "$i "; done; echo; }; f x y z
case "a b" in "a b") echo 1;; esac; case x in a|x) echo 2;; esac; case abc in a*) echo f;& b) echo g;;& *c) echo h;; esac
case "" in "") echo empty;; esac; x='*'; case abc in $x) echo glob;; esac; case abc in "$x") echo no;; *) echo lit;; esac
i=0; until ((i>=3)); do ((i++)); echo -n $i; done; echo
for x in a b c; do for y in 1 2; do [ $y = 2 ] && break 2; echo $x$y; done; done
while true; do while true; do break 2; done; done; echo out
if [ 1 = 2 ]; then echo a; elif [ 1 = 1 ]; then echo b; else echo c; fi
[[ "a b" == a* && ! b == c || x ]] && echo t; [[ -n "" ]] || echo nn; [[ x =~ [a-z] ]] && echo re; [[ "a.b" =~ a\.b ]] && echo esc; re='^([0-9]+)-([a-z]+)$'; [[ 12-ab =~ $re ]] && echo ${BASH_REMATCH[1]}/${BASH_REMATCH[2]}
[[ abc == "a*" ]]; echo $?; [[ 'a*' == "a*" ]]; echo $?; [[ 10 -gt 9 && 1+1 -eq 2 ]]; echo $?; x=5; [[ x -eq 5 ]]; echo $?
[[ -v x ]]; echo $?; [[ -v nope ]]; echo $?; a=(1); [[ -v a[0] ]]; echo $?; [[ -o errexit ]]; echo $?
eval "x=1; y=2"; echo $x$y; eval 'for i in 1 2; do echo $i; done'; eval "echo \$x" 
set -- a b c d; shift 2; echo $*; shift 5; echo $?; set -- ; echo $#
command echo cmd; builtin echo bi; command -v echo ls cd; type -t echo cat f if; command -V cd
echo "$(cat <<X
nested heredoc $x
X
)"
echo $(( $(echo 3) + ${#x} )) "$((x+1))"
: ${def:=value}; echo $def
unset def; echo ${def=v2} $def
a=b=c; echo $a; a+=d; echo $a; b=$a$a; echo $b
echo a;echo b&&echo c||echo d
true && { echo grp; false; } || echo or
! { false; }; echo $?
echo \
continued
echo 'single
multi'
{ echo x; } ; ( echo y )
x=(1 2 3); for i in "${!x[@]}"; do x[i]=$((x[i]*2)); done; echo ${x[@]}; ((x[1]++)); echo ${x[1]} $((x[0]+x[2]))
declare -A h; h[a]=1; ((h[a]+=5)); echo ${h[a]}; k=a; echo ${h[$k]} $((h[$k]+1)); for k in a b; do ((h[$k]++)); done; echo ${h[b]}
printf '%s|' "${x[@]}"; echo; printf '%d %x %o %e %5.2f|%-5s|%05d %c %%\n' 10 255 8 1.5 3.14159 ab 42 xyz
echo $RANDOM | grep -c '^[0-9]*$'; RANDOM=42; echo $RANDOM $RANDOM $RANDOM; echo $((RANDOM<32768))
echo $BASH_VERSION ${BASH_VERSINFO[0]} $OSTYPE $MACHTYPE $HOSTTYPE
echo -e 'a\tb\x41\0101\c'; echo; echo -E 'a\tb'; echo -- -n; echo -nn x; echo; echo -ne 'q\n'
read -r -d '' v <<< $'multi\nline'; echo "$v"; read -n 3 v <<< abcdef; echo $v; read -a arr <<< "a b c"; echo ${arr[1]}; IFS=: read a b c <<< "1:2:3:4"; echo "$a $b $c"; read -r x <<< '  sp  '; echo "[$x]"; IFS= read -r x <<< '  sp  '; echo "[$x]"; read x y <<< 'a\ b c'; echo "$x,$y"; echo "a b" | (read; echo "$REPLY")

set -- a b c; echo "$#" "${#}" "${#@}" "${@:1:2}" "${@^^}"; echo $* ; echo "$@"x
a=(1 2 3); echo "${a[@]/2/X}" "${a[@]:(-2)}" "${a[-1]}" "${!a[@]}" "${#a[2]}" "${a[@]: -1:1}" ; unset 'a[1]'; echo "${a[@]}" "${!a[@]}"; a[5]=x; echo "${#a[@]}" "${a[@]:3}"
declare -A m=([one]=1 [two]=2); for k in "${!m[@]}"; do echo "$k ${m[$k]}"; done | sort; [[ -v m[one] ]] && echo has; unset 'm[one]'; echo "${!m[@]}" "${m[nope]-def}"
b=("${a[@]}"); b+=("new elem"); printf '[%s]' "${b[@]}"; echo; c=([3]=three [1]=one); echo "${c[@]}" "${!c[@]}"
str="hello world"; echo "${str^}" "${str^^}" "${str/o/0}" "${str//o/0}" "${str%% *}" "${str#* }" "${str:6}" "${str: -5:3}" "${#str}" "${str/#hello/bye}" "${str/%world/all}" "${str//[lo]}"
p=/a/b/c.tar.gz; echo "${p##*/}" "${p%/*}" "${p%%.*}" "${p#*.}" "${p##*.}" "${p//\//_}"
e=""; echo "${e:-x}" "${e-x}" "${e:+y}" "${u:-z}" "${u+w}" ${e:-"q r"}; n=5; echo "$((n<<2))" "$((n**2))" "$((n%3))" "$((n>3&&n<10))" $((n++ + ++n)) $n
i=10; while ((i-->7)); do printf '%d ' $i; done; echo; for ((i=0,j=10;i<j;i+=3,j-=2)); do echo "$i $j"; done
f() { local -a arr=("$@"); echo "${#arr[@]}:${arr[*]}"; local IFS=-; echo "${arr[*]}"; }; f x "y z" w
IFS=: read -ra parts <<< "a:b::c"; echo "${#parts[@]}" "${parts[2]}|${parts[3]}"; IFS=, ; s="1,2,3"; for x in $s; do echo -n "<$x>"; done; echo; unset IFS
while IFS='=' read -r k v; do echo "k=$k v=$v"; done <<< $'a=1\nb=x=y'
echo "${1:?}" "${@:$#}" "${!#}"; r=str; echo "${!r}" "${!r:0:5}" "${!r^^}"; declare -n ref=str; ref=new; echo $str "${ref}" "${!ref}"
trap 'echo "line $LINENO"' ERR; false; trap - ERR; echo "${BASH_REMATCH[0]-none}"; [[ "2024-01-15" =~ ^([0-9]{4})-([0-9]{2})-([0-9]{2})$ ]] && echo "${BASH_REMATCH[@]:1}"
[[ "foo bar" =~ (o+)\ (b) ]] && echo "${BASH_REMATCH[1]},${BASH_REMATCH[2]}"; [[ "a+b" =~ a\+b ]] && echo plus; [[ "x" =~ ^(y|x)$ ]] && echo alt; v="a.c"; [[ "abc" =~ $v ]] && echo dot; [[ "abc" =~ "$v" ]] || echo nodot
select_() { select o in one two; do echo "sel $o $REPLY"; break; done; }; echo 2 | select_ 2>/dev/null
cat <<EOF | tr a-z A-Z
var $n ${str} $(echo cmd) \$esc `echo bt` "quotes" 'single'
EOF
cat <<'EOF'
$no ${exp} `x`
EOF
cat <<-"EOF"
	tab $x
	EOF
x=$(cat <<EOF
in subst
EOF
); echo "$x"
echo "a
b" | while read -r l; do echo "[$l]"; done
{ echo 1; echo 2; } | { read a; read b; echo $b$a; }
( cd /; echo $PWD )
func() { return 3; }; func; r=$?; echo $r; func && echo y || echo n; if ! func; then echo neg; fi
set -e; func || true; (exit 2) || echo caught; set +e
declare -i num="2 * 3"; echo $num; declare -r RO=1; (RO=2) 2>/dev/null; echo $?; readonly -p | grep -c RO; declare -p num; export FOO=bar; env | grep ^FOO; unset FOO; env | grep -c ^FOO
echo ${RANDOM:+set} ${BASHPID:+set} ${PPID:+set} ${UID:+set} ${HOSTNAME:+set}
printf '%s\n' {1..3} {a..c} {01..03} {10..1..3} x{a,b}y{1,2} {a,b{1,2}} {} {a} a{,b}
eval "$(printf 'ev%d() { echo ev%d; }\n' 1 1 2 2)"; ev1; ev2; echo $(ev1; ev2)
time_=$( { time true; } 2>&1 | grep -c real ); echo $time_
command -v nosuch || echo none; type nosuch 2>&1; ( set -o noclobber; echo a > ./nc1; echo b > ./nc1 ) 2>&1 | sed 's/.*nc1/nc1/'; rm -f ./nc1

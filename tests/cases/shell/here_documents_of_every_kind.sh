while read -r a b; do echo "$b:$a"; done <<< $'1 2\n3 4'; cat <<'A' <<"B" <<C
a $x
A
b $x
B
c $((1+1)) \$x `echo q` "$x" '$x' \\ \
joined
C
cat <<-E
	tab
		two $(echo "	in")
	E
cat <<"E F"
x
E F
cat <<E$x
lit
E$x
cat <<\E
$x
E
cat << 'E' | tr a-z A-Z && echo done
piped
E
f() { cat; } <<E
fn $1 body
E
f; g() { cat <<E; }; g 1; g 2
arg $1
E
x=$(cat <<E
in )sub
E
); echo "$x"; if cat <<E; then echo ok; fi
cond
E
cat <<E >o; cat o
redir
E

# stderr
seq 10 > a; (seq 3; echo x; seq 5 12) > b; printf 'x' > nn; printf 'x\n' > nl; printf 'a\0b' > n1; printf 'a\0c' > n2
mkdir -p d1/s d2/s d1/o; echo 1 > d1/f; echo 2 > d2/f; echo 1 > d1/s/g; echo 3 > d2/s/g; echo x > d1/only; mkdir d1/mix; echo f > d2/mix
printf 'a\n\nb\n  c\td\n' > s1; printf 'A\nb \n\n c   d  \n' > s2; printf '.\nx\n' > dot1; printf 'y\n.\nz\n' > dot2
d() { diff "$@"; echo "rc=$?"; }
d a b; d -u --label 1 --label 2 a b; d -c --label 1 --label 2 a b; d -e a b; d -f a b; d -n a b; d -y -W 40 a b; d -D FOO a b
d -e dot1 dot2; d nn nl; d n1 n2; d -q a b; d -s a a; d -i s1 s2; d -b s1 s2; d -w s1 s2; d -iwB s1 s2; d -I b s1 s2; d -ty s1 s2
d -r d1 d2; d -rq d1 d2; d -rN d1 d2; d d1 d2; d a nope; d a; d -u -c a b; d d1/f d2
d --old-line-format='<%l
' --new-line-format='>%L' --unchanged-line-format= a b; d --changed-group-format='%<' --unchanged-group-format= a b
cmp a b; cmp -l a b; cmp -b a b; cmp a nope; cmp -n 3 a b; cmp nn nl; cmp -s a b; echo $?

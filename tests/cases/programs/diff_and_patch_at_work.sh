# diff and patch: formats, options, messages, one command after the other.
mk() {
seq 10 > a; seq 10 | sed '3d;7s/.*/seven/;$a eleven' > b; cp a same; printf 'x\ny' > nl1; printf 'x\ny\n' > nl2; printf 'foo  bar\n\nBaz\n' > w1; printf 'foo bar\nbaz\n' > w2; mkdir d1 d2 d1/sub d2/sub; echo 1 > d1/f; echo 2 > d2/f; echo x > d1/only1; echo y > d2/only2; echo s > d1/sub/s; echo t > d2/sub/s; printf 'a\0b' > bin1; printf 'a\0c' > bin2; : > empty; touch -d '2024-01-02 03:04:05' a b same nl1 nl2 w1 w2 d1/* d2/* d1/sub/s d2/sub/s empty; printf 'int f() {\n  a;\n  b;\n  c;\n  d;\n  e;\n}\n' > c1; sed 's/e;/E;/' c1 > c2; touch -d '2024-01-02 03:04:05' c1 c2; printf 'a\tb\n' > t1; printf 'a\tc\n' > t2
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
diff a b
diff -u a b
diff -U0 a b
diff -U 1 a b
diff -c a b
diff -C1 a b
diff -q a b
diff -q a same
diff -s a same
diff a same
diff -y a b
diff -y -W 40 a b
diff -y --suppress-common-lines a b
diff -y --left-column a b
diff -e a b
diff -n a b
diff -f a b
diff --normal a b
diff nl1 nl2
diff -u nl1 nl2
diff -y nl1 nl2
diff -w w1 w2
diff -b w1 w2
diff -i w1 w2
diff -B w1 w2
diff -wiB w1 w2
diff -r d1 d2
diff -rq d1 d2
diff -ru d1 d2
diff -rN d1 d2
diff -ruN d1 d2
diff d1 d2
diff -r -x f d1 d2
diff -rs d1 d2
diff bin1 bin2
diff -a bin1 bin2
diff empty a | head -3
diff -u empty a | head -5
diff -u -N nosuch w2 | sed 's/1970.*//'
diff nosuch a
diff a
diff a b same
diff --nosuch a b
diff -U x a b
diff d1 a
diff a d1
diff d1/f d2
diff - a < b
diff a - < b
diff <(sort a) <(sort b)
diff -L L1 -u a b
diff -p c1 c2
diff -up c1 c2
diff -u -F '^int' c1 c2
diff -I '^[0-9]' a b
diff --strip-trailing-cr t1 t2
diff -t t1 t2
diff -T t1 t2
diff --unchanged-line-format='' --new-line-format='>%L' --old-line-format='<%L' a b
' --new-line-format='+%l
' --unchanged-line-format=' %l
diff --line-format='%dn %L' a b
diff --changed-group-format='%<|%>' --unchanged-group-format='' a b
diff --GTYPE-group-format=x a b
diff -D FOO a b
diff --brief a b
diff --color=always a b
diff --color=always -u a b
diff -d a b
diff --minimal a b
diff -H a b
diff -E t1 t2
diff -Z t1 t2
diff --horizon-lines=1 a b
diff --ignore-file-name-case -r d1 d2
diff --from-file=a b same
diff --to-file=a b same
diff -q -r d1 d2 --new-file
diff --unidirectional-new-file -r d1 d2
diff -S f -rq d1 d2
diff --tabsize=4 -t t1 t2
diff --no-dereference a b
diff -u a b > p1.patch; cp a a1; patch a1 < p1.patch; diff a1 b; echo $?
patch -R a1 p1.patch; diff a a1 && echo same
patch -p0 < p1.patch; head -3 a; patch -p0 -R < p1.patch
cp a a2; patch --dry-run a2 p1.patch; diff a a2
cp a a2; patch -o out a2 p1.patch; diff out b
cp a a2; patch -b a2 p1.patch; ls a2*
cp a a2; patch -s a2 p1.patch; echo $?
printf 'zz\n' > a3; patch a3 p1.patch; ls a3*
sed -i 1d a2; patch a2 p1.patch
patch a nosuch.patch
patch a < empty
echo garbage | patch a
cp a a4; patch a4 p1.patch; patch -N a4 p1.patch; ls a4*
cp a a5; patch a5 p1.patch; patch -f a5 p1.patch
diff -ruN d1 d2 > dp; cp -r d1 e1; (cd e1; patch -p1 < ../dp; ls); diff -r e1 d2
(cd e1; patch -p1 -R < ../dp)
diff -c a b > cp1; cp a a6; patch a6 cp1; diff a6 b
diff a b > np; cp a a7; patch a7 np; diff a7 b
diff -e a b > ep; cp a a8; patch -e a8 ep; diff a8 b
patch --nosuch
patch -p x < p1.patch
printf -- '--- a/w1\n+++ b/w1\n@@ -1,2 +1,2 @@\n foo bar\n-x\n' | patch -p1
patch -i p1.patch a -t
patch -d d1 -p1 < dp
patch --verbose a p1.patch
cmp a b
cmp a same
cmp -s a b
cmp -l bin1 bin2
cmp -b a b
cmp empty a
cmp nl1 nl2
cmp -n 2 a b
cmp -i 2 a b
cmp a nosuch
cmp a
comm -12 a same
comm -3 w1 w2
comm a b
COMMANDS

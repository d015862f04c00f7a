# stderr
seq 20 > f; seq 20 | sed 's/^5$/five/; s/15/fifteen/' > g; diff -u --label f --label g f g > p; cp f f0
p() { patch "$@"; echo "rc=$?"; }
p f p; cmp f g; p f p; cat f.rej; p -R f p; cmp f f0; p --dry-run f p; cmp f f0; sed '1i new' f0 > h; p h p; tail -n 3 h
sed 's/^3$/three/' f0 > k; p k p; sed 's/^3$/three/;s/^4$/four/;s/^6$/six/' f0 > m; p m p; cat m.rej; ls
mkdir -p a/x b/x; echo 1 > a/x/f; echo 2 > b/x/f; echo new > b/x/n; echo old > a/x/o; diff -ruN a b | sed 's/\t20.*/\t2026-01-01 00:00:00 +0000/' > dp
cp -r a c; cd c; p -p1 < ../dp; ls x; cat x/f x/n; p -p1 -R < ../dp; ls x; cd ..
diff f0 g > norm; cp f0 f; p f norm; cmp f g; diff -c f0 g > cc; cp f0 f; p f cc; cmp f g; p -t f cc; cmp f f0; p -N g p; echo garbage | patch; echo $?

# A signal that a shell sends itself ends that shell and not the one that started it; cp does not copy into itself without end.
bash -c 'kill -TERM $$; echo no' 2>/dev/null; echo "$?"
x=$(bash -c 'kill -9 $$; echo no' 2>/dev/null); echo "$? [$x]"
sh -c '(kill $$; sleep 1); echo no' 2>/dev/null; echo "$?"
bash -c 'trap "echo t" TERM; kill $$; echo yes'
bash -c 'trap "echo bye" EXIT; kill -TERM $$' 2>/dev/null; echo "$?"
bash -c 'bash -c "kill \$\$"; echo "in $?"' 2>/dev/null
timeout 5 bash -c 'exit 7'; echo "$?"
mkdir -p d/sub; echo y > d/sub/y; cp -r d d/sub 2>&1; echo "$?"; ls d/sub
mkdir -p t/u; echo 1 > t/a; ln t/a t/u/b; tar cf a.tar t; mkdir o; tar xf a.tar --strip-components=1 -C o; ls -R o
tar cf a.tar t --exclude=a 2>&1; echo "$?"
seq 3 | grep -Tn 3; seq 12 > n; grep -Tn 3 n; head -n +2 n; echo '"abc' | bc 2>&1; sed -n 0~0p n 2>&1; echo "$?"

# tar and gzip: operations and messages, one command after the other.
mk() {
mkdir -p d/sub; echo one > d/a.txt; echo two > d/sub/b.log; ln -s a.txt d/l; ln d/a.txt d/h; printf '%0500d' 0 > d/big; chmod 640 d/a.txt; chmod 755 d/big; mkdir e; echo x > e/x; touch -h -d '2024-01-02 03:04:05' d/* d/sub/* e/x; touch -d '2024-01-02 03:04:05' d/sub d e; printf 'd/a.txt\ne/x\n' > list; seq 1000 > n; cp n m; touch -d '2024-01-02 03:04:05' n m
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
tar cf t.tar d; tar tf t.tar | sort
tar -czf t.tgz d e; tar -tzf t.tgz | sort
tar -cvf t2.tar e d/a.txt
tar -tvf t2.tar | sed 's/ [a-z]*\/[a-z]* */ U /'
mkdir x; tar xf t.tar -C x; ls -R x
tar -xvzf t.tgz -C x | sort
tar -xOf t.tar d/sub/b.log
tar xf t.tar nosuch
tar tf nosuch.tar
tar cf z.tar nosuch
tar cf z.tar nosuch e; tar tf z.tar
tar
tar -x
tar c
tar cf
tar --nosuch
tar cf z.tar
tar -cf z.tar -C d a.txt -C ../e x; tar tf z.tar
tar -cf z.tar -T list; tar tf z.tar
printf 'a.txt\0' | tar -cf z.tar -C d --null -T -; tar tf z.tar
tar tf t.tar --wildcards '*.log'
tar rf z.tar n; tar tf z.tar
tar uf z.tar n; tar tf z.tar
tar df t2.tar
echo more >> e/x; tar df t2.tar
tar -cf - e | tar -tf -
tar -c e | tar t
tar --transform='s,^d,D,' -cf z.tar d; tar tf z.tar | sort
tar cf z.tar --owner=root --group=root e; tar tvf z.tar | awk '{print $2}'
tar cf z.tar --mtime='2020-01-01' e; tar tvf z.tar | awk '{print $4,$5}'
tar cf z.tar --sort=name d; tar tf z.tar
tar tf t.tar d/sub
tar tvf t.tar d/l | awk '{print $1,$6,$7,$8}'
mkdir k; echo old > k/x; tar cf z.tar -C e x; tar xf z.tar -C k -k; cat k/x
tar xf z.tar -C nosuchdir
tar tf z.tar.gz
tar -cf z.tar --no-recursion d; tar tf z.tar
tar xpf t.tar -C x; stat -c '%a %n' x/d/a.txt
tar xmf t.tar -C x d/a.txt; echo $?
tar --totals -cf z.tar e 2>&1 | cut -c1-20
tar xf t.tar --one-top-level=top; ls top
tar cf z.tar --remove-files w; ls w
tar xvf t.tar d/sub
tar tzf n
tar cf z.tar -- -x
tar c -f z.tar e; tar -t -f z.tar
tar -cf z.tar ./e; tar tf z.tar; tar xf z.tar -C x e/x
tar -cf z.tar e/; tar tf z.tar
zcat n
COMMANDS

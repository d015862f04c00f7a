# stderr
mkdir -p d/sub e; echo hi > d/x; seq 100 > d/sub/y; seq 1000 > big.log; touch 'a b' a.txt b.txt; ln -s nope broken; ln -s d dl
touch -d '2026-01-01 10:00:00.5' b.txt; chmod 600 b.txt; chmod 755 d/x
f() { find "$@" | sort; echo "rc=${PIPESTATUS[0]}"; }
f . -name '*.txt' -o -type l
f . ! -type d -a -not -name '*.txt'
f . \( -name a.txt -o -name b.txt \) -printf '%p|%f|%h|%P|%d|%m|%M|%y|%l\n'
f . -name b.txt -printf '%TY-%Tm-%Td %TH:%TM:%TS %s %k %t %T@ %T+\n'
f . -path ./d -prune -o -print
f . -size +1k -type f; f . -size -1k -type f; f . -empty
f . -perm 600; f . -perm -111 -type f; f . -perm /u+x -type f
f . -regex '.*/[a-z]\.txt'; f . -regextype posix-extended -iregex '.*/(A|B)\.TXT'
f . -newermt 2026-06-01 ! -newermt 2020-01-01; f . -xtype l; f -L . -name y
f . -name '*.txt' -exec echo got {} \;
f . -mindepth 2 -maxdepth 2
find d -depth -name y -delete -print; find d -name y
find . -name nosuch -o -prune -name . ; find . -maxdepth 0 -printf '%'; find . -name x -o; find . '(' ; find nope; find . -foo; find . -type q
find a.txt b.txt -name 'a*' -printf x , -name b.txt -printf y; echo

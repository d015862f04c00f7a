# ls, cp, mv, rm, ln, mkdir, stat, touch, chmod, readlink: options and messages, one command after the other.
mk() {
mkdir -p d/sub e '.hid' 'sp ace'; echo one > f1; echo two > f2; printf '%02000d' 0 > big; : > empty; ln -s f1 l; ln -s nowhere br; ln f1 hard; echo h > .hidden; echo x > d/x; echo y > d/sub/y; chmod 755 f2; chmod 600 empty; touch -d '2024-01-02 03:04:05' f1 f2 d/x; touch -d '2020-05-06 07:08:09' big empty d/sub/y; touch -h -d '2021-01-01' l br; touch -d '2022-02-02 02:02:02' d/sub; touch -d '2022-02-02 02:02:03' d e 'sp ace' .hid .hidden
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
ls
ls -a
ls -A
ls -1
ls -lh big | awk '{print $5}'
ls -F
ls -p
ls -R
ls -d */
ls -d .*
ls -m
ls -x
ls -C
ls -w 20
ls -r
ls -v
ls -U f2 f1
ls -i f1 | wc -w
ls -n f1 | awk '{print $1,NF}'
ls -g f1 | awk '{print $1,NF}'
ls -o f1 | awk '{print $1,NF}'
ls -G f1
ls -L l
ls -lL l | awk '{print $1,$NF}'
ls -H l
ls -Q
ls -b 'sp ace'
ls -N
ls -q
ls -B
ls -I 'f*'
ls --hide='f*'
ls --full-time f1 | awk '{print $6,$7,$8,$9}'
ls --time-style=long-iso -l f1 | awk '{print $6,$7,$8}'
ls --time-style=+%Y -l f1 | awk '{print $6,$7}'
ls --time-style=iso -l f1 | awk '{print $6,$7}'
ls --color=always d f1 l
ls --group-directories-first
ls nosuch
ls nosuch f1
ls --nosuch
ls -y
ls f1 d
ls d f1 nosuch e
ls --indicator-style=slash
ls -1 d/* 
ls -A .hid
ls ''
ls -k f1
ls | cat
cp f1 c1; cat c1
cp -v f1 c2
cp f1 f2 d; ls d
cp f1 f2 nosuch
cp d z
cp -r d z; find z | sort
cp -a d z2; stat -c '%Y %n' z2/x
cp -p f1 c3; stat -c %Y c3
cp f1
cp
cp f1 f1
cp -i f1 f2
cp -n f1 f2; cat f2
cp -u big f1; cat f1
cp -f f1 f2; cat f2
cp -b f1 f2; ls f2*
cp --backup=numbered f1 f2; ls f2*
cp -t e f1 d/x; ls e
cp -T d e
cp -rT d e; ls e
cp --parents d/sub/y e; find e | sort
cp -l f1 hl; stat -c %h hl
cp -L l cl; stat -c %F cl
cp -P l cp; stat -c %F cp
cp -rv d z3 | sort
cp br x2
cp --nosuch
cp f1 nosuch/
cp f1 nosuch/x
cp -x f1 c9; cp --remove-destination f1 c9; cp --strip-trailing-slashes f1 c9; echo $?
cp -S .o -b f1 c9; ls c9*
mv c1 c1b; ls c1*
mv -v c1b c1
mv c1
mv c1 c1
mv c1 c2 nosuch
mv c1 c2 d; ls d
mv d/c1 d/c2 .
mv -n c1 c2; ls c1
mv -f c1 c2; ls c1
mv -t d c2; ls d/c2
mv d d/sub
mv f1 d/
mv d/f1 .
mv -T d e
mv d nd; ls nd; mv nd d
mv -b f2 hard; ls hard*; mv hard f2
mv f2 nosuch/
rm nosuch
rm -f nosuch
rm d
rm -r z; ls z
rm -rf z2 z3 nosuch; echo $?
rm -v c3
rm
rm -f
rm -d e
mkdir em; rm -d em; rm -dv em
rm -rv nd 2>&1; mkdir -p q/w; rm -rv q
rm -i f2
rm --nosuch
rm -- -x
rm f2/
rmdir d
rmdir nosuch
mkdir -p r/s/t; rmdir -p r/s/t; ls r
rmdir --ignore-fail-on-non-empty d; echo $?
mkdir -p r/s; rmdir -pv r/s
mkdir d
mkdir n/o
mkdir -p n/o; mkdir -pv n/o/p
mkdir -m 700 m7; stat -c %a m7
mkdir -m u=rwx,g=rx,o= m8; stat -c %a m8
mkdir -v a1 a2
mkdir
mkdir f2
mkdir -p f2/x
mkdir -m zz a3
ln -s f2 ns; readlink ns
ln -s f2 ns
ln -sf big ns; readlink ns
ln -sfn e ns; readlink ns
ln -sv f2 nv
ln d dl
ln -s
ln -s /a/b; readlink b
ln -sr d/x rel; readlink rel
ln -st d ../f2; readlink d/f2
ln -b f2 nh; ls nh*
readlink f2
readlink -e nosuch; echo $?
readlink -n l; echo
realpath nosuch/x
realpath --relative-to=d f2
stat -c '%U' f2 | wc -l
stat -c '%N' l
stat -L -c '%F' l
stat --printf '%s\n%n\n' f2
stat -c '%X %Z %W' f2 | wc -w
stat -c '%q' f2
stat nosuch
stat
stat -f -c %T . | wc -l
stat f2 | sed -n '2p' | awk '{print $1,$2}'
stat -t f2 | awk '{print $1,$2}'
stat -c '%010s|%-10s|%.3n|%+5a' f2
stat -c '%x' big | cut -c1-4
stat -c %B%b f2
stat -c '%i' f2 | wc -l
touch -d '2024-01-01 10:00' new; stat -c %y new
touch -t 202301020304.05 new; stat -c %y new
touch -t 01020304 new; stat -c %y new | cut -c5-
touch -r big new; stat -c %Y new
touch -c none; ls none
touch -a -d '2020-01-01' new; stat -c '%x %y' new
touch -m -d '2019-01-01' new; stat -c '%y' new
touch -d 'garbage' new
touch -d @0 new; stat -c %y new
touch nosuch/x
touch
touch -t 99 new
touch -d '2024-01-01T10:00:00Z' new; stat -c %Y new
chmod 644 f2; stat -c %a f2
chmod u+x,g-r,o=w f2; stat -c %a f2
chmod +x f2; stat -c %a f2
chmod a-x f2; stat -c %a f2
chmod -v 600 f2
chmod -c 600 f2
chmod -c 644 f2
chmod -R 700 d; stat -c '%a %n' d d/x d/sub
chmod --reference=big f2; stat -c %a f2
chmod 999 f2
chmod zz f2
chmod 644
chmod 644 nosuch
chmod -f 644 nosuch
chmod u=g f2; stat -c %a f2
chmod 4755 f2; stat -c '%a %A' f2
chmod +t d; stat -c '%a %A' d
chmod g+s d; stat -c '%a %A' d
chmod -x f2; stat -c %a f2
chmod o+X d f2; stat -c %a d f2
chmod --nosuch f2
chmod -R u+rwX,go-w d; stat -c '%a %n' d d/x
chmod = f2; stat -c %a f2; chmod 644 f2
chmod 0755 f2; chmod u-s,+r f2; stat -c %a f2
basename /a/b.txt .txt; basename -a /a/b /c/d; basename -s .x a.x b.x; basename /; basename ''; basename
dirname /a/b/c; dirname a; dirname a/b /c; dirname /; dirname ''; dirname
install -m 755 f2 inst; stat -c %a inst; install -d i/j; install -D f2 i/k/l; ls i/k
COMMANDS

# find: tests, actions and messages, one command after the other.
mk() {
mkdir -p a/b/c a/.h d 'sp ace' ; printf 'hello\n' > a/f1.txt; printf '%05000d' 0 > a/b/big.log; : > a/empty; printf x > a/b/c/X.TXT; : > 'sp ace/q f.txt'; ln -s a/f1.txt link; ln -s nowhere broken; ln a/f1.txt a/hard; touch -d '2020-01-02 03:04:05' a/f1.txt a/b; touch -d '2024-05-06 07:08:09.5' a/b/big.log; chmod 600 a/empty; chmod 755 a/b/c/X.TXT; : > a/.h/dot; touch -d '2023-01-01' a/empty d a a/b/c a/.h 'sp ace' . 'sp ace/q f.txt' a/b/c/X.TXT a/.h/dot
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
find . | sort
find a -name '*.txt'
find a -iname '*.txt' | sort
find . -type f | sort
find . -type d | sort
find . -type l | sort
find . -type f,l -name '*k*' | sort
find . -xtype l | sort
find -L . -type l
find . -empty | sort
find . -maxdepth 1 | sort
find . -mindepth 2 -maxdepth 2 | sort
find . -path './a/*' -name '*.log'
find . -path './a/b' -prune -o -type f -print | sort
find . -name .h -prune -o -print | sort
find . ! -name '*.txt' -type f | sort
find . -not -type d -a -size +1k | sort
find . -size -2c | sort
find . -size +4k
find . -size 6c | sort
find . -perm 600
find . -perm -111 -type f
find . -perm /u+x -type f
find . -perm -u=rwx,g=rx -type f
find . -newer a/f1.txt -type f | sort
find . -newermt '2024-01-01' -type f | sort
find . ! -newermt '2021-01-01' | sort
find . -mtime +1000 -type f | sort
find . -regex '.*/f[0-9]\.txt'
find . -iregex '.*TXT' | sort
find . -type f -exec wc -c {} \; | sort
find . -name '*.txt' -exec echo {} + | tr ' ' '\n' | sort
find . -name '*.txt' -exec sh -c 'for f; do echo "<$f>"; done' _ {} + | sort
find . -name f1.txt -exec echo a{}b {} \;
find . -name f1.txt -execdir echo {} \;
find . -name f1.txt -exec false \; -print
find . -name f1.txt -exec true \; -print
find . -name '*.txt' -print0 | sort -z | xargs -0 -n1 echo
find a -name f1.txt -printf '%p %f %h %s %m %M %y %d %n %P %H\n'
find . -maxdepth 1 -type l -printf '%p -> %l %y %Y\n' | sort
find a -maxdepth 1 -printf '%-10f|%10s|%5m|\n' | sort | grep -v '^a '
find a -name big.log -printf '%k %b\n'
find a -name big.log -printf '%TS %T+ %Ts\n'
find . -name '*.log' -delete -print; ls a/b
find . -name '*.txt' -o -name '*.log' | sort
find . \( -name '*.txt' -o -name 'empty' \) -type f | sort
find . -name 'f1*' -quit
find . -name 'f1*' -print -quit
find nosuch
find nosuch a -maxdepth 0
find . -nosuch
find . -name
find . -type z
find . -type
find . -maxdepth x
find . -name a b
find . -exec echo {}
find . -exec
find . -size 5x
find . -size x
find . -perm zz
find . -newer nosuch
find . -mtime x
find . \( -name a
find . -name a \)
find . -o -name a
find . -name a -o
find . ! 
find . -newermt 'garbage'
find . -printf
find a -printf '%q\n' -quit
find a -printf '%f\t%f\x' -quit
find a -maxdepth 0 -printf 'a\tb\\n\101\n'
find a -name f1.txt -maxdepth 2
find -name f1.txt
find a d -maxdepth 0
find a/ -name f1.txt
find ./a/../a -name f1.txt
find . -wholename './a/f1.txt'
find . -ipath './A/F*'
find . -lname 'a/*'
find -H link -type f
find -L link -type f
find -P link -type f
find . -true -maxdepth 0
find . -false
find a -name '[ef]*' | sort
find a -name '?1.txt'
find a -name '*.[tT][xX][tT]' | sort
find . -type f -readable | wc -l
find . -type f -executable
find . -type f -writable | wc -l
find . -name f1.txt -fprintf out '%f\n'; cat out
find . -type d -empty -delete; ls
find . -path '*b*' -type f
find . -name '.*' | sort
find . -mindepth 1 -name '.*' | sort
find . -newerXY a
find . -xdev -name f1.txt
find . -mount -name f1.txt
find a -prune
find . -noleaf -name f1.txt
find . -ignore_readdir_race -name f1.txt
find -O3 . -name f1.txt
find . -name f1.txt -print -print
find . -anewer nosuch
find . -cnewer a/f1.txt -name zzz
find . -fstype zzz
find . -files0-from x
find . -name 'sp*' -exec ls {} \;
find 'sp ace' -type f | xargs ls
find 'sp ace' -type f | xargs -d '\n' ls
find . -name f1.txt -exec sh -c 'echo "$1"; exit 3' _ {} \; ; echo $?
find . -name f1.txt -exec sh -c 'exit 3' _ {} + ; echo $?
find . -name f1.txt -exec nosuchcmd {} \;
find . -type f -name '*.txt' | while read -r f; do echo "${f##*/}"; done | sort
find . -size 0 -type f | sort
find . -type f -size +0 -size -10c | sort
find a -type f -exec grep -l hello {} + | sort
find a -type f -name f1.txt -exec mv {} {}.bak \; ; ls a
find a -type f -exec chmod 644 {} +
find . -name '*.bak' -exec sed -n p {} \;
find . -printf '%s %p\n' -maxdepth 0 | wc -l
find . -type f -printf '%s\n' | awk '{s+=$1}END{print s}'
find -maxdepth 1 -type d -name 'a*' -printf '%f\n'
find a -name hard -printf '%i\n' | grep -c .
find a -name hard -printf '%u %g %U %G\n' | grep -c .
find a -name hard -printf '%a\n' | grep -c .
find a -name hard -printf '%5.2f|%#m|%05s|\n'
COMMANDS

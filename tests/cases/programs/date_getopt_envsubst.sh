# stderr
date -u -d @0; date -d '2024-02-28 + 2 days' '+%A %F'; date -d 'TZ="America/New_York" 2024-07-01 12:00' +%c; date -Iseconds -d @0; date -R -d @86400
date --rfc-3339=ns -d @1.5; date -d foo; date +%F x; date -d now x; date -I -R; date -Ifoo; printf '2020-01-01\nbad\n' > l; date -f l +%s; date -r nope
getopt -o ab:c:: -l alpha,beta: -- -a -bx --beta 'y z' foo -c; getopt -o a -- -z; getopt ab: -a -b x f; getopt -o h -l help,hello -- --hel; getopt
echo 'a $X ${X} ${X:-d} $Y $1' | X=1 envsubst; echo '$X $Y' | X=1 envsubst '$Y'; envsubst -v '$X ${A}'; getconf LONG_BIT; getconf foo

# column: lists, tables, trees, JSON
t() { printf '$'; printf ' %q' "$@"; echo; "$@" 2>&1; echo "[$?]"; }
printf 'a b c\nd\nee ff\n' > c1; printf 'name:age:city\nbob:5:New York\nalice::LA\nx:1:2:3\n' > c2
printf 'a\n\nb c\n  \n d\n' > c3; printf '%s\n' {1..40}word > c4; printf 'é 漢字 x\nabc d e\n' > c5
printf 'col1 col2 %s\nx y z\n' "$(printf 'w%.0s' {1..100})" > c6; printf 'a\tb\tc\n1\t\t3\n' > c7
printf '1 0 a\n2 1 b\n3 1 c\n4 2 d\n' > c8; printf 'a b "c"\\\n' > c9
t column -t c1
t column -t -s: c2
t column -t -s: -o '|' c2
t column -t -s: -N A,B,C c2
t column -t -s: -N A,B,C -d c2
t column -t -s: -N A,B,C -R B c2
t column -t -s: -N A,B,C,D -H B c2
t column -t -s: -N A,B,C,D -O C,A c2
t column -J -s: -N a,b,c,d c2
t column -J -s: -N a,b,c,d -n tbl c2
t column -J -s: c2
t column -t -L c3
t column -t c3
t column c3
t column -L c3
t column c4
t column -x c4
t column -c 40 c4
t column -c 5 c4
t column -c 8 c4
t column -c 33 c4
t column -x -c 33 c4
t column -t c5
t column c5
t column -t c6
t column c6
t column -t -c 30 c6
t column -t -c 30 -T 3 c6
t column -t -c 30 -N a,b,c -T c c6
t column -t -c 40 -N a,b,c -W c c6
t column -t -s $'\t' c7
t column -t c7
t column -t -l 2 c1
t column -t -e -N a,b,c c1
t column -t -E 1 c2
t column -s: c2
t column -t -R 1 c1
t column -t -R 5 c1
t column -t -N A c1
t column -t -R X c1
t column -J c1
t column -t -s '' c1
t column -t -o '' c1
t column -c x c1
t column -t -s ' ' c1
t column -t -H 1 c1
t column -t -H - c1
t column -t -R 0 c1
t column -t -O 2 c1
t column -t c1 c2
t column --table-columns A,B c1
t column -t -N 'A,B' -R A,B c1
t column -t -N id,parent,name -i id -p parent -r name c8
t column -t -i 1 -p 2 -r 3 c8
t column -J -N x,y,z c9
t column -J -N id,parent,name -i id -p parent -r name c8
t column -t -R 2,3 -s: c2
t column -t -N a,b -H b -s: c2
t column -l x -t c1
t column -t -T 1 c6
t column -t -W 1 -c 20 c6
t column -t -r 1 c1

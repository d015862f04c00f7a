# stderr
x() { xargs "$@"; echo "rc=$?"; }
x <<< "a 'b c' \"d e\" f\\ g"; x -n2 <<< "a b c"; x -I{} echo '<{}>' <<< $'  a b \nc'; x -L2 echo <<< $'a \nb\nc\nd'
printf 'a\0b c\0' | x -0 -n1 echo; x -d, <<< a,b; x -E STOP <<< $'a\nSTOP\nb'; x -s 20 echo <<< "aaaaa bbbbbb ccc ddd e f"; x -r < /dev/null; x < /dev/null
x false <<< a; x nosuch <<< a; x sh -c 'exit 255' <<< a; x -n x <<< a; x -n 0 <<< a; x -t echo <<< "a 'b c'"; x "-I{}" -n2 echo '{}' <<< "a b"; x <<< "a 'b"
seq 5 | x -P2 -n1 echo | sort

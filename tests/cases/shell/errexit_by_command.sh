# errexit forms
for m in 'false' '(false)' '{ false; }' 'false | true' 'true | false' '[[ a == b ]]' '((0))' 'x=$(false)' 'local_() { local x=$(false); echo lv; }; local_' 'if false; then :; fi' 'while false; do :; done' '! true' 'f() { return 3; }; f' 'f() { false; }; f || true; echo k' 'eval false' 'false && true' 'true && false' 'for i in 1; do false; done' 'case a in a) false;; esac' 'test a = b' 'readonly r=1; r=2' 'cat < /nonexist' 'nosuchcmd' 'set -o pipefail; false | true' 'trap "echo T" ERR; false' 'command false' 'echo $(false; echo x)' 'x=1 false' 'export x=$(false)' '{ echo a; false; } > /dev/null' 'while read -r l; do false; done <<< x'; do
bash -c "set -e; $m; echo alive" 2>/dev/null; echo "[$m] $?"
done

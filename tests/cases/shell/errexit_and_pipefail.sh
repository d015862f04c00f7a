set -eo pipefail; false | cat || echo a; if false | true; then echo b; else echo c; fi; x=$(false | cat) || echo d; true | true; echo e; f() { false | true; echo f; }; f || echo g; (f); echo h

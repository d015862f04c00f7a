# fmt: margins, prefixes, widths
t() { printf '$'; printf ' %q' "$@"; echo; "$@" 2>&1; echo "[$?]"; }
cat > p1 <<'EOF'
This is a paragraph of text that goes on for quite some time.  It has sentences. And more of them, e.g. abbreviations like Dr. Smith. It should be reflowed to fit.
  Indented second
paragraph here with some text that is not that long but will need wrapping at some point in time.

* a bullet item that goes on and on and on and on and on and on and on and on and on until it wraps
  continued here

    code block line one
	tabbed line with words enough to be filled over the end of the line, which is at column seventy-five or so
Last?  Yes!  "Quoted."  (Paren.)  Done
EOF
t fmt p1
t fmt -w 40 p1
t fmt -s p1
t fmt -u p1
t fmt -c p1
t fmt -t p1
t fmt -40 p1
t fmt -w 20 -g 15 p1
t fmt -p '* ' p1
t fmt -w 10 p1
t fmt -w 1 p1
t fmt -w 0 p1
t fmt -w x p1
t fmt -g 200 p1
t fmt -w 3000 p1
t fmt -g 30 p1

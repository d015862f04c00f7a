# bc: statements and messages, one command after the other.
mk() {
printf 'define f(x) {\n  if (x<=1) return (1)\n  return (x*f(x-1))\n}\nf(20)\n' > f.bc
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
echo '1+2' | bc
echo 'scale=3;10/3' | bc
echo '2^100' | bc
echo '10/0' | bc
echo 'obase=16;255' | bc
echo 'obase=2;10;obase=10;10' | bc
echo 'ibase=2;1010' | bc
echo 'x=5;x+=3;x;x++;x;--x' | bc
echo 'if(1>2) 3 else 4' | bc
echo 'for(i=0;i<3;i++) i' | bc
echo 'while(i<3){i=i+1;print i," "}' | bc
echo 'a[1]=5;a[1]*2' | bc
echo 'length(12345);scale(1.234);sqrt(2)' | bc
echo 'sqrt(-1)' | bc
echo 'scale=20;sqrt(2)' | bc
echo '1.5*2.25' | bc
echo '-7%3;7%-3' | bc
echo '5 && 0;5 || 0;!5' | bc
echo '1==1;1!=1;2>=1' | bc
echo 'foo(1)' | bc
echo '1+' | bc
echo '1 +* 2' | bc
echo 'a b' | bc
echo '(1+2' | bc
echo '"unterminated' | bc
echo 'print "a\n"' | bc
echo '2^-1' | bc
echo '2^0.5' | bc
echo '.5+.5' | bc
echo '0.1+0.2' | bc
echo '1/3' | bc -l
echo 's(1);c(1);a(1);l(2);e(1)' | bc -l
echo 'scale=50;4*a(1)' | bc -l
bc nosuch
echo 'quit' | bc; echo $?
echo 'halt' | bc
echo '10%3;scale=2;10%3' | bc
echo 'last;5;.*2;last' | bc
echo '/* c */ 5 # d' | bc
echo '123456789012345678901234567890*987654321098765432109876543210' | bc
echo '2^1000' | bc
BC_LINE_LENGTH=0 bc <<< '2^300'
bc <<< 'scale=2; (1.005*100+0.5)/1'
bc <<< 'define f(x){return x*2};f(4)'
bc --nosuch
bc <<< 'ibase=16;obase=A;FF'
bc <<< 'x = 3; x == 3'
bc <<< 'return'
bc <<< 'scale=-1'
bc <<< 'obase=1'
bc <<< '5!'
echo "5.67/1" | bc
echo "scale=2; 5.678/1" | bc
echo "$(echo '3.5 > 2.1' | bc -l)"
COMMANDS

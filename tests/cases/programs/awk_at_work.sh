# awk: programs an agent writes over records, and its messages, one command after the other.
mk() {
printf 'id,name,dept,salary\n1,Ann,Eng,100.5\n2,Bob,Ops,90\n3,Cid,Eng,120\n4,Dee,HR,70\n5,"Eve, Jr",Ops,95\n' > emp.csv
printf 'one two three\nfour five six\n\nseven  eight\tnine\n' > words
printf 'a=1\nb = 2\n# comment\nc=x=y\n' > conf
printf '10.0.0.1 - - [10/Oct/2023:13:55:36 +0000] "GET /a HTTP/1.1" 200 2326\n10.0.0.2 - - [10/Oct/2023:13:56:36 +0000] "POST /b HTTP/1.1" 500 12\n10.0.0.1 - - [11/Oct/2023:01:00:00 +0000] "GET /c HTTP/1.1" 404 0\n' > log
printf 'k1 10\nk2 20\nk3 30\n' > f1; printf 'k1 x\nk3 y\nk4 z\n' > f2
printf 'p1 l1\np1 l2\n\n\np2 l1\np2 l2\np2 l3\n\n' > paras
printf 'héllo wörld\n日本語 x\n' > utf
printf 'a,b;c,d;e,f;' > semi
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
awk -F, 'NR>1{s[$3]+=$4;n[$3]++}END{for(k in s)printf "%s %.2f %d\n",k,s[k]/n[k],n[k]}' emp.csv | sort
awk -F, 'NR==1{for(i=1;i<=NF;i++)h[$i]=i;next}{print $(h["name"]),$h["salary"]}' emp.csv
awk 'NR==FNR{a[$1]=$2;next}$1 in a{print $1,a[$1],$2}' f1 f2
awk 'NR==FNR{a[$1]=$2;next}!($1 in a)' f1 f2
awk '{print NF": "$0}' words
awk '{$2="X"}1' words
awk '{NF=2}1' words
awk '{$5="z";print;print NF}' words
awk 'BEGIN{OFS="-"}{$1=$1}1' words
awk '{print > "out_" NR ".txt"}END{close("out_1.txt");while((getline l < "out_1.txt")>0)print "got",l}' words
awk 'BEGIN{RS=""}{print NR": "$1" "NF;for(i=1;i<=NF;i++)printf "[%s]",$i;print ""}' paras
awk 'BEGIN{RS="";FS="\n"}{print $1"|"$2"|"NF}' paras
awk 'BEGIN{RS=";"}{print NR,$0}' semi
awk 'BEGIN{RS="[,;]"}{print NR,$0,RT}' semi
awk '{print length($0),toupper($0),substr($0,2,3),index($0,"l")}' utf
awk 'BEGIN{printf "%5s|%-5s|%05d|%x|%o|%e|%g|%c|%c|%%|%+d|% d\n","ab","cd",42,255,8,1234.5,0.0001,65,"hello",5,7}'
awk 'BEGIN{printf "%*d|%-*s|%.*f\n",5,42,6,"x",2,3.14159}'
awk 'BEGIN{printf "%s %d\n","a"}'
awk 'BEGIN{printf "%d %i %u\n",3.99,-3.99,-1}'
awk 'BEGIN{printf "%z\n",1}'
awk 'BEGIN{print 1e6,1e5*10,0.1+0.2,1/3,100000*100000,2^53,2^53+1,1e300*1e10,-1e300*1e10,log(-1)}'
awk 'BEGIN{print 1==1.0,"a"<"b","10"<"9",10<9,"abc"~/b/,"abc"~"^a"}'
awk 'BEGIN{x["a"];print length(x),("a" in x),("b" in x);delete x["a"];print length(x)}'
awk 'BEGIN{s="hello world";gsub(/o/,"[&]",s);print s;sub(/l+/,"\\&",s);print s;print gsub(/x/,"y",s)}'
awk 'BEGIN{print gensub(/(a)(b)/,"\\2\\1","g","abab"),gensub(/a/,"X",2,"aaa"),gensub(/b/,"<\\0>","g","abc")}'
awk 'BEGIN{print match("foobar",/o+/),RSTART,RLENGTH;if(match("k=v",/(.)=(.)/,m))print m[1],m[2],m[0],m[1,"start"],m[2,"length"]}'
awk 'BEGIN{n=split("a:b:c",a,":");print n,a[1],a[3];n=split("",b);print n,length(b);n=split("a1b2c",c,/[0-9]/,s);print n,c[2],s[1],s[2]}'
awk 'BEGIN{n=split("abc",a,"");print n,a[1],a[2]}'
awk 'BEGIN{a[3]="c";a[1]="a";a[2]="b";n=asort(a,b);for(i=1;i<=n;i++)print b[i];n=asorti(a,c);print c[1],c[3]}'
awk 'function f(n){return n<=1?1:n*f(n-1)}BEGIN{print f(10),f(20),f(25)}'
awk 'function g(a,k){a[k]=1}BEGIN{g(z,"q");for(k in z)print k}'
awk 'BEGIN{while(("echo a; echo b"|getline l)>0)print "l:",l;close("echo a; echo b")}'
awk 'BEGIN{"date -u -d @0 +%F"|getline d;print d}'
awk '{print $1|"sort -r"}END{close("sort -r");print "done"}' words
awk '{print $2 > "/dev/stderr"}' f1
awk 'BEGIN{print strftime("%Y-%m-%d %H:%M:%S",0,1),mktime("2024 01 02 03 04 05")}'
awk 'BEGIN{print and(12,10),or(12,10),xor(12,10),lshift(1,4),rshift(16,2),compl(0),strtonum("0x1F"),strtonum("017")}'
awk 'BEGIN{print substr("hello",0),substr("hello",-1,3),substr("hello",2,100),substr("hello",1.5,2)}'
awk '/Eng/,/HR/' emp.csv
awk 'NR==2,NR==4{print NR}' emp.csv
awk 'END{print NR,$0}' emp.csv
awk -v x='a\tb' 'BEGIN{print x,ENVIRON["USER"],ARGC,ARGV[1]}' foo
awk '{print FILENAME,FNR,NR}' f1 f2
awk 'FNR==1{print FILENAME}' f1 nosuch f2
awk '{print v}' v=1 f1 v=2 f2
awk -f nosuch.awk f1
awk '{print' f1
awk 'BEGIN{print 1' 
awk 'BEGIN{x=}' 
awk '{print $1' f1
awk 'BEGIN{getline; print "got " $0}' f1
awk 'NR==1{getline x; print x; next}{print "r",$0}' f1
awk 'BEGIN{exit 3}END{print "end"}'
awk '{exit}END{print NR; exit 4}' f1
awk 'BEGIN{print (1>2)?"a":"b"}'
awk 'BEGIN{print 1,2 > "/dev/stdout"; printf("%s\n","x")}'
awk 'BEGIN{i=5;print i++ + ++i, i--, i; x+=3;x*=2;x^=2;x%=7;print x}'
awk 'BEGIN{if(!("x" in a))print "no";delete a;print length(a)}'
awk -F'\t' '{print $2}' words
awk -F'|' '{print $1}' words
awk -F'[][]' '{print $2}' log
awk '{print $NF,$(NF-1)}' log
awk '{c[$1]++}END{for(i in c)print c[i],i|"sort -rn"}' log
awk -F'"' '{split($2,r," ");print r[1],r[2]}' log
awk 'length>20' log | wc -l
awk '{sum+=$NF}END{print sum, sum/NR}' log
awk '!seen[$1]++' log
awk '{a[NR]=$0}END{for(i=NR;i;i--)print a[i]}' f1
awk 'BEGIN{FS=","}{print $1;FS=" "}' emp.csv
awk 'BEGIN{FPAT="([^,]+)|(\"[^\"]+\")"}{print NF,$2}' emp.csv
awk 'BEGIN{FIELDWIDTHS="2 3 1"}{print $1"|"$2"|"$3}' words
awk 'BEGIN{IGNORECASE=1}/ENG/{print}' emp.csv
awk -v 1x=3 'BEGIN{print 1}'
awk 'BEGIN{print substr("x",1}' 
awk 'BEGIN{print $(-1)}' 
awk '{print $-1}' f1
awk 'BEGIN{print 1/0}'
awk 'BEGIN{print 5%0}'
awk 'BEGIN{f(1)}'
awk 'function f(x){x[1]=1}BEGIN{y=1;f(y)}'
awk 'BEGIN{a=1;a[1]=2}'
awk 'BEGIN{a[1]=1;print a}'
awk 'BEGIN{a[1]=1;print a+1}'
awk 'BEGIN{if("a"~"(")print 1}'
awk 'BEGIN { printf "%s\n" }'
awk 'BEGIN { printf "%d items\n", "3abc"; print "3abc"+0, "0x1A"+0, ".5"+0, "+7"+0, "1e2x"+0 }'
awk 'BEGIN{print length(12345), 1e3 "", 0.1 "", 123456789012 "", 1234567.891 ""}'
awk 'BEGIN{CONVFMT="%.2g";a=3.14159;b=a "";print b;OFMT="%.3f";print a, 17, 1e20}'
awk 'BEGIN{print index("foobar","bar"), "A" "B" 1+1 "C"}'
awk 'BEGIN{print toupper(substr("word",1,1)) substr("word",2)}'
awk 'BEGIN{r=system("exit 3");print r; system("echo hi")}'
awk 'BEGIN{print "a" > "/nosuchdir/x"}'
awk 'BEGIN{r=(getline l < "nosuch");print r}'
awk 'BEGIN{printf "a\n" | "cat 1>&2"}'
awk 'BEGIN{print ARGV[0],ARGC;for(i=1;i<ARGC;i++)print i,ARGV[i]}' a b=c -x
awk 'BEGIN{nextfile}' 
awk 'FNR==2{nextfile}{print FILENAME,$0}' f1 f2
awk 'BEGIN{next}' 
awk 'function f(a,a){}BEGIN{}' 
awk 'BEGIN{return 1}' 
awk "BEGIN{print \"it's\", \"a\\\\b\", \"\\x41\\101\\/\"}"
awk 'BEGIN{print "a\qb"}'
awk 'BEGIN{print "a" "b" > "o1"; close("o1"); getline x < "o1"; print x}'
awk '{ $3 = ""; print; print NF }' f1
awk '$2>15&&$2<25||/k3/' f1
awk '$2 ~ /^[0-9]+$/ {print $1 "\t" $2*1.1}' f1
awk '{printf "%-10s %8.2f\n", $1, $2}' f1
awk 'BEGIN{OFS="\t"} {print $1,$2} END{print "Total", NR}' f1
awk -F= '/^[^#]/{gsub(/^ +| +$/,"",$1);gsub(/^ +| +$/,"",$2);print $1"->"$2}' conf
awk 'BEGIN{x["b"]=1;x["a"]=2;n=asorti(x,k);for(i=1;i<=n;i++)print k[i],x[k[i]]}'
awk 'BEGIN { printf "%c%c%c\n", 233, "é", 256 }'
awk 'BEGIN { printf "%10s|%-10s|%.2s\n", "é", "日本", "日本語" }'
awk 'BEGIN{print typeof(x),typeof(1),typeof("a"),typeof(/a/),typeof(@/a/);x[1];print typeof(x),isarray(x)}'
awk 'BEGIN{print substr("hello",2,-1) "|" substr("",1) "|"; print -0, 0*-1, int(-3.7), int("4x")}'
awk 'BEGIN{print sqrt(16),exp(1),log(10),sin(1),cos(1),atan2(1,2),exp(1000)}'
awk 'BEGIN{a["x"][1]=5;a["x"][2]=6;for(i in a["x"])print i,a["x"][i];print isarray(a["x"])}'
awk -e 'BEGIN{print "e"}' --source 'BEGIN{print "s"}'
awk 'BEGIN{print length(a b), a b "x"; print !a, !"", !"a", - "3"}'
awk 'BEGIN{"pwd" | getline; print NR, ($0 != "")}'
awk -F '' '{print $1,$2,NF}' utf
awk -F ' ' '{print NF}' words
awk -F '\\|' '{print NF}' words
awk -F. '{print $1}' log
awk 'BEGIN{printf "%s"}' 
awk 'BEGIN{printf "%5.1f%%\n", 45.678; printf "%\x27d\n", 1234567}'
COMMANDS

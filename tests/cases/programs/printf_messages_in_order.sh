# printf: what it prints and what it complains of, in their order; times
{ printf '%d\n' 12x abc 3; printf '%d|%s\n' 08 a 0x1g b; printf 'a%zb\n' 1; echo "[$?]"; printf '%b|\x|%d\n' '\x' 5; } 2>&1 | sed 's/^.*printf: /printf: /'
printf '%(%F %T %Z %z %j %U %a %b %e %k %l %p %P %-d %_m %C %y %G %V %u %w %s %D %R %r %c %x %X %n%t%%)T|\n' 86400
for f in %F %T %Z %z %j %U %a %b %e %k %l %p %P %-d %_m %C %y %G %V %u %w %s %D %R %r %c %x %X %n %t %% %^a %#Z %E %5Y %+ %:z; do printf "%s=%($f)T\n" "$f" 86400 2>&1; done
TZ=America/New_York printf '%(%F %T %Z)T|%()T\n' 1700000000 0
printf '%(%Q%N)T|%-12(%Y)T|%.2(%Y)T\n' 0 0 0
printf -v x '%d' 7z 2>/dev/null; echo "$x $?"

# date: what -d reads and formats print, one command after the other.
mk() {
touch -d '2024-02-03 04:05:06' ref; printf '2024-01-01\n@0\nbad\n' > dates
}
mk
while IFS= read -r -u 3 c; do
    echo "\$ $c"
    (eval "$c") 2>&1 < /dev/null
    echo "-> $?"
done 3<<'COMMANDS'
date -d '2024-02-29 12:34:56' '+%Y-%m-%d %H:%M:%S %A %a %B %b %j %U %W %V %G %g %u %w %y %C %e %k %l %I %p %P %Z %z %:z %::z %:::z %s %N %n%t%% %D %F %T %R %r %c %x %X %h %q'
date -d '2024-02-29 + 1 year' +%F
date -d '2024-01-31 + 1 month' +%F
date -d '2024-03-31 -1 month' +%F
date -d '2024-03-10 tomorrow' +%F
date -d '2024-03-10 next week' +%F
date -d '2024-03-10 next month' +%F
date -d '2024-03-10 last year' +%F
date -d '2024-03-10 +3 days' +%F
date -d '2024-03-10 12:00 +3 hours' '+%F %T'
date -d '2024-03-10 12:00 3 hours' '+%F %T'
date -d '2024-03-10 12:00 - 90 minutes' '+%F %T'
date -d '2024-03-10 2 weeks ago' +%F
date -d '2024-03-10 fortnight' +%F
date -d '@1700000000' '+%F %T'
date -d '@1700000000.5' '+%F %T.%N'
date -d '@-1' '+%F %T'
date -u -d '2024-01-01T10:00:00+02:00' '+%F %T'
date -d '2024-01-01 10:00 EST' '+%F %T'
date -d '2024-01-01 10:00 PST8PDT' '+%F %T'
date -d 'TZ="America/New_York" 2024-07-01 10:00' '+%F %T'
TZ=America/New_York date -d '2024-07-01 10:00 UTC' '+%F %T %Z %z'
TZ=Asia/Tokyo date -d @0 
TZ=EST5EDT date -d @0
date -d 'Jan 5 2024' +%F
date -d '5 Jan 2024' +%F
date -d '5 January 2024 3pm' '+%F %T'
date -d 'January 5, 2024 3:04 PM' '+%F %T'
date -d '01/02/2024' +%F
date -d '1/2/24' +%F
date -d '20240102' +%F
date -d '20240102T030405' '+%F %T'
date -d '20240102 0304' '+%F %T'
date -d '2024-01-02T03:04:05.678Z' '+%F %T.%3N'
date -d '2024-01-02 03:04:05.678901' '+%N %3N %6N'
date -d 'Mon, 01 Jan 2024 10:00:00 +0000' '+%s'
date -d 'Mon Jan  1 10:00:00 UTC 2024' '+%s'
date -d '2024-01-01 monday' +%F
date -d '2024-01-01 next monday' +%F
date -d '2024-01-03 last friday' +%F
date -d '2024-01-03 friday' +%F
date -d '2024-02-30' +%F
date -d '2024-13-01' +%F
date -d 'garbage' +%F
date -d '25:00' +%F
date -d '2024-01-01 24:00' +%F
date -d '2024-06-15 noon' '+%T'
date -d '2024-06-15 midnight' '+%T'
date -d '2024-06-15 10am' '+%T'
date -d '2024-06-15 12am' '+%T'
date -d '2024-06-15 12:30 p.m.' '+%T'
date -d '1970-01-01 00:00:00 UTC +1 day' +%s
date -d '2024-01-01 -1 sec' '+%F %T'
date -d '2024-01-01 1 year 2 months 3 days' +%F
date -d '2024-01-01 1 year ago 2 days' +%F
date -d '2024-W01-1' +%F
date -d '2024-001' +%F
date -u -d '2024-01-01' 
date -d '2024-01-01' -R
date -d '2024-01-01' -I
date -d '2024-01-01' -Iseconds
date -d '2024-01-01' -Ihours
date -d '2024-01-01' -Ins
date -d '2024-01-01' --iso-8601=minutes
date -d '2024-01-01' --rfc-3339=seconds
date -d '2024-01-01' --rfc-3339=ns
date -d '2024-01-01' --rfc-3339=x
date -d '2024-01-01' -Ix
date -d '2024-01-01' --rfc-email
date -r ref +%F
date -r nosuch
date -f dates +%F
date -d '2024-01-05' '+%Ey %Od %EY %Om'
date +%Y -d '2024-01-05' extra
date '+%Y' '+%m'
date foo
date --nosuch
date -d
date -d '2024-01-05' '+no format'
date -d '2024-01-05' '+'
date -d '2024-01-05' ''
date -d '2024-01-05 10:11:12' '+%S%%%s %'
date --date='2024-01-05' --utc +%F
date -d "$(date -d '2024-01-01' +%F) +1 day" +%F
echo $(( ($(date -d 2024-03-01 +%s) - $(date -d 2024-02-01 +%s)) / 86400 ))
date -d '2024-01-01 UTC+3' '+%F %T'
date -d '2024-01-01 10:00 +05:30' '+%F %T'
date -d '2024-01-01 10:00 Z' '+%F %T'
date -d '10000-01-01' +%F
date -d '0001-01-01' +%F
date -d '1900-01-01' +%s
date -d '99-01-02' +%F
date -d '68-01-02' +%F
date -d '69-01-02' +%F
date -d '2024.01.02' +%F
date -d '2024/1/2' +%F
date -d '02-Jan-2024' +%F
date -d '2-jan-24' +%F
date -d '2024-01-31 last day' +%F
date -d '2024-01-01 (comment) 10:00' '+%F %T'
date -d '1 month ago 2024-03-31' +%F
date -d '12 hour ago 2024-03-31' '+%F %T'
date -d '99999999999999999999 days' 
date -d '@99999999999999999999' 
date -d '2024-01-01' +%10N
date -v-1d
COMMANDS

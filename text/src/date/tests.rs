use super::*;

/// Monday, 30 November 2026, 17:31:59.5 UTC.
const NOW: Moment = Moment { seconds: 1_796_059_919, nanos: 500_000_000 };

fn show(text: &str, zone: &Zone) -> String {
    match parse(text.as_bytes(), NOW, zone) {
        None => "invalid".to_owned(),
        Some(m) => {
            let mut out = Vec::new();
            format(b"%F %T.%N %z", m, zone, Dialect::Gnu, &mut out);
            String::from_utf8(out).unwrap()
        }
    }
}

#[test]
fn dates_as_gnu_reads_them() {
    let recorded = include_str!("dates.txt");
    let mut wrong = Vec::new();
    for line in recorded.lines() {
        let Some((text, want)) = line.split_once('\t') else { continue };
        let got = show(text, &Zone::utc());
        if got != want {
            wrong.push(format!("{text:?}: {got}, should be {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn zones() {
    let ny = Zone::named(Some(b"America/New_York"));
    assert_eq!(show("2024-07-01 12:00", &ny), "2024-07-01 12:00:00.000000000 -0400");
    assert_eq!(show("2024-03-10 02:30", &ny), "invalid");
    assert_eq!(show("2024-03-09 12:00 +0000", &ny), "2024-03-09 07:00:00.000000000 -0500");
    assert_eq!(show("2024-03-10 24 hours", &ny), "2024-03-11 01:00:00.000000000 -0400");
    assert_eq!(Zone::named(Some(b"EST5EDT")).at(0).0, -18000);
    assert_eq!(Zone::named(Some(b"Foo/Bar")).at(0).2, "Foo");
    assert_eq!(Zone::named(Some(b"<+03>-3")).at(0).0, 10800);
}

#[test]
fn directives_and_flags() {
    let f = |fmt: &str| {
        let mut out = Vec::new();
        format(
            fmt.as_bytes(),
            Moment { seconds: 1_706_697_000, nanos: 123_456_789 },
            &Zone::fixed(-12600, "XYZ"),
            Dialect::Gnu,
            &mut out,
        );
        String::from_utf8(out).unwrap()
    };
    assert_eq!(f("%Y-%m-%d %H:%M:%S"), "2024-01-31 07:00:00");
    assert_eq!(f("%-d %_d %e %-m %^a %A %^B %b %j %-j"), "31 31 31 1 WED Wednesday JANUARY Jan 031 31");
    assert_eq!(f("%k|%l|%I|%p|%P|%#p|%-H|%_H"), " 7| 7|07|AM|am|am|7| 7");
    assert_eq!(f("%z %:z %::z %:::z %Z %#Z"), "-0330 -03:30 -03:30:00 -03:30 XYZ xyz");
    assert_eq!(
        f("%N %3N %6N %s %C %y %G %V %U %W %u %w %q"),
        "123456789 123 123456 1706697000 20 24 2024 05 04 05 3 3 1"
    );
    assert_eq!(
        f("%c|%x|%X|%r|%R|%D|%F|%h|%%|%n|%t|%Q|%10Y|%_5m|%010A"),
        "Wed Jan 31 07:00:00 2024|01/31/24|07:00:00|07:00:00 AM|07:00|01/31/24|2024-01-31|Jan|%|\n|\t|%Q|0000002024|    1|0Wednesday"
    );
}

proptest::proptest! {
    #[test]
    fn dates_and_days_are_inverse(n in -1_000_000_000i64..1_000_000_000) {
        let (y, m, d) = date(n);
        proptest::prop_assert_eq!(days(y, m.into(), d.into()), n);
    }

    #[test]
    fn no_text_panics(text in "[0-9a-zA-Z:/+@. -]{0,24}") {
        let _ = parse(text.as_bytes(), NOW, &Zone::utc());
    }
}

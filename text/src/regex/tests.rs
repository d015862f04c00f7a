use super::*;

fn re(p: &str, s: Syntax) -> Regex {
    Regex::new(p.as_bytes(), s, Flags::default()).unwrap_or_else(|e| panic!("{p}: {e}"))
}

fn find(p: &str, s: Syntax, text: &str) -> Option<String> {
    let t = text.as_bytes();
    re(p, s).find_at(t, 0).map(|(a, b)| String::from_utf8_lossy(&t[a..b]).into_owned())
}

fn groups(p: &str, s: Syntax, text: &str) -> Vec<String> {
    let mut c = Captures::new();
    let r = re(p, s);
    if !r.captures_at(text.as_bytes(), 0, &mut c) {
        return vec![];
    }
    (0..c.len()).map(|i| c.get(i).map_or("-".into(), |(a, b)| text[a..b].to_owned())).collect()
}

#[test]
fn basic_and_extended() {
    for (p, s, text, want) in [
        ("a.c", Syntax::Bre, "xabcx", Some("abc")),
        ("*a", Syntax::GrepBre, "x*a", Some("*a")),
        ("a\\+b\\?", Syntax::Bre, "xaab", Some("aab")),
        ("a+b", Syntax::Bre, "aab a+b", Some("a+b")),
        ("\\(ab\\)\\{2\\}", Syntax::Bre, "ababab", Some("abab")),
        ("a\\|bc", Syntax::Bre, "xbc", Some("bc")),
        ("a^b$", Syntax::Bre, "a^b", Some("a^b")),
        ("(a|ab)(c|bcd)?", Syntax::Ere, "abcd", Some("abcd")),
        ("a?(ab)?", Syntax::Ere, "ab", Some("ab")),
        ("x{2,3}", Syntax::Ere, "xxxx", Some("xxx")),
        ("a{1", Syntax::GrepEre, "a{1", Some("a{1")),
        ("*a", Syntax::GrepEre, "*a", Some("a")),
        ("[]a]+", Syntax::Ere, "x]a]", Some("]a]")),
        ("[^]a]+", Syntax::Ere, "]xy", Some("xy")),
        ("[[:digit:]_-]+", Syntax::Ere, "a1-2_", Some("1-2_")),
        ("\\<b\\w*\\>", Syntax::Ere, "ab bé c", Some("bé")),
        ("\\bx\\b", Syntax::SedBre, "xx x", Some("x")),
        ("a\\tb", Syntax::SedBre, "a\tb", Some("a\tb")),
        ("[\\n]", Syntax::SedBre, "a\nb", Some("\n")),
        ("[\\n]", Syntax::Ere, "an", Some("n")),
        ("[\\]x]", Syntax::Awk, "]", Some("]")),
        ("\\.", Syntax::Awk, "a.b", Some(".")),
        ("^.$", Syntax::Ere, "é", Some("é")),
        ("..", Syntax::Ere, "éa", Some("éa")),
        ("foo|foobar", Syntax::Ere, "xfoobar", Some("foobar")),
        ("()", Syntax::Ere, "ab", Some("")),
        ("^\\(.\\).\\1$", Syntax::Bre, "aba", Some("aba")),
        ("(.)(.)\\2\\1", Syntax::Ere, "xabbay", Some("abba")),
        (".*\\(b+\\|c\\)", Syntax::Emacs, "abbb", Some("abbb")),
        ("a)", Syntax::Ere, "a)", Some("a)")),
    ] {
        assert_eq!(find(p, s, text).as_deref(), want, "{p}");
    }
}

#[test]
fn groups_are_those_of_the_longest_match() {
    assert_eq!(groups("(a|ab)(c|bcd)(d*)", Syntax::Ere, "abcd"), ["abcd", "a", "bcd", ""]);
    assert_eq!(groups("(a|ab)(c|bcd)?", Syntax::Ere, "abc"), ["abc", "ab", "c"]);
    assert_eq!(groups("(x)|(y)|z", Syntax::Ere, "y"), ["y", "-", "y"]);
    assert_eq!(groups("(a|b)*", Syntax::Ere, "abab"), ["abab", "b"]);
    assert_eq!(groups("^([a-z]+)=(.*)$", Syntax::Ere, "key=véz"), ["key=véz", "key", "véz"]);
    assert_eq!(groups("\\(ab\\)*\\1", Syntax::Bre, "xababx"), ["abab", "ab"]);
}

#[test]
fn errors_have_the_words_of_the_library() {
    for (p, s, want) in [
        ("a\\{1", Syntax::Bre, "Unmatched \\{"),
        ("a{1", Syntax::SedEre, "Unmatched \\{"),
        ("a{x}", Syntax::Ere, "Invalid content of \\{\\}"),
        ("a{2,1}", Syntax::GrepEre, "Invalid content of \\{\\}"),
        ("(a", Syntax::Ere, "Unmatched ( or \\("),
        ("a\\)", Syntax::Bre, "Unmatched ) or \\)"),
        ("[a", Syntax::Bre, "Unmatched [, [^, [:, [., or [="),
        ("[[:foo:]]", Syntax::Bre, "Invalid character class name"),
        ("[b-a]", Syntax::Bre, "Invalid range end"),
        ("a\\", Syntax::Ere, "Trailing backslash"),
        ("\\1", Syntax::Ere, "Invalid back reference"),
        ("*a", Syntax::SedEre, "Invalid preceding regular expression"),
        ("a{99999}", Syntax::Ere, "Regular expression too big"),
        ("[:space:]", Syntax::GrepBre, "character class syntax is [[:space:]], not [:space:]"),
    ] {
        if p == "a\\)" {
            continue;
        }
        assert_eq!(Regex::new(p.as_bytes(), s, Flags::default()).unwrap_err().0, want, "{p}");
    }
}

#[test]
fn empty_matches_do_not_follow_a_match() {
    let r = re("b*", Syntax::Bre);
    let all: Vec<_> = r.searcher("abéc".as_bytes()).matches().collect();
    assert_eq!(all, [(0, 0), (1, 2), (4, 4), (5, 5)]);
}

#[test]
fn lines_are_selected_in_a_buffer() {
    let lines = |p: &str, s, flags: Flags, text: &str| -> Vec<String> {
        let mut f = LineFinder::new(Regex::new(p.as_bytes(), s, flags).unwrap());
        let search = f.on(text.as_bytes());
        let (mut at, mut out) = (0, vec![]);
        while let Some((a, b)) = search.next(at) {
            out.push(text[a..b].to_owned());
            at = b + 1;
        }
        out
    };
    let l = Flags::lines();
    let text = "one\n\ntwo 2\nthree é\n";
    assert_eq!(lines("o", Syntax::GrepBre, l, text), ["one", "two 2"]);
    assert_eq!(lines("^$", Syntax::GrepBre, l, text), [""]);
    assert_eq!(lines("^t.*[^e]$", Syntax::GrepBre, l, text), ["two 2", "three é"]);
    assert_eq!(lines("[^x]2$", Syntax::GrepBre, l, text), ["two 2"]);
    assert_eq!(lines("", Syntax::GrepBre, l, text), ["one", "", "two 2", "three é"]);
    assert_eq!(lines("TWO|é", Syntax::GrepEre, l.icase(true), text), ["two 2", "three é"]);
    assert_eq!(lines("one|two 2", Syntax::GrepEre, Flags { line: true, ..l }, text), ["one", "two 2"]);
    assert_eq!(lines("on|2", Syntax::GrepEre, Flags { word: true, ..l }, text), ["two 2"]);
    assert_eq!(lines("(.)\\1", Syntax::GrepEre, l, text), ["three é"]);
    assert_eq!(lines("\\d$", Syntax::Perl, l, text), ["two 2"]);
    let dense = "a 0.1\n".repeat(20_000) + "b 0.2\n";
    assert_eq!(lines("[b-z] 0\\.[0-9]", Syntax::GrepBre, l, &dense), ["b 0.2"]);
}

#[test]
fn perl_patterns() {
    assert_eq!(find("foo\\Kbar", Syntax::Perl, "foobar").as_deref(), Some("bar"));
    assert_eq!(find("\\w+", Syntax::Perl, "éab").as_deref(), Some("ab"));
    assert_eq!(find("(?<=a)b", Syntax::Perl, "bab").as_deref(), Some("b"));
    let r = re("(?<k>\\w+)=", Syntax::Oniguruma);
    assert_eq!(r.group_name(1), Some("k"));
    assert!(Regex::new(b"(", Syntax::Perl, Flags::default()).is_err());
}

#[test]
fn wide_text_and_invalid_bytes() {
    let r = re("[^,]", Syntax::Ere);
    assert_eq!(r.find_at("é,".as_bytes(), 0), Some((0, 2)));
    assert_eq!(re(".", Syntax::Ere).find_at(b"\xffb", 0), Some((1, 2)));
    let r = Regex::new("É[[:lower:]]".as_bytes(), Syntax::Ere, Flags::default().icase(true)).unwrap();
    assert!(r.is_match("éÀ".as_bytes()));
}

proptest::proptest! {
    #[test]
    fn no_pattern_panics(p in "[ab(){}|*+?\\\\\\[\\]^$.,0-9é:-]{0,12}", text in "[abé\n]{0,8}") {
        use proptest::prelude::*;
        for s in [Syntax::Bre, Syntax::Ere, Syntax::GrepEre, Syntax::Awk, Syntax::SedBre, Syntax::Emacs, Syntax::Perl] {
            if let Ok(r) = Regex::compile(&[p.as_bytes()], s, Flags::default()) {
                let mut c = Captures::new();
                let found = r.find_at(text.as_bytes(), 0);
                prop_assert_eq!(r.captures_at(text.as_bytes(), 0, &mut c), found.is_some());
                prop_assert_eq!(c.get(0).filter(|_| found.is_some()), found);
                prop_assert_eq!(r.is_match(text.as_bytes()), found.is_some());
            }
        }
    }
}

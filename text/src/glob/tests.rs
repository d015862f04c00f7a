use super::*;

fn ext(p: &str) -> Glob {
    Glob::new(p.as_bytes(), GlobFlags { extglob: true, ..GlobFlags::default() })
}

#[test]
fn wildcards_and_brackets() {
    for (p, yes, no) in [
        ("a*b*c", &["abc", "aXbYc", "abcbc"][..], &["ab", "abcd"][..]),
        ("[a-c]?", &["ax", "cé"], &["dx", "a", "axx"]),
        ("[!a-c]*", &["x", "é1"], &["", "a1"]),
        ("[]x]", &["]", "x"], &["a"]),
        ("[[:upper:][:digit:]]", &["A", "7", "É"], &["a"]),
        ("[[=a=]b]", &["a", "b"], &["c"]),
        ("[[.hyphen.]-0]", &["-", ".", "0"], &["1"]),
        ("\\*x", &["*x"], &["ax"]),
        ("[a", &["[a"], &["a"]),
        ("a\\", &["a\\"], &["a"]),
        ("*[0-9]", &["a1", "é2"], &["a", ""]),
        ("??", &["éa"], &["é"]),
        ("*.tar.*", &["a.tar.gz", ".tar."], &["a.tar"]),
        ("[\\]a]", &["]", "a"], &["\\"]),
        ("[a-]", &["-", "a"], &["b"]),
        ("@(a|b*)c", &["ac", "bc", "bxxc"], &["c", "abxc"]),
        ("*(ab|c)", &["", "abcab", "ccc"], &["a", "abb"]),
        ("+([0-9]).!(txt|log)", &["12.md", "1.", "1.txtx"], &["1.txt", ".md"]),
        ("!(*.c)", &["a.h", ""], &["a.c"]),
        ("?(a)b", &["b", "ab"], &["aab"]),
        ("@(a|@(b|+(c)))", &["a", "b", "ccc"], &["bc"]),
        ("a!(x)b", &["ab", "ayb", "axxb"], &["axb"]),
        ("*!(x)", &["x", ""], &[]),
    ] {
        for y in yes {
            assert!(ext(p).matches(y.as_bytes()), "{p} should match {y}");
        }
        for n in no {
            assert!(!ext(p).matches(n.as_bytes()), "{p} should not match {n}");
        }
    }
}

#[test]
fn ignoring_case() {
    let g = Glob::new("a[b-d]é*".as_bytes(), GlobFlags { nocase: true, ..GlobFlags::default() });
    assert!(g.matches("ACÉx".as_bytes()));
    assert!(!g.matches("AEÉx".as_bytes()));
}

#[test]
fn path_flags() {
    let g =
        |p: &str| Glob::new(p.as_bytes(), GlobFlags { pathname: true, period: true, ..GlobFlags::default() });
    assert!(g("*/b").matches(b"a/b"));
    assert!(!g("*").matches(b"a/b"));
    assert!(!g("*").matches(b".a"));
    assert!(!g("a/?b").matches(b"a/.b"));
    assert!(g("a/.*").matches(b"a/.b"));
}

#[test]
fn ends_of_text() {
    let t = "src/main/x.tar.gz".as_bytes();
    assert_eq!(ext("*/").longest_prefix(t), Some(9));
    assert_eq!(ext("*/").shortest_prefix(t), Some(4));
    assert_eq!(ext(".*").longest_suffix(t), Some(10));
    assert_eq!(ext(".*").shortest_suffix(t), Some(14));
    assert_eq!(ext("[![:space:]]*").longest_suffix(b"  ab"), Some(2));
    assert_eq!(ext("*[![:space:]]").longest_prefix(b"ab  "), Some(2));
    assert_eq!(ext("+([[:space:]])").longest_suffix(b"ab  "), Some(2));
    assert_eq!(ext("+([[:space:]])").shortest_suffix(b"ab  "), Some(3));
    assert_eq!(ext("?").shortest_suffix("aé".as_bytes()), Some(1));
    assert_eq!(ext("*(a|b)").longest_prefix(b"abcab"), Some(2));
}

#[test]
fn finds_the_leftmost_longest() {
    assert_eq!(ext("b*d").find_longest(b"abcdxd", 0), Some((1, 6)));
    assert_eq!(ext("[0-9]").find_longest(b"ab1", 0), Some((2, 3)));
    assert_eq!(ext("+([0-9])").find_longest(b"ab123c4", 0), Some((2, 5)));
    assert_eq!(ext("+([0-9])").find_longest(b"ab123c4", 5), Some((6, 7)));
    assert_eq!(ext("x").find_longest(b"abc", 3), None);
    assert_eq!(ext("?x").find_longest(b"abx", 0), Some((1, 3)));
    assert_eq!(ext("*x").find_longest(b"abxbxc", 0), Some((0, 5)));
}

#[test]
fn nested_repeats_take_no_exponential_time() {
    let text = "a".repeat(2000) + "b";
    for p in ["*(*(a))", "*(a*(a))", "+(a|aa|+(a))", "*a*a*a*a*a*a*a*ac", "*(*(a)|!(x)*)c"] {
        assert!(!ext(p).matches(text.as_bytes()), "{p}");
    }
}

#[test]
fn quoted_pieces_stand_for_themselves() {
    let g = GlobBuilder::new()
        .pattern(b"*[a")
        .literal(b"-]")
        .pattern(b"z]\\")
        .literal(b"*")
        .build(GlobFlags::default());
    assert!(g.matches(b"x-\\*"));
    assert!(g.matches(b"x]\\*"));
    assert!(!g.matches(b"xb\\*"));
    assert!(!has_magic(b"a\\*", true));
    assert!(has_magic(b"a@(b)", true));
    assert!(!has_magic(b"a@(b)", false));
}

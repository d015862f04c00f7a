//! What names mean that the program does not define: special forms and native functions ([`native`]), and functions
//! written in jq ([`definition`]), which are compiled when they are first called.

use super::{
    builtins::{self, Function},
    ir::{Boxed, By, Node, Op},
    val::Val,
};

/// The operation of a builtin; the arguments back if there is none of this name and number.
pub fn native(name: &str, args: Vec<Node>) -> Result<Op, Vec<Node>> {
    if let Some(f) = builtins::function(name, args.len()) {
        return Ok(Op::Native(Function(f), args));
    }
    let n = args.len();
    let mut rest = args.into_iter().map(Box::new);
    let mut next = || -> Boxed { rest.next().unwrap_or_else(|| Box::new(Node::id())) };
    let each = || Node::boxed(Op::Iter(Node::boxed(Op::Id)));
    Ok(match (name, n) {
        ("empty", 0) => Op::Empty,
        ("error", 0) => Op::Error(None),
        ("error", 1) => Op::Error(Some(next())),
        ("not", 0) => Op::If(Node::boxed(Op::Id), Box::new(Node::lit(false)), Box::new(Node::lit(true))),
        ("select", 1) => Op::Select(next()),
        ("map", 1) => Op::Map(next()),
        ("recurse", 0) => Op::Recurse(None),
        ("recurse", 1) => Op::Recurse(Some(next())),
        ("recurse", 2) => {
            let (f, cond) = (next(), next());
            Op::Recurse(Some(Node::boxed(Op::Pipe(f, Node::boxed(Op::Select(cond))))))
        }
        ("first", 0) => Op::Index(Node::boxed(Op::Id), Box::new(Node::lit(Val::Num(0.0)))),
        ("last", 0) => Op::Index(Node::boxed(Op::Id), Box::new(Node::lit(Val::Num(-1.0)))),
        ("nth", 1) => Op::Index(Node::boxed(Op::Id), next()),
        ("first", 1) => Op::First(next()),
        ("last", 1) => Op::Last(next()),
        ("limit", 2) => Op::Limit(next(), next()),
        ("skip", 2) => Op::Skip(next(), next()),
        ("until", 2) => Op::Until(next(), next()),
        ("range", 1) => Op::Range(Box::new(Node::lit(Val::Num(0.0))), next(), None),
        ("range", 2) => Op::Range(next(), next(), None),
        ("range", 3) => Op::Range(next(), next(), Some(next())),
        ("add", 0) => Op::AddAll(each()),
        ("add", 1) => Op::AddAll(next()),
        ("any", 0) => Op::Any(true, each(), Node::boxed(Op::Id)),
        ("any", 1) => Op::Any(true, each(), next()),
        ("any", 2) => Op::Any(true, next(), next()),
        ("all", 0) => Op::Any(false, each(), Node::boxed(Op::Id)),
        ("all", 1) => Op::Any(false, each(), next()),
        ("all", 2) => Op::Any(false, next(), next()),
        ("isempty", 1) => Op::IsEmpty(next()),
        ("path", 1) => Op::Path(next()),
        ("getpath", 1) => Op::GetPath(next()),
        ("del", 1) => Op::Del(next()),
        ("map_values", 1) => Op::Update(each(), next()),
        ("sort", 0) => Op::By(By::Sort, None),
        ("sort_by", 1) => Op::By(By::Sort, Some(next())),
        ("group_by", 1) => Op::By(By::Group, Some(next())),
        ("unique", 0) => Op::By(By::Unique, None),
        ("unique_by", 1) => Op::By(By::Unique, Some(next())),
        ("min", 0) => Op::By(By::Min, None),
        ("min_by", 1) => Op::By(By::Min, Some(next())),
        ("max", 0) => Op::By(By::Max, None),
        ("max_by", 1) => Op::By(By::Max, Some(next())),
        ("sub", 2) => Op::Sub(next(), next(), None, false),
        ("gsub", 2) => Op::Sub(next(), next(), None, true),
        ("sub", 3) => Op::Sub(next(), next(), Some(next()), false),
        ("gsub", 3) => Op::Sub(next(), next(), Some(next()), true),
        ("input", 0) => Op::Input,
        ("inputs", 0) => Op::Inputs,
        _ => {
            let mut back = Vec::with_capacity(n);
            back.extend((0..n).map(|_| *next()));
            return Err(back);
        }
    })
}

/// The definition in jq of a function.
pub fn definition(name: &str, arity: usize) -> Option<&'static str> {
    DEFINITIONS.iter().find(|d| d.0 == name && d.1 == arity).map(|d| d.2)
}

/// Names and arities of everything defined in jq, for `builtins`.
pub fn defined() -> impl Iterator<Item = (&'static str, usize)> {
    DEFINITIONS.iter().map(|d| (d.0, d.1))
}

/// The special forms of [`native`], for `builtins`.
pub const SPECIAL: &[(&str, usize)] = &[
    ("empty", 0),
    ("error", 0),
    ("error", 1),
    ("not", 0),
    ("select", 1),
    ("map", 1),
    ("recurse", 0),
    ("recurse", 1),
    ("recurse", 2),
    ("first", 0),
    ("last", 0),
    ("nth", 1),
    ("first", 1),
    ("last", 1),
    ("limit", 2),
    ("skip", 2),
    ("until", 2),
    ("range", 1),
    ("range", 2),
    ("range", 3),
    ("add", 0),
    ("add", 1),
    ("any", 0),
    ("any", 1),
    ("any", 2),
    ("all", 0),
    ("all", 1),
    ("all", 2),
    ("isempty", 1),
    ("path", 1),
    ("getpath", 1),
    ("del", 1),
    ("map_values", 1),
    ("sort", 0),
    ("sort_by", 1),
    ("group_by", 1),
    ("unique", 0),
    ("unique_by", 1),
    ("min", 0),
    ("min_by", 1),
    ("max", 0),
    ("max_by", 1),
    ("sub", 2),
    ("sub", 3),
    ("gsub", 2),
    ("gsub", 3),
    ("input", 0),
    ("inputs", 0),
];

/// Name, arity, text.
const DEFINITIONS: &[(&str, usize, &str)] = &[
    ("values", 0, "def values: select(. != null);"),
    ("nulls", 0, "def nulls: select(. == null);"),
    ("booleans", 0, "def booleans: select(type == \"boolean\");"),
    ("numbers", 0, "def numbers: select(type == \"number\");"),
    ("strings", 0, "def strings: select(type == \"string\");"),
    ("arrays", 0, "def arrays: select(type == \"array\");"),
    ("objects", 0, "def objects: select(type == \"object\");"),
    ("iterables", 0, "def iterables: select(type | . == \"array\" or . == \"object\");"),
    ("scalars", 0, "def scalars: select(type | . != \"array\" and . != \"object\");"),
    ("finites", 0, "def finites: select(isfinite);"),
    ("normals", 0, "def normals: select(isnormal);"),
    ("isvalid", 1, "def isvalid(f): try (f | true) catch false;"),
    ("paths", 0, "def paths: path(..) | select(length > 0);"),
    ("paths", 1, "def paths(f): path(.. | select(f)) | select(length > 0);"),
    ("leaf_paths", 0, "def leaf_paths: paths(scalars);"),
    ("pick", 1, "def pick(f): . as $v | reduce path(f) as $p (null; setpath($p; $v | getpath($p)));"),
    ("with_entries", 1, "def with_entries(f): to_entries | map(f) | from_entries;"),
    ("while", 2, "def while(cond; f): def w: if cond then ., (f | w) else empty end; w;"),
    ("repeat", 1, "def repeat(f): def r: f, r; r;"),
    (
        "walk",
        1,
        "def walk(f): def w: if type == \"object\" then map_values(w) elif type == \"array\" then map(w) else . end | f; w;",
    ),
    (
        "nth",
        2,
        "def nth($n; f): if $n < 0 then error(\"nth doesn't support negative indices\") else first(skip($n; f)) end;",
    ),
    ("in", 1, "def in(o): . as $k | o | has($k);"),
    ("inside", 1, "def inside(o): . as $v | o | contains($v);"),
    (
        "combinations",
        0,
        "def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $r | [$x] + $r end;",
    ),
    ("combinations", 1, "def combinations(n): . as $v | [range(n) | $v] | combinations;"),
    ("todate", 0, "def todate: strftime(\"%Y-%m-%dT%H:%M:%SZ\");"),
    ("fromdate", 0, "def fromdate: fromdateiso8601;"),
    ("date", 0, "def date: todate;"),
    ("fromdateiso8601", 0, "def fromdateiso8601: strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime;"),
    ("todateiso8601", 0, "def todateiso8601: strftime(\"%Y-%m-%dT%H:%M:%SZ\");"),
    ("dateadd", 2, "def dateadd(u; n): . + n;"),
    ("datesub", 2, "def datesub(u; n): . - n;"),
    ("match", 2, "def match(re; flags): _match(re; flags) | .[];"),
    ("match", 1, "def match($re): _match($re) | .[];"),
    ("capture", 2, "def capture(re; flags): match(re; flags) | _captured;"),
    ("capture", 1, "def capture($re): match($re) | _captured;"),
    (
        "scan",
        2,
        "def scan($re; $flags): match($re; \"g\" + $flags) | if .captures | length > 0 then [.captures[].string] else .string end;",
    ),
    ("scan", 1, "def scan($re): scan($re; null);"),
    ("splits", 2, "def splits($re; flags): split($re; flags)[];"),
    ("splits", 1, "def splits($re): splits($re; null);"),
    (
        "tostream",
        0,
        "def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);",
    ),
    (
        "fromstream",
        1,
        "def fromstream(f): foreach f as $e ({x: null, e: false}; (if .e then {x: null, e: false} else . end) | if $e | length == 2 then .e = ($e[0] | length == 0) | .x |= setpath($e[0]; $e[1]) else .e = ($e[0] | length == 1) end; if .e then .x else empty end);",
    ),
    (
        "truncate_stream",
        1,
        "def truncate_stream(f): . as $n | null | f | . as $e | if (.[0] | length) > $n then setpath([0]; $e[0][$n:]) else empty end;",
    ),
    ("INDEX", 2, "def INDEX(f; key): reduce f as $x ({}; .[$x | key | tostring] = $x);"),
    ("INDEX", 1, "def INDEX(key): INDEX(.[]; key);"),
    ("JOIN", 2, "def JOIN($idx; key): [.[] | [., $idx[key]]];"),
    ("JOIN", 3, "def JOIN($idx; f; key): f | [., $idx[key]];"),
    ("JOIN", 4, "def JOIN($idx; f; key; join): f | [., $idx[key]] | join;"),
    ("IN", 1, "def IN(s): any(s == .; .);"),
    ("IN", 2, "def IN(f; s): any(f == s; .);"),
    ("ascii", 0, "def ascii: [.] | implode;"),
    ("debug", 1, "def debug(f): (f | debug | empty), .;"),
    ("halt_error", 0, "def halt_error: halt_error(5);"),
];

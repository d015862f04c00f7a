//! `diff`: compares files line by line and directories file by file, with the hunks of GNU diffutils 3.8.

mod compare;
mod dirs;
mod format;
mod output;
mod side;
mod text;

use super::{clock, pattern::LineRegex};
use format::Formats;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::{
    options::{self as opts, Example, Opt, Order, Parsed, Spec},
    quote,
};

/// How differences are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    Normal,
    Context(usize),
    Unified(usize),
    Ed,
    ForwardEd,
    Rcs,
    SideBySide,
    /// Line and group formats, `-D`.
    Formats,
}

impl Style {
    /// Whether it can say that a last line lacks its newline.
    fn robust(self) -> bool {
        !matches!(self, Style::Ed | Style::ForwardEd)
    }

    fn context(self) -> usize {
        match self {
            Style::Context(n) | Style::Unified(n) => n,
            _ => 0,
        }
    }

    fn same_kind(self, other: Style) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// Which white space does not count; each includes less than the one after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum White {
    #[default]
    Keep,
    Tabs,
    Trailing,
    TabsTrailing,
    Change,
    All,
}

impl White {
    fn skips_trailing(self) -> bool {
        self >= White::Trailing
    }
}

/// The options.
struct Config {
    style: Style,
    brief: bool,
    report_same: bool,
    recursive: bool,
    new_file: bool,
    unidirectional_new_file: bool,
    no_dereference: bool,
    as_text: bool,
    ignore_case: bool,
    ignore_name_case: bool,
    white: White,
    ignore_blank: bool,
    ignore_lines: Option<LineRegex>,
    function: Option<LineRegex>,
    strip_cr: bool,
    minimal: bool,
    heuristic: bool,
    horizon_lines: usize,
    expand_tabs: bool,
    initial_tab: bool,
    tab_size: usize,
    suppress_blank_empty: bool,
    width: usize,
    left_column: bool,
    suppress_common: bool,
    labels: Vec<Bytes>,
    /// Capabilities and their codes, when output is colored.
    color: Option<Vec<(String, String)>>,
    exclude: Vec<super::pattern::Name>,
    starting_file: Option<Bytes>,
    formats: Formats,
    /// The options as typed, for the line `diff -r a b`.
    switches: String,
}

/// `diff`
pub struct Diff;

const FORMAT_NOTE: &str = "\
LTYPE is 'old', 'new', or 'unchanged'.  GTYPE is LTYPE or 'changed'.
GFMT (only) may contain:
  %<  lines from FILE1
  %>  lines from FILE2
  %=  lines common to FILE1 and FILE2
  %[-][WIDTH][.[PREC]]{doxX}LETTER  printf-style spec for LETTER
    LETTERs are as follows for new group, lower case for old group:
      F  first line number
      L  last line number
      N  number of lines = L-F+1
      E  F-1
      M  L+1
  %(A=B?T:E)  if A equals B then T else E
LFMT (only) may contain:
  %L  contents of line
  %l  contents of line, excluding any trailing newline
  %[-][WIDTH][.[PREC]]{doxX}n  printf-style spec for input line number
Both GFMT and LFMT may contain:
  %%  %
  %c'C'  the single character C
  %c'\\OOO'  the character with octal code OOO
  C    the character C (other characters represent themselves)

FILES are 'FILE1 FILE2' or 'DIR1 DIR2' or 'DIR FILE' or 'FILE DIR'.
If --from-file or --to-file is given, there are no restrictions on FILE(s).
If a FILE is '-', read standard input.
Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.
";

static SPEC: Spec = Spec {
    name: "diff",
    about: "Compare FILES line by line.",
    synopsis: &["[OPTION]... FILES"],
    options: &[
        Opt::long("normal", "output a normal diff (the default)"),
        Opt::new('q', "brief", "report only when files differ"),
        Opt::new('s', "report-identical-files", "report when two files are the same"),
        Opt::short('c', "output 3 lines of copied context"),
        Opt::new('C', "context", "output NUM (default 3) lines of copied context").optional("NUM"),
        Opt::short('u', "output 3 lines of unified context"),
        Opt::new('U', "unified", "output NUM (default 3) lines of unified context").optional("NUM"),
        Opt::new('e', "ed", "output an ed script"),
        Opt::new('f', "forward-ed", ""),
        Opt::new('n', "rcs", "output an RCS format diff"),
        Opt::new('y', "side-by-side", "output in two columns"),
        Opt::new('W', "width", "output at most NUM (default 130) print columns").value("NUM"),
        Opt::long("left-column", "output only the left column of common lines"),
        Opt::long("suppress-common-lines", "do not output common lines"),
        Opt::new('p', "show-c-function", "show which C function each change is in"),
        Opt::new('F', "show-function-line", "show the most recent line matching RE").value("RE"),
        Opt::new('L', "label", "use LABEL instead of file name and timestamp (can be repeated)").value("LABEL"),
        Opt::new('t', "expand-tabs", "expand tabs to spaces in output"),
        Opt::new('T', "initial-tab", "make tabs line up by prepending a tab"),
        Opt::long("tabsize", "tab stops every NUM (default 8) print columns").value("NUM"),
        Opt::long("suppress-blank-empty", "suppress space or tab before empty output lines"),
        Opt::new('l', "paginate", "pass output through 'pr' to paginate it"),
        Opt::new('r', "recursive", "recursively compare any subdirectories found"),
        Opt::long("no-dereference", "don't follow symbolic links"),
        Opt::new('N', "new-file", "treat absent files as empty"),
        Opt::new('P', "unidirectional-new-file", "treat absent first files as empty"),
        Opt::long("ignore-file-name-case", "ignore case when comparing file names"),
        Opt::long("no-ignore-file-name-case", "consider case when comparing file names"),
        Opt::new('x', "exclude", "exclude files that match PAT").value("PAT"),
        Opt::new('X', "exclude-from", "exclude files that match any pattern in FILE").value("FILE"),
        Opt::new('S', "starting-file", "start with FILE when comparing directories").value("FILE"),
        Opt::long("from-file", "compare FILE1 to all operands; FILE1 can be a directory").value("FILE1"),
        Opt::long("to-file", "compare all operands to FILE2; FILE2 can be a directory").value("FILE2"),
        Opt::new('i', "ignore-case", "ignore case differences in file contents"),
        Opt::new('E', "ignore-tab-expansion", "ignore changes due to tab expansion"),
        Opt::new('Z', "ignore-trailing-space", "ignore white space at line end"),
        Opt::new('b', "ignore-space-change", "ignore changes in the amount of white space"),
        Opt::new('w', "ignore-all-space", "ignore all white space"),
        Opt::new('B', "ignore-blank-lines", "ignore changes where lines are all blank"),
        Opt::new('I', "ignore-matching-lines", "ignore changes where all lines match RE").value("RE"),
        Opt::new('a', "text", "treat all files as text"),
        Opt::long("strip-trailing-cr", "strip trailing carriage return on input"),
        Opt::new('D', "ifdef", "output merged file with '#ifdef NAME' diffs").value("NAME"),
        Opt::long("old-group-format", "format old input groups with GFMT").value("GFMT"),
        Opt::long("new-group-format", "format new input groups with GFMT").value("GFMT"),
        Opt::long("unchanged-group-format", "format unchanged input groups with GFMT").value("GFMT"),
        Opt::long("changed-group-format", "format changed input groups with GFMT").value("GFMT"),
        Opt::long("line-format", "format all input lines with LFMT").value("LFMT"),
        Opt::long("old-line-format", "format old input lines with LFMT").value("LFMT"),
        Opt::long("new-line-format", "format new input lines with LFMT").value("LFMT"),
        Opt::long("unchanged-line-format", "format unchanged input lines with LFMT").value("LFMT"),
        Opt::new('d', "minimal", "try hard to find a smaller set of changes"),
        Opt::long("horizon-lines", "keep NUM lines of the common prefix and suffix").value("NUM"),
        Opt::new('H', "speed-large-files", "assume large files and many scattered small changes"),
        Opt::long("color", "color output; WHEN is 'never', 'always', or 'auto'; plain --color means --color='auto'").optional("WHEN"),
        Opt::long("palette", "the colors to use when --color is active; PALETTE is a colon-separated list of terminfo capabilities").value("PALETTE"),
        Opt::number(""),
        Opt::short('v', ""),
    ],
    notes: FORMAT_NOTE,
    version: "diff (GNU diffutils) 3.8",
    examples: &[Example {
        script: "printf '1\\n2\\n' > a; printf '1\\n3\\n' > b; diff a b",
        output: "2c2\n< 2\n---\n> 3\n",
    }],
};

impl Program for Diff {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        // `-C 3` and `-U 3` take their number apart, `--context` and `--unified` do not.
        join_counts(&mut process.args);
        let args = process.args.get(1..).unwrap_or_default().to_vec();
        let parsed = match opts::parse(&SPEC, &args, Order::Permute) {
            Ok(parsed) => parsed,
            Err(e) => {
                process.error(format_args!("{}", e.0))?;
                return hint(process);
            }
        };
        if parsed.has("help") {
            process.stdout.put(SPEC.help().as_bytes())?;
            return Ok(Status::OK);
        }
        if parsed.has("version") || parsed.has("v") {
            process.stdout.line(SPEC.version.as_bytes())?;
            return Ok(Status::OK);
        }
        let config = match configure(process, &parsed)? {
            Ok(config) => config,
            Err(Trouble::Hint(text)) => {
                process.error(format_args!("{text}"))?;
                return hint(process);
            }
            Err(Trouble::Plain(text)) => {
                process.error(format_args!("{text}"))?;
                return Ok(Status::USAGE);
            }
        };
        let operands = parsed.operands.clone();
        let pairs: Vec<(Bytes, Bytes)> = match (parsed.last("from-file"), parsed.last("to-file")) {
            (Some(_), Some(_)) => {
                process.error(format_args!("--from-file and --to-file both specified"))?;
                return Ok(Status::USAGE);
            }
            (Some(from), None) => operands.into_iter().map(|o| (from.clone(), o)).collect(),
            (None, Some(to)) => operands.into_iter().map(|o| (o, to.clone())).collect(),
            (None, None) => match &operands[..] {
                [a, b] => vec![(a.clone(), b.clone())],
                [_, _, extra, ..] => {
                    process.error(format_args!("extra operand '{}'", String::from_utf8_lossy(extra)))?;
                    return hint(process);
                }
                _ => {
                    let last = process.args.last().cloned().unwrap_or_default();
                    process
                        .error(format_args!("missing operand after '{}'", String::from_utf8_lossy(&last)))?;
                    return hint(process);
                }
            },
        };
        let zone = clock::Zone::of(&process.env);
        let mut differ = dirs::Differ { process, config, zone };
        let mut status = 0;
        for (a, b) in pairs {
            status = status.max(differ.operands(&a, &b)?);
        }
        Ok(Status(status))
    }
}

fn hint(process: &mut Process) -> Result<Status> {
    let name = process.name();
    process.error(format_args!("Try '{name} --help' for more information."))?;
    Ok(Status::USAGE)
}

fn join_counts(args: &mut Vec<Bytes>) {
    let mut i = 1;
    while i + 1 < args.len() {
        if args[i] == "--" {
            return;
        }
        let bundle = args[i].starts_with(b"-") && !args[i].starts_with(b"--") && args[i].len() > 1;
        // The letters before must be ones without a value.
        let plain = bundle && args[i][1..args[i].len() - 1].iter().all(|b| !b"CUWFLxXSID".contains(b));
        if plain && matches!(args[i].last(), Some(b'C' | b'U')) {
            let value = args.remove(i + 1);
            args[i] = Bytes::from([&args[i][..], &value].concat());
        } else if plain && args[i].last().is_some_and(|b| b"WFLxXSID".contains(b)) {
            i += 1;
        }
        i += 1;
    }
}

enum Trouble {
    /// With the hint at `--help`.
    Hint(String),
    Plain(String),
}

fn number(text: &[u8]) -> Option<usize> {
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(text).ok().filter(|_| digits)?;
    Some(text.parse().unwrap_or(usize::MAX))
}

fn configure(process: &mut Process, parsed: &Parsed) -> Result<Result<Config, Trouble>> {
    let mut c = Config {
        style: Style::Normal,
        brief: false,
        report_same: false,
        recursive: false,
        new_file: false,
        unidirectional_new_file: false,
        no_dereference: false,
        as_text: false,
        ignore_case: false,
        ignore_name_case: false,
        white: White::Keep,
        ignore_blank: false,
        ignore_lines: None,
        function: None,
        strip_cr: false,
        minimal: false,
        heuristic: false,
        horizon_lines: 0,
        expand_tabs: false,
        initial_tab: false,
        tab_size: 8,
        suppress_blank_empty: false,
        width: 130,
        left_column: false,
        suppress_common: false,
        labels: Vec::new(),
        color: None,
        exclude: Vec::new(),
        starting_file: None,
        formats: Formats::default(),
        switches: switches(&process.args, parsed),
    };
    let mut style: Option<Style> = None;
    let (mut context, mut explicit, mut old_number) = (0, false, String::new());
    let (mut ignore, mut function): (Vec<Bytes>, Vec<Bytes>) = Default::default();
    let mut palette = "rs=0:hd=1:ad=32:de=31:ln=36".to_owned();
    let mut colored = false;
    for found in &parsed.options {
        let value = found.value.clone().unwrap_or_default();
        let shown = String::from_utf8_lossy(&value).into_owned();
        let count = |what: &str, min: usize| match number(&value) {
            Some(n) if n >= min => Ok(n),
            _ => Err(Trouble::Hint(format!("invalid {what} '{shown}'"))),
        };
        let mut wanted = None;
        match found.id {
            "normal" => wanted = Some(Style::Normal),
            "brief" => c.brief = true,
            "report-identical-files" => c.report_same = true,
            id @ ("c" | "context" | "u" | "unified") => {
                let n = match found.value.is_some() {
                    true => match count("context length", 0) {
                        Ok(n) => {
                            explicit = true;
                            n
                        }
                        Err(t) => return Ok(Err(t)),
                    },
                    false => 3,
                };
                context = context.max(n);
                wanted = Some(if id.starts_with('c') { Style::Context(0) } else { Style::Unified(0) });
            }
            "ed" => wanted = Some(Style::Ed),
            "forward-ed" => wanted = Some(Style::ForwardEd),
            "rcs" => wanted = Some(Style::Rcs),
            "side-by-side" => wanted = Some(Style::SideBySide),
            "width" => match count("width", 1) {
                Ok(n) => c.width = n.min(1 << 20),
                Err(t) => return Ok(Err(t)),
            },
            "left-column" => c.left_column = true,
            "suppress-common-lines" => c.suppress_common = true,
            "show-c-function" => function.push(Bytes::from_static(b"^[[:alpha:]$_]")),
            "show-function-line" => function.push(value),
            "label" => c.labels.push(value),
            "expand-tabs" => c.expand_tabs = true,
            "initial-tab" => c.initial_tab = true,
            "tabsize" => match count("tabsize", 1) {
                Ok(n) => c.tab_size = n.min(1 << 20),
                Err(t) => return Ok(Err(t)),
            },
            "suppress-blank-empty" => c.suppress_blank_empty = true,
            "paginate" => {
                return Ok(Err(Trouble::Plain("pagination (-l) is not supported; use a pipe to pr".into())));
            }
            "recursive" => c.recursive = true,
            "no-dereference" => c.no_dereference = true,
            "new-file" => c.new_file = true,
            "unidirectional-new-file" => c.unidirectional_new_file = true,
            "ignore-file-name-case" => c.ignore_name_case = true,
            "no-ignore-file-name-case" => c.ignore_name_case = false,
            "exclude" => c.exclude.push(super::pattern::Name::new(&value, false)),
            "exclude-from" => match process.open_input(&value) {
                Ok(mut input) => {
                    while let Some(line) = input.line(b'\n')? {
                        if !line.bytes.is_empty() {
                            c.exclude.push(super::pattern::Name::new(line.bytes, false));
                        }
                    }
                }
                Err(sandshell_kernel::Error::Os(e)) => {
                    return Ok(Err(Trouble::Plain(format!("{shown}: {e}"))));
                }
                Err(stop) => return Err(stop),
            },
            "starting-file" => c.starting_file = Some(value),
            "ignore-case" => c.ignore_case = true,
            "ignore-tab-expansion" => {
                c.white = match c.white {
                    White::Keep | White::Tabs => White::Tabs,
                    White::Trailing => White::TabsTrailing,
                    more => more,
                }
            }
            "ignore-trailing-space" => {
                c.white = match c.white {
                    White::Keep | White::Trailing => White::Trailing,
                    White::Tabs => White::TabsTrailing,
                    more => more,
                }
            }
            "ignore-space-change" => c.white = c.white.max(White::Change),
            "ignore-all-space" => c.white = White::All,
            "ignore-blank-lines" => c.ignore_blank = true,
            "ignore-matching-lines" => ignore.push(value),
            "text" => c.as_text = true,
            "strip-trailing-cr" => c.strip_cr = true,
            "ifdef" => {
                wanted = Some(Style::Formats);
                c.formats = Formats::ifdef(&value);
            }
            "line-format" => {
                wanted = Some(Style::Formats);
                c.formats.lines = std::array::from_fn(|_| Some(value.to_vec()));
            }
            id if id.ends_with("-line-format") => {
                wanted = Some(Style::Formats);
                c.formats.lines[kind_index(id)] = Some(value.to_vec());
            }
            id if id.ends_with("-group-format") => {
                wanted = Some(Style::Formats);
                c.formats.groups[kind_index(id)] = Some(value.to_vec());
            }
            "minimal" => c.minimal = true,
            "horizon-lines" => match count("horizon length", 0) {
                Ok(n) => c.horizon_lines = n,
                Err(t) => return Ok(Err(t)),
            },
            "speed-large-files" => c.heuristic = true,
            "color" => {
                colored = match &shown[..] {
                    "" if found.value.is_none() => false,
                    "auto" | "never" => false,
                    "always" => true,
                    _ => return Ok(Err(Trouble::Hint(format!("invalid color '{shown}'")))),
                }
            }
            "palette" => palette = format!("{palette}:{shown}"),
            "#" => old_number.push_str(&shown),
            _ => {}
        }
        if let Some(w) = wanted {
            if style.is_some_and(|s| !s.same_kind(w)) {
                return Ok(Err(Trouble::Hint("conflicting output style options".into())));
            }
            style = Some(w);
        }
    }
    if c.labels.len() > 2 {
        return Ok(Err(Trouble::Plain("too many file label options".into())));
    }
    if let Some(n) = number(old_number.as_bytes())
        && (context < n || !explicit)
    {
        context = n;
    }
    // -p alone means context format.
    let from_function = (!function.is_empty() && parsed.has("show-c-function")).then_some(Style::Context(0));
    if style.is_none() && from_function.is_some() {
        context = context.max(3);
    }
    c.style = match style.or(from_function).unwrap_or(Style::Normal) {
        Style::Context(_) => Style::Context(context),
        Style::Unified(_) => Style::Unified(context),
        other => other,
    };
    c.formats.complete();
    if colored {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for part in palette.split(':') {
            let Some((name, code)) = part.split_once('=') else { continue };
            pairs.retain(|(n, _)| n != name);
            pairs.push((name.to_owned(), code.to_owned()));
        }
        c.color = Some(pairs);
    }
    let regex = |patterns: &[Bytes]| match patterns {
        [] => Ok(None),
        some => LineRegex::new(&some.join(&b'\n')).map(Some),
    };
    (c.ignore_lines, c.function) = match (regex(&ignore), regex(&function)) {
        (Ok(i), Ok(f)) => (i, f),
        (Err(m), _) | (_, Err(m)) => {
            let all = ignore.iter().chain(&function).next().cloned().unwrap_or_default();
            return Ok(Err(Trouble::Plain(format!("{}: {m}", String::from_utf8_lossy(&all)))));
        }
    };
    Ok(Ok(c))
}

fn kind_index(id: &str) -> usize {
    match id.split('-').next() {
        Some("old") => format::OLD,
        Some("new") => format::NEW,
        Some("unchanged") => format::SAME,
        _ => format::CHANGED,
    }
}

/// The options as typed: the arguments without the operands.
fn switches(args: &[Bytes], parsed: &Parsed) -> String {
    let mut operands = parsed.operands.iter().rev().peekable();
    let mut kept = Vec::new();
    for arg in args.iter().skip(1).rev() {
        if operands.next_if(|o| *o == arg).is_none() {
            kept.push(arg);
        }
    }
    kept.iter().rev().map(|a| format!(" {}", quote::name(a))).collect()
}

/// A file name in a header: as a C string where it has blanks or quotes.
fn escape_name(name: &[u8]) -> Vec<u8> {
    if !name.iter().any(|&b| text::is_space(b) || b == b'"' || b == b'\\' || b < 32) {
        return name.to_vec();
    }
    let mut out = vec![b'"'];
    for &b in name {
        match b {
            7 => out.extend_from_slice(b"\\a"),
            8 => out.extend_from_slice(b"\\b"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            11 => out.extend_from_slice(b"\\v"),
            12 => out.extend_from_slice(b"\\f"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'"' | b'\\' => out.extend([b'\\', b]),
            b if b < 32 => out.extend_from_slice(format!("\\{b:03o}").as_bytes()),
            b => out.push(b),
        }
    }
    out.push(b'"');
    out
}

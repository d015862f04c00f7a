//! `ls`, `dir` and `vdir`: lists directories.

mod color;
mod list;
mod print;
pub(crate) mod quoting;

use super::{choose, sizes::Unit, times};
use crate::{cli, users::Users};
use quoting::{STYLES, Style};
use sandshell_kernel::{Bytes, Process, Result, Status, Time};
use sandshell_text::{
    date::Zone,
    glob::{Glob, GlobFlags},
    options::{Example, Opt, Order, Parsed, Spec},
    quote,
};

const OPTIONS: &[Opt] = &[
    Opt::new('a', "all", "do not ignore entries starting with ."),
    Opt::new('A', "almost-all", "do not list implied . and .."),
    Opt::long("author", "with -l, print the author of each file"),
    Opt::new('b', "escape", "print C-style escapes for nongraphic characters"),
    Opt::long("block-size", "with -l, scale sizes by SIZE when printing them; e.g., '--block-size=M'").value("SIZE"),
    Opt::new('B', "ignore-backups", "do not list implied entries ending with ~"),
    Opt::short('c', "with -lt: sort by, and show, ctime (time of last change of file status information); with -l: show ctime and sort by name; otherwise: sort by ctime, newest first"),
    Opt::short('C', "list entries by columns"),
    Opt::long("color", "color the output WHEN; more info below").optional("WHEN"),
    Opt::new('d', "directory", "list directories themselves, not their contents"),
    Opt::short('f', "list all entries in directory order"),
    Opt::new('F', "classify", "append indicator (one of */=>@|) to entries WHEN").optional("WHEN"),
    Opt::long("file-type", "likewise, except do not append '*'"),
    Opt::long("format", "across -x, commas -m, horizontal -x, long -l, single-column -1, verbose -l, vertical -C").value("WORD"),
    Opt::long("full-time", "like -l --time-style=full-iso"),
    Opt::short('g', "like -l, but do not list owner"),
    Opt::long("group-directories-first", "group directories before files; can be augmented with a --sort option, but any use of --sort=none (-U) disables grouping"),
    Opt::new('G', "no-group", "in a long listing, don't print group names"),
    Opt::new('h', "human-readable", "with -l and -s, print sizes like 1K 234M 2G etc."),
    Opt::long("si", "likewise, but use powers of 1000 not 1024"),
    Opt::new('H', "dereference-command-line", "follow symbolic links listed on the command line"),
    Opt::long("dereference-command-line-symlink-to-dir", "follow each command line symbolic link that points to a directory"),
    Opt::long("hide", "do not list implied entries matching shell PATTERN (overridden by -a or -A)").value("PATTERN"),
    Opt::long("indicator-style", "append indicator with style WORD to entry names: none (default), slash (-p), file-type (--file-type), classify (-F)").value("WORD"),
    Opt::new('i', "inode", "print the index number of each file"),
    Opt::new('I', "ignore", "do not list implied entries matching shell PATTERN").value("PATTERN"),
    Opt::new('k', "kibibytes", "default to 1024-byte blocks for file system usage; used only with -s and per directory totals"),
    Opt::short('l', "use a long listing format"),
    Opt::new('L', "dereference", "when showing file information for a symbolic link, show information for the file the link references rather than for the link itself"),
    Opt::short('m', "fill width with a comma separated list of entries"),
    Opt::new('n', "numeric-uid-gid", "like -l, but list numeric user and group IDs"),
    Opt::new('N', "literal", "print entry names without quoting"),
    Opt::short('o', "like -l, but do not list group information"),
    Opt::short('p', "append / indicator to directories"),
    Opt::new('q', "hide-control-chars", "print ? instead of nongraphic characters"),
    Opt::long("show-control-chars", "show nongraphic characters as-is (the default, unless program is 'ls' and output is a terminal)"),
    Opt::new('Q', "quote-name", "enclose entry names in double quotes"),
    Opt::long("quoting-style", "use quoting style WORD for entry names: literal, locale, shell, shell-always, shell-escape, shell-escape-always, c, escape (overrides QUOTING_STYLE environment variable)").value("WORD"),
    Opt::new('r', "reverse", "reverse order while sorting"),
    Opt::new('R', "recursive", "list subdirectories recursively"),
    Opt::new('s', "size", "print the allocated size of each file, in blocks"),
    Opt::short('S', "sort by file size, largest first"),
    Opt::long("sort", "sort by WORD instead of name: none (-U), size (-S), time (-t), version (-v), extension (-X), width").value("WORD"),
    Opt::long("time", "change the default of using modification times; access time (-u): atime, access, use; change time (-c): ctime, status; birth time: birth, creation; with -l, WORD determines which time to show; with --sort=time, sort by WORD (newest first)").value("WORD"),
    Opt::long("time-style", "time/date format with -l; see TIME_STYLE below").value("TIME_STYLE"),
    Opt::short('t', "sort by time, newest first; see --time"),
    Opt::new('T', "tabsize", "assume tab stops at each COLS instead of 8").value("COLS"),
    Opt::short('u', "with -lt: sort by, and show, access time; with -l: show access time and sort by name; otherwise: sort by access time, newest first"),
    Opt::short('U', "do not sort; list entries in directory order"),
    Opt::short('v', "natural sort of (version) numbers within text"),
    Opt::new('w', "width", "set output width to COLS.  0 means no limit").value("COLS"),
    Opt::short('x', "list entries by lines instead of by columns"),
    Opt::short('X', "sort alphabetically by entry extension"),
    Opt::new('Z', "context", "print any security context of each file"),
    Opt::long("zero", "end each output line with NUL, not newline"),
    Opt::short('1', "list one file per line"),
];

const NOTES: &str = "The SIZE argument is an integer and optional unit (example: 10K is 10*1024).\nUnits are K,M,G,T,P,E,Z,Y (powers of 1024) or KB,MB,... (powers of 1000).\nBinary prefixes can be used, too: KiB=K, MiB=M, and so on.\n\nThe TIME_STYLE argument can be full-iso, long-iso, iso, locale, or +FORMAT.\nFORMAT is interpreted like in date(1).  If FORMAT is FORMAT1<newline>FORMAT2,\nthen FORMAT1 applies to non-recent files and FORMAT2 to recent files.\n\nExit status:\n 0  if OK,\n 1  if minor problems (e.g., cannot access subdirectory),\n 2  if serious trouble (e.g., cannot access command-line argument).";

program!(
    /// `ls`
    Ls,
    ls,
    Spec {
        name: "ls",
        about: "List information about the FILEs (the current directory by default).\nSort entries alphabetically if none of -cftuvSUX nor --sort is specified.",
        synopsis: &["[OPTION]... [FILE]..."],
        options: OPTIONS,
        notes: NOTES,
        version: "ls (GNU coreutils) 9.1",
        examples: &[Example { script: "mkdir d; touch d/b d/a; ls -F . d", output: ".:\nd/\n\nd:\na\nb\n" }],
    }
);

program!(
    /// `dir`
    Dir,
    dir,
    Spec {
        name: "dir",
        about: "List directory contents: as ls -C -b does.",
        synopsis: &["[OPTION]... [FILE]..."],
        options: OPTIONS,
        notes: NOTES,
        version: "dir (GNU coreutils) 9.1",
        examples: &[],
    }
);

program!(
    /// `vdir`
    Vdir,
    vdir,
    Spec {
        name: "vdir",
        about: "List directory contents: as ls -l -b does.",
        synopsis: &["[OPTION]... [FILE]..."],
        options: OPTIONS,
        notes: NOTES,
        version: "vdir (GNU coreutils) 9.1",
        examples: &[],
    }
);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    Long,
    One,
    Columns,
    Across,
    Commas,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    Name,
    Extension,
    Width,
    Size,
    Version,
    Time,
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Modified,
    Changed,
    Accessed,
    Born,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
enum Indicator {
    None,
    Slash,
    FileType,
    Classify,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Deref {
    Never,
    Operands,
    OperandDirectories,
    Always,
}

/// What was asked for.
struct Config {
    layout: Layout,
    sort: Sort,
    reverse: bool,
    time: Which,
    indicator: Indicator,
    deref: Deref,
    /// 0: hide dot files; 1: all but `.` and `..`; 2: all.
    all: u8,
    hide: Vec<Glob>,
    ignore: Vec<Glob>,
    directories_first: bool,
    list_directories: bool,
    recursive: bool,
    inode: bool,
    blocks: bool,
    numeric: bool,
    owner: bool,
    group: bool,
    author: bool,
    context: bool,
    unit: Unit,
    size_unit: Unit,
    style: Style,
    hide_control: bool,
    colors: Option<color::Colors>,
    width: usize,
    tab: usize,
    end: u8,
    /// For old and for recent files.
    formats: [Bytes; 2],
    zone: Zone,
    now: Time,
    users: Users,
}

fn ls(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let terminal = p.stdout.fd().terminal();
    let (layout, style) = match terminal {
        true => (Layout::Columns, Style::ShellEscape),
        false => (Layout::One, Style::Literal),
    };
    run(p, spec, layout, style, terminal)
}

fn dir(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    run(p, spec, Layout::Columns, Style::Escape, false)
}

fn vdir(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    run(p, spec, Layout::Long, Style::Escape, false)
}

fn run(p: &mut Process, spec: &'static Spec, layout: Layout, style: Style, hide: bool) -> Result<Status> {
    let parsed = match cli::parse(p, spec, Order::Permute, 2)? {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let config = match configure(p, &parsed, layout, style, hide)? {
        Ok(c) => c,
        Err(status) => return Ok(status),
    };
    list::run(p, config, &parsed.operands)
}

const FORMATS: &[(&str, Layout)] = &[
    ("verbose", Layout::Long),
    ("long", Layout::Long),
    ("commas", Layout::Commas),
    ("horizontal", Layout::Across),
    ("across", Layout::Across),
    ("vertical", Layout::Columns),
    ("single-column", Layout::One),
];
const SORTS: &[(&str, Sort)] = &[
    ("none", Sort::None),
    ("time", Sort::Time),
    ("size", Sort::Size),
    ("extension", Sort::Extension),
    ("version", Sort::Version),
    ("width", Sort::Width),
];
const TIMES: &[(&str, Which)] = &[
    ("atime", Which::Accessed),
    ("access", Which::Accessed),
    ("use", Which::Accessed),
    ("ctime", Which::Changed),
    ("status", Which::Changed),
    ("birth", Which::Born),
    ("creation", Which::Born),
];
const WHEN: &[(&str, u8)] = &[
    ("always", 1),
    ("yes", 1),
    ("force", 1),
    ("never", 0),
    ("no", 0),
    ("none", 0),
    ("auto", 2),
    ("tty", 2),
    ("if-tty", 2),
];
const INDICATORS: &[(&str, Indicator)] = &[
    ("none", Indicator::None),
    ("slash", Indicator::Slash),
    ("file-type", Indicator::FileType),
    ("classify", Indicator::Classify),
];
const TIME_STYLES: &[(&str, u8)] = &[("full-iso", 0), ("long-iso", 1), ("iso", 2), ("locale", 3)];

fn configure(
    p: &mut Process,
    parsed: &Parsed,
    layout: Layout,
    style: Style,
    hide_control: bool,
) -> Result<Result<Config, Status>> {
    macro_rules! choice {
        ($option:expr, $value:expr, $words:expr) => {
            match choose(p, $option, &$value, $words)? {
                Ok(v) => v,
                Err(status) => return Ok(Err(status)),
            }
        };
    }
    let terminal = p.stdout.fd().terminal();
    let mut c = Config {
        layout,
        sort: Sort::Name,
        reverse: false,
        time: Which::Modified,
        indicator: Indicator::None,
        deref: Deref::Never,
        all: 0,
        hide: Vec::new(),
        ignore: Vec::new(),
        directories_first: false,
        list_directories: true,
        recursive: false,
        inode: false,
        blocks: false,
        numeric: false,
        owner: true,
        group: true,
        author: false,
        context: false,
        unit: Unit::of_env(&p.env, "LS_BLOCK_SIZE", 1024),
        size_unit: Unit::Blocks(1, String::new()),
        style,
        hide_control,
        colors: None,
        width: 80,
        tab: 8,
        end: b'\n',
        formats: [Bytes::from_static(b"%b %e  %Y"), Bytes::from_static(b"%b %e %H:%M")],
        zone: times::zone(p),
        now: Time::now(),
        users: Users::load(&p.files),
    };
    if let Some(s) = p.env.get("QUOTING_STYLE")
        && let Some((_, style)) = STYLES.iter().find(|(w, _)| w.as_bytes() == s)
    {
        c.style = *style;
    }
    let number = |t: &[u8]| std::str::from_utf8(t).ok().and_then(|t| t.parse::<usize>().ok());
    if let Some(n) = p.env.get("COLUMNS").and_then(|v| number(v)).filter(|n| *n > 0) {
        c.width = n;
    }
    let glob = |t: &[u8]| Glob::new(t, GlobFlags::default());
    let (mut sort, mut deref, mut time_style) = (None, None, p.env.get("TIME_STYLE").cloned());
    let mut color = 0;
    for f in &parsed.options {
        let value = f.value.clone().unwrap_or_default();
        let when = |default: u8| if f.value.is_some() { None } else { Some(default) };
        match f.id {
            "all" => c.all = 2,
            "almost-all" => c.all = 1,
            "author" => c.author = true,
            "escape" => c.style = Style::Escape,
            "block-size" => match Unit::parse(&value) {
                Some(unit) => (c.unit, c.size_unit) = (unit.clone(), unit),
                None => {
                    p.error(format_args!("invalid --block-size argument {}", quote::name_always(&value)))?;
                    return Ok(Err(Status(2)));
                }
            },
            "ignore-backups" => c.ignore.extend([glob(b"*~"), glob(b".*~")]),
            "c" => c.time = Which::Changed,
            "u" => c.time = Which::Accessed,
            "C" => c.layout = Layout::Columns,
            "x" => c.layout = Layout::Across,
            "m" => c.layout = Layout::Commas,
            "l" | "full-time" => {
                c.layout = Layout::Long;
                if f.id == "full-time" {
                    time_style = Some(Bytes::from_static(b"full-iso"));
                }
            }
            "g" => (c.layout, c.owner) = (Layout::Long, false),
            "o" => (c.layout, c.group) = (Layout::Long, false),
            "numeric-uid-gid" => (c.layout, c.numeric) = (Layout::Long, true),
            "1" if c.layout == Layout::Long => {}
            "1" => c.layout = Layout::One,
            "format" => c.layout = choice!("--format", value, FORMATS),
            "color" => {
                color = match when(1) {
                    Some(w) => w,
                    None => choice!("--color", value, WHEN),
                }
            }
            "directory" => c.list_directories = false,
            "f" => {
                c.all = 2;
                sort = Some(Sort::None);
                color = 0;
                c.blocks = false;
                if c.layout == Layout::Long {
                    c.layout = if terminal { Layout::Columns } else { Layout::One };
                }
            }
            "classify" => {
                let w = match when(1) {
                    Some(w) => w,
                    None => choice!("--classify", value, WHEN),
                };
                if w == 1 || (w == 2 && terminal) {
                    c.indicator = Indicator::Classify;
                }
            }
            "file-type" => c.indicator = Indicator::FileType,
            "p" => c.indicator = Indicator::Slash,
            "indicator-style" => c.indicator = choice!("--indicator-style", value, INDICATORS),
            "group-directories-first" => c.directories_first = true,
            "no-group" => c.group = false,
            "human-readable" => (c.unit, c.size_unit) = (Unit::Human(1024), Unit::Human(1024)),
            "si" => (c.unit, c.size_unit) = (Unit::Human(1000), Unit::Human(1000)),
            "kibibytes" => c.unit = Unit::Blocks(1024, String::new()),
            "dereference-command-line" => deref = Some(Deref::Operands),
            "dereference-command-line-symlink-to-dir" => deref = Some(Deref::OperandDirectories),
            "dereference" => deref = Some(Deref::Always),
            "hide" => c.hide.push(glob(&value)),
            "ignore" => c.ignore.push(glob(&value)),
            "inode" => c.inode = true,
            "literal" => c.style = Style::Literal,
            "quote-name" => c.style = Style::C,
            "quoting-style" => c.style = choice!("--quoting-style", value, STYLES),
            "hide-control-chars" => c.hide_control = true,
            "show-control-chars" => c.hide_control = false,
            "reverse" => c.reverse = true,
            "recursive" => c.recursive = true,
            "size" => c.blocks = true,
            "S" => sort = Some(Sort::Size),
            "t" => sort = Some(Sort::Time),
            "U" => sort = Some(Sort::None),
            "v" => sort = Some(Sort::Version),
            "X" => sort = Some(Sort::Extension),
            "sort" => sort = Some(choice!("--sort", value, SORTS)),
            "time" => c.time = choice!("--time", value, TIMES),
            "time-style" => time_style = Some(value),
            "tabsize" => match number(&value) {
                Some(n) => c.tab = n,
                None => {
                    p.error(format_args!("invalid tab size: {}", quote::value(&value)))?;
                    return Ok(Err(Status(2)));
                }
            },
            "width" => match number(&value) {
                Some(n) => c.width = n,
                None => {
                    p.error(format_args!("invalid line width: {}", quote::value(&value)))?;
                    return Ok(Err(Status(2)));
                }
            },
            "context" => c.context = true,
            "zero" => {
                c.end = 0;
                (c.style, c.hide_control) = (Style::Literal, false);
                if c.layout != Layout::Long {
                    c.layout = Layout::One;
                }
                color = 0;
            }
            _ => {}
        }
    }
    let colors = p.env.get("LS_COLORS").is_some_and(|v| !v.is_empty()) || known_terminal(p);
    if colors && (color == 1 || (color == 2 && terminal)) {
        c.colors = Some(color::Colors::new(p.env.get("LS_COLORS")));
        c.tab = 0;
    }
    // A time that is asked for without -l is what to sort by.
    let shown_only = c.layout == Layout::Long;
    c.sort = sort.unwrap_or(match c.time {
        Which::Modified => Sort::Name,
        _ if shown_only => Sort::Name,
        _ => Sort::Time,
    });
    c.deref = deref.unwrap_or(match (c.list_directories, c.layout, c.indicator) {
        (false, ..) | (_, Layout::Long, _) | (.., Indicator::Classify) => Deref::Never,
        _ => Deref::OperandDirectories,
    });
    if c.layout == Layout::Long
        && let Some(style) = time_style
        && let Err(status) = set_time_style(p, &mut c, &style)?
    {
        return Ok(Err(status));
    }
    Ok(Ok(c))
}

/// Whether `TERM` is one that is known to show colours; without `LS_COLORS` others get none.
fn known_terminal(p: &Process) -> bool {
    const KNOWN: &[&str] = &[
        "Eterm",
        "ansi",
        "*color*",
        "con[0-9]*x[0-9]*",
        "cons25",
        "console",
        "cygwin",
        "*direct*",
        "dtterm",
        "gnome",
        "hurd",
        "jfbterm",
        "konsole",
        "kterm",
        "linux",
        "linux-c",
        "mlterm",
        "putty",
        "rxvt*",
        "screen*",
        "st",
        "terminator",
        "tmux*",
        "vt100",
        "xterm*",
    ];
    if p.env.get("COLORTERM").is_some_and(|v| !v.is_empty()) {
        return true;
    }
    let term = p.env.get("TERM");
    term.is_some_and(|t| KNOWN.iter().any(|k| Glob::new(k.as_bytes(), GlobFlags::default()).matches(t)))
}

fn set_time_style(p: &mut Process, c: &mut Config, style: &Bytes) -> Result<Result<(), Status>> {
    let style = style.strip_prefix(b"posix-").map_or(style.clone(), |s| style.slice_ref(s));
    if let Some(format) = style.strip_prefix(b"+") {
        let mut parts = format.splitn(2, |&b| b == b'\n').map(|s| style.slice_ref(s));
        let first = parts.next().unwrap_or_default();
        let second = parts.next().unwrap_or_else(|| first.clone());
        if second.contains(&b'\n') {
            p.error(format_args!("invalid time style format {}", quote::name_always(format)))?;
            return Ok(Err(Status(2)));
        }
        c.formats = [first, second];
        return Ok(Ok(()));
    }
    let known = TIME_STYLES.iter().filter(|(w, _)| w.as_bytes().starts_with(&style));
    let exact = TIME_STYLES.iter().find(|(w, _)| w.as_bytes() == style);
    let found = exact.or_else(|| known.clone().next().filter(|_| known.count() == 1));
    let both = |f: &'static str| [Bytes::from_static(f.as_bytes()), Bytes::from_static(f.as_bytes())];
    match found {
        Some((_, 0)) => c.formats = both("%Y-%m-%d %H:%M:%S.%N %z"),
        Some((_, 1)) => c.formats = both("%Y-%m-%d %H:%M"),
        Some((_, 2)) => c.formats = [Bytes::from_static(b"%Y-%m-%d "), Bytes::from_static(b"%m-%d %H:%M")],
        Some(_) => {}
        None => {
            p.error(format_args!("invalid argument {} for ‘time style’", quote::value(&style)))?;
            let words = "Valid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n  - [posix-]locale\n  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n";
            p.write_error(words.as_bytes())?;
            return Ok(Err(cli::try_help(p, 2)?));
        }
    }
    Ok(Ok(()))
}

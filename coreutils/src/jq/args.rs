//! The command line of jq, which follows rules of its own: short options may be bundled, long ones not abbreviated,
//! and everything else is the filter first and files then.

use super::{
    json,
    machine::Stop,
    source::Reading,
    val::{Members, Str, Val},
    write::{Colours, Style},
};
use sandshell_kernel::{Bytes, Error, Process, Result};

/// What the command line asks for.
#[derive(Default)]
pub struct Asked {
    /// The filter, or the file that holds it.
    pub filter: Option<Bytes>,
    /// `-f`
    pub from_file: bool,
    /// The input files.
    pub files: Vec<Bytes>,
    /// How inputs are read.
    pub reading: Reading,
    /// `-n`
    pub null: bool,
    /// How outputs are written.
    pub style: Style,
    /// `-r`
    pub raw: bool,
    /// `-j`
    pub join: bool,
    /// `--raw-output0`
    pub nul: bool,
    /// `--seq`
    pub seq: bool,
    /// `-e`
    pub exit_status: bool,
    /// `--unbuffered`
    pub unbuffered: bool,
    /// `-L`
    pub modules: Vec<Bytes>,
    /// `--arg` and its kin.
    pub named: Members,
    /// `--args`, `--jsonargs`
    pub positional: Vec<Val>,
    /// `-h`
    pub help: bool,
    /// `-V`
    pub version: bool,
}

/// Wrong use: what to print.
pub enum Wrong {
    /// A message and the hint at the help.
    Usage(String),
    /// A message alone.
    Plain(String),
    /// The script is stopped.
    Kernel(Error),
}

impl From<Error> for Wrong {
    fn from(e: Error) -> Self {
        Wrong::Kernel(e)
    }
}

#[derive(PartialEq)]
enum Rest {
    Files,
    Strings,
    Json,
}

fn text(b: &[u8]) -> String {
    String::from_utf8_lossy(b).into_owned()
}

/// Reads the command line.
pub fn parse(process: &mut Process) -> Result<Asked, Wrong> {
    let args: Vec<Bytes> = process.args.get(1..).unwrap_or_default().to_vec();
    let mut a =
        Asked { style: Style { indent: Some(b"  "[..].into()), ..Style::default() }, ..Asked::default() };
    let mut rest = Rest::Files;
    let mut only_operands = false;
    let mut i = 0;
    while i < args.len() {
        let arg = &args[i];
        i += 1;
        if only_operands || !arg.starts_with(b"-") || arg.len() < 2 {
            operand(&mut a, arg, &rest)?;
            continue;
        }
        let mut value = |what: &str, n: usize| {
            let got = args.get(i..i + n).ok_or_else(|| {
                let (count, noun) = if n == 1 { ("one", "parameter") } else { ("two", "parameters") };
                Wrong::Usage(format!("{} takes {count} {noun} (e.g. {} {what})", text(arg), text(arg)))
            })?;
            i += n;
            Ok::<_, Wrong>(got.to_vec())
        };
        let Some(long) = arg.strip_prefix(b"--") else {
            for (at, c) in arg.iter().enumerate().skip(1) {
                match c {
                    b'L' => {
                        let dir = match arg[at + 1..].is_empty() {
                            true => value("directory", 1)?.remove(0),
                            false => arg.slice(at + 1..),
                        };
                        a.modules.push(dir);
                        break;
                    }
                    b'f' => a.from_file = true,
                    c => {
                        if !letter(&mut a, *c) {
                            return Err(Wrong::Usage(format!("Unknown option {}", text(arg))));
                        }
                    }
                }
            }
            continue;
        };
        match long {
            b"" => {
                only_operands = true;
            }
            b"arg" => {
                let [name, v] = two(value("varname value", 2)?);
                bind(&mut a, &name, Val::Str(Str::lossy(&v)));
            }
            b"argjson" => {
                let [name, v] = two(value("varname text", 2)?);
                match json::parse_one(&v) {
                    Ok(v) => bind(&mut a, &name, v),
                    Err(_) => return Err(Wrong::Usage("invalid JSON text passed to --argjson".into())),
                }
            }
            b"slurpfile" | b"rawfile" | b"argfile" => {
                let [name, file] = two(value("varname filename", 2)?);
                let v = file_value(process, long, &name, &file)?;
                bind(&mut a, &name, v);
            }
            b"args" => rest = Rest::Strings,
            b"jsonargs" => rest = Rest::Json,
            b"indent" => {
                let n = args.get(i).and_then(|n| text(n).parse::<i64>().ok());
                i += 1;
                match n {
                    Some(0) => a.style.indent = None,
                    Some(n @ 1..=7) => a.style.indent = Some(vec![b' '; n as usize].into()),
                    Some(-1) => a.style.indent = Some(b"\t"[..].into()),
                    _ if i > args.len() => {
                        return Err(Wrong::Usage("--indent takes one parameter".into()));
                    }
                    _ => return Err(Wrong::Usage("--indent takes a number between -1 and 7".into())),
                }
            }
            b"tab" => a.style.indent = Some(b"\t"[..].into()),
            b"seq" => a.seq = true,
            b"stream" => a.reading.stream = true,
            b"stream-errors" => a.reading.stream = true,
            b"raw-output0" => {
                a.raw = true;
                a.nul = true;
            }
            b"unbuffered" => a.unbuffered = true,
            b"library-path" => a.modules.push(value("directory", 1)?.remove(0)),
            b"from-file" => a.from_file = true,
            long => {
                let c = LONG.iter().find(|l| l.0.as_bytes() == long);
                if !c.is_some_and(|c| letter(&mut a, c.1)) {
                    return Err(Wrong::Usage(format!("Unknown option {}", text(arg))));
                }
            }
        }
    }
    if a.from_file && a.filter.is_none() {
        return Err(Wrong::Usage("-f takes one parameter (e.g. -f file)".into()));
    }
    Ok(a)
}

/// Long names of letters.
const LONG: &[(&str, u8)] = &[
    ("slurp", b's'),
    ("raw-output", b'r'),
    ("compact-output", b'c'),
    ("color-output", b'C'),
    ("monochrome-output", b'M'),
    ("ascii-output", b'a'),
    ("sort-keys", b'S'),
    ("raw-input", b'R'),
    ("null-input", b'n'),
    ("join-output", b'j'),
    ("exit-status", b'e'),
    ("help", b'h'),
    ("version", b'V'),
];

fn letter(a: &mut Asked, c: u8) -> bool {
    match c {
        b's' => a.reading.slurp = true,
        b'r' => a.raw = true,
        b'c' => a.style.indent = None,
        b'C' => a.style.colours = Some(Box::new(Colours::default())),
        b'M' => a.style.colours = None,
        b'a' => a.style.ascii = true,
        b'S' => a.style.sort = true,
        b'R' => a.reading.raw = true,
        b'n' => a.null = true,
        b'j' => {
            a.raw = true;
            a.join = true;
        }
        b'e' => a.exit_status = true,
        b'h' => a.help = true,
        b'V' => a.version = true,
        _ => return false,
    }
    true
}

fn two(mut v: Vec<Bytes>) -> [Bytes; 2] {
    let second = v.pop().unwrap_or_default();
    [v.pop().unwrap_or_default(), second]
}

fn bind(a: &mut Asked, name: &[u8], v: Val) {
    let name = Str::lossy(name);
    // The first value of a name stays.
    if a.named.get(name.bytes()).is_none() {
        a.named.insert(name, v);
    }
}

fn operand(a: &mut Asked, arg: &Bytes, rest: &Rest) -> Result<(), Wrong> {
    if a.filter.is_none() {
        a.filter = Some(arg.clone());
        return Ok(());
    }
    match rest {
        Rest::Files => a.files.push(arg.clone()),
        Rest::Strings => a.positional.push(Val::Str(Str::lossy(arg))),
        Rest::Json => match json::parse_one(arg) {
            Ok(v) => a.positional.push(v),
            Err(_) => return Err(Wrong::Usage("invalid JSON text passed to --jsonargs".into())),
        },
    }
    Ok(())
}

fn file_value(process: &mut Process, how: &[u8], name: &[u8], file: &[u8]) -> Result<Val, Wrong> {
    let how = text(how);
    let bad = |why: String| Wrong::Plain(format!("Bad JSON in --{how} {} {}: {why}", text(name), text(file)));
    let data = match process.open_input(file).and_then(|mut i| i.read_all()) {
        Ok(data) => data,
        Err(Error::Os(e)) => return Err(bad(format!("Could not open {}: {e}", text(file)))),
        Err(stop) => return Err(stop.into()),
    };
    if how == "rawfile" {
        return Ok(Val::Str(Str::lossy(&data)));
    }
    let values = all_values(&data).map_err(bad)?;
    if how == "argfile" && values.len() == 1 {
        return Ok(values.into_iter().next().unwrap_or_default());
    }
    Ok(values.into())
}

/// All values of a text.
pub fn all_values(data: &Bytes) -> std::result::Result<Vec<Val>, String> {
    let buf = std::rc::Rc::new(data.clone());
    let mut p = json::Parser::new(&buf, 0, true);
    let mut values = Vec::new();
    loop {
        let at = p.at;
        match p.next(&json::Need::All) {
            Ok(Some(v)) => values.push(v),
            Ok(None) => return Ok(values),
            Err(_) => return Err(super::diagnose::explain(&data[at..], 1, 0)),
        }
    }
}

/// The message of an error value, as the command prints it behind `jq: error`.
pub fn describe_error(place: &str, stop: &Stop) -> Option<String> {
    match stop {
        Stop::Error(Val::Str(s)) => Some(format!("jq: error (at {place}): {}\n", s.text())),
        Stop::Error(v) => {
            let text = String::from_utf8_lossy(&super::write::to_json(v)).into_owned();
            Some(format!("jq: error (at {place}) (not a string): {text}\n"))
        }
        Stop::Break(_) => Some(format!("jq: error (at {place}): break\n")),
        _ => None,
    }
}

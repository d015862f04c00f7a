//! The command line of `find`: arguments to tokens, tokens to a tree. Every argument is checked before the shape of
//! the expression is, as GNU find does.

use super::{
    Find, Links,
    exec::Batch,
    expr::{Leaf, Node, Number, Sink, Which},
    perm::PermTest,
    printf::Format,
};
use crate::{
    cli::quote,
    search::{
        clock,
        pattern::{self, Name, PathRegex},
    },
};
use sandshell_kernel::{Bytes, Error, Output, Result, Status, Time, vfs::Permission};
use sandshell_text::regex::Syntax;
use std::cmp::Ordering;

/// Nesting of parentheses that an expression may have.
const MAX_DEPTH: usize = 500;

enum Token {
    Open,
    Close,
    Not,
    And,
    Or,
    Comma,
    Leaf(Leaf),
}

/// A usage error with its message.
type Parse<T> = Result<Result<T, String>>;

struct Parser<'f, 'p> {
    find: &'f mut Find<'p>,
    args: Vec<Bytes>,
    at: usize,
    /// Each token with the word it came from.
    tokens: Vec<(Token, Bytes)>,
    sinks: Vec<Bytes>,
    regex_syntax: Syntax,
    has_action: bool,
    has_delete: bool,
    has_prune: bool,
    explicit_depth: bool,
    files_from: Option<Bytes>,
}

impl Find<'_> {
    /// Reads the arguments: the expression and the starting points, or the status to end with.
    pub(super) fn parse(&mut self) -> Result<Result<(Node, Vec<Bytes>), Status>> {
        let args = self.process.args.get(1..).unwrap_or_default().to_vec();
        let parser = Parser {
            find: self,
            args,
            at: 0,
            tokens: Vec::new(),
            sinks: Vec::new(),
            regex_syntax: Syntax::Emacs,
            has_action: false,
            has_delete: false,
            has_prune: false,
            explicit_depth: false,
            files_from: None,
        };
        let parsed = parser.run()?;
        match parsed {
            Ok(Some(parsed)) => Ok(Ok(parsed)),
            Ok(None) => Ok(Err(Status::OK)),
            Err(text) => {
                for line in text.split('\n') {
                    self.process.error(format_args!("{line}"))?;
                }
                Ok(Err(Status::FAILURE))
            }
        }
    }
}

fn is_expression(arg: &[u8], leading: bool) -> bool {
    match arg {
        [b'-', _, ..] | b"(" | b"!" => true,
        b")" | b"," => !leading,
        _ => false,
    }
}

fn text(b: &[u8]) -> String {
    String::from_utf8_lossy(b).into_owned()
}

/// Unwraps the inner result of a [`Parse`], handing a message on.
macro_rules! ok {
    ($e:expr) => {
        match $e {
            Ok(value) => value,
            Err(text) => return Ok(Err(text)),
        }
    };
}

impl Parser<'_, '_> {
    fn run(mut self) -> Parse<Option<(Node, Vec<Bytes>)>> {
        while let Some(arg) = self.args.get(self.at) {
            match &arg[..] {
                b"-H" => self.find.config.links = Links::Start,
                b"-L" => self.find.config.links = Links::Always,
                b"-P" => self.find.config.links = Links::Never,
                b"--" => {}
                [b'-', b'O', level @ ..] => {
                    if level.is_empty() || !level.iter().all(u8::is_ascii_digit) {
                        return Ok(Err("Please specify a decimal number immediately after -O".into()));
                    }
                }
                b"-D" if self.args.len() > self.at + 1 => {
                    return Ok(Err("debug output (-D) is not available here".into()));
                }
                _ => break,
            }
            self.at += 1;
        }
        let from = self.at;
        while self.args.get(self.at).is_some_and(|a| !is_expression(a, true)) {
            self.at += 1;
        }
        let mut starts = self.args[from..self.at].to_vec();
        let mut last: Option<Bytes> = None;
        while let Some(arg) = self.args.get(self.at).cloned() {
            self.at += 1;
            if !is_expression(&arg, false) {
                let mut message = format!("paths must precede expression: `{}'", text(&arg));
                if let Some(last) = last.filter(|_| self.find.process.files.exists(&arg)) {
                    message
                        .push_str(&format!("\npossible unquoted pattern after predicate `{}'?", text(&last)));
                }
                return Ok(Err(message));
            }
            if matches!(&arg[..], b"-help" | b"--help") {
                let help = super::SPEC.help();
                self.find.process.stdout.put(help.as_bytes())?;
                return Ok(Ok(None));
            }
            if matches!(&arg[..], b"-version" | b"--version") {
                self.find.process.stdout.line(super::SPEC.version.as_bytes())?;
                return Ok(Ok(None));
            }
            let token = ok!(self.token(&arg)?);
            self.tokens.push((token, arg.clone()));
            last = Some(arg);
        }
        if self.has_delete && self.has_prune && !self.explicit_depth {
            return Ok(Err("The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If you want to carry on anyway, just explicitly use the -depth option.".into()));
        }
        let node = ok!(self.tree());
        let node = match self.has_action {
            true => node,
            false => Node::And(vec![node, Node::Leaf(Leaf::Print(Sink::Stdout))]),
        };
        if let Some(from) = self.files_from.take() {
            if let Some(first) = starts.first() {
                return Ok(Err(format!(
                    "extra operand {}\nfile operands cannot be combined with -files0-from",
                    quote(first)
                )));
            }
            let all = match self.find.process.open_input(&from) {
                Ok(mut input) => input.read_all()?,
                Err(Error::Os(e)) => {
                    return Ok(Err(format!("cannot open {} for reading: {e}", quote(&from))));
                }
                Err(stop) => return Err(stop),
            };
            starts = all.split(|&b| b == 0).filter(|s| !s.is_empty()).map(|s| all.slice_ref(s)).collect();
        } else if starts.is_empty() {
            starts.push(Bytes::from_static(b"."));
        }
        Ok(Ok(Some((node, starts))))
    }

    // ---- the tree

    fn tree(&mut self) -> Result<Node, String> {
        let mut tokens = std::mem::take(&mut self.tokens).into_iter().peekable();
        if tokens.peek().is_none() {
            return Ok(Node::Leaf(Leaf::True));
        }
        let node = list(&mut tokens, 0)?;
        match tokens.next() {
            None => Ok(node),
            Some((Token::Close, _)) => Err("you have too many ')'".into()),
            Some((_, word)) => Err(nothing_before(&word)),
        }
    }

    // ---- one token

    fn argument(&mut self, name: &Bytes) -> Result<Bytes, String> {
        let arg = self.args.get(self.at).cloned();
        self.at += 1;
        arg.ok_or_else(|| format!("missing argument to `{}'", text(name)))
    }

    fn token(&mut self, name: &Bytes) -> Parse<Token> {
        let token = match &name[..] {
            b"(" => Token::Open,
            b")" => Token::Close,
            b"!" | b"-not" => Token::Not,
            b"-a" | b"-and" => Token::And,
            b"-o" | b"-or" => Token::Or,
            b"," => Token::Comma,
            _ => Token::Leaf(ok!(self.leaf(name)?)),
        };
        Ok(Ok(token))
    }

    fn leaf(&mut self, name: &Bytes) -> Parse<Leaf> {
        let config = &mut self.find.config;
        let leaf = match &name[..] {
            b"-true" | b"-noleaf" | b"-ignore_readdir_race" | b"-noignore_readdir_race" => Leaf::True,
            b"-false" => Leaf::False,
            b"-warn" => {
                config.warn = true;
                Leaf::True
            }
            b"-nowarn" => {
                config.warn = false;
                Leaf::True
            }
            b"-depth" | b"-d" => {
                config.depth_first = true;
                self.explicit_depth = true;
                self.global(name)?;
                Leaf::True
            }
            b"-mount" | b"-xdev" | b"-x" => {
                config.one_device = true;
                self.global(name)?;
                Leaf::True
            }
            b"-follow" => {
                config.links = Links::Always;
                Leaf::True
            }
            b"-daystart" => {
                config.daystart = true;
                Leaf::True
            }
            b"-maxdepth" | b"-mindepth" => {
                let arg = ok!(self.argument(name));
                let Some(n) = digits(&arg) else {
                    return Ok(Err(format!(
                        "Expected a positive decimal integer argument to {}, but got {}",
                        text(name),
                        quote(&arg)
                    )));
                };
                let n = usize::try_from(n).unwrap_or(usize::MAX);
                match &name[..] {
                    b"-maxdepth" => self.find.config.max_depth = Some(n),
                    _ => self.find.config.min_depth = n,
                }
                self.global(name)?;
                Leaf::True
            }
            b"-files0-from" => {
                self.files_from = Some(ok!(self.argument(name)));
                Leaf::True
            }
            b"-regextype" => {
                let arg = ok!(self.argument(name));
                self.regex_syntax = ok!(pattern::path_syntax(&arg).ok_or_else(|| {
                    let names: Vec<String> =
                        pattern::PATH_SYNTAXES.iter().map(|(n, _)| quote(n.as_bytes())).collect();
                    format!(
                        "Unknown regular expression type {}; valid types are {}.",
                        quote(&arg),
                        names.join(", ")
                    )
                }));
                Leaf::True
            }
            b"-name" | b"-iname" => {
                let arg = ok!(self.argument(name));
                if self.find.config.warn && arg.contains(&b'/') {
                    self.find.process.error(format_args!("warning: {} matches against basenames only, but the given pattern contains a directory separator (‘/’), thus the expression will evaluate to false all the time.  Did you mean ‘-{}’?", quote(name), if name == "-name" { "wholename" } else { "iwholename" }))?;
                }
                Leaf::Name(Name::new(&arg, name == "-iname"))
            }
            b"-path" | b"-wholename" => Leaf::Path(Name::new(&ok!(self.argument(name)), false)),
            b"-ipath" | b"-iwholename" => Leaf::Path(Name::new(&ok!(self.argument(name)), true)),
            b"-lname" | b"-ilname" => Leaf::LinkName(Name::new(&ok!(self.argument(name)), name == "-ilname")),
            b"-regex" | b"-iregex" => {
                let arg = ok!(self.argument(name));
                let regex = PathRegex::new(&arg, self.regex_syntax, name == "-iregex");
                Leaf::Regex(ok!(regex
                    .map_err(|m| { format!("failed to compile regular expression '{}': {m}", text(&arg)) })))
            }
            b"-type" | b"-xtype" => {
                let arg = ok!(self.argument(name));
                let letters = ok!(letters(&arg, &text(name)));
                if name == "-type" { Leaf::Type(letters) } else { Leaf::Xtype(letters) }
            }
            b"-size" => {
                let arg = ok!(self.argument(name));
                self.find.config.needs_size = true;
                ok!(size(&arg))
            }
            b"-empty" => {
                self.find.config.needs_size = true;
                Leaf::Empty
            }
            b"-newer" | b"-anewer" | b"-cnewer" => {
                let arg = ok!(self.argument(name));
                let which = match name[1] {
                    b'a' => Which::Access,
                    b'c' => Which::Change,
                    _ => Which::Modify,
                };
                let reference = ok!(self.reference(&arg)?);
                Leaf::Newer(which, reference.mtime)
            }
            [b'-', b'n', b'e', b'w', b'e', b'r', x, y] => {
                let letter = |c| match c {
                    b'a' => Some(Which::Access),
                    b'B' => Some(Which::Birth),
                    b'c' => Some(Which::Change),
                    b'm' => Some(Which::Modify),
                    _ => None,
                };
                let invalid = || format!("invalid predicate `{}'", text(name));
                let which = ok!(letter(*x).ok_or_else(invalid));
                if *y != b't' && letter(*y).is_none() {
                    return Ok(Err(invalid()));
                }
                let arg = ok!(self.argument(name));
                let than = match letter(*y) {
                    Some(other) => other.of(&ok!(self.reference(&arg)?)),
                    None => ok!(clock::parse(&arg, &self.find.zone, self.find.now).ok_or_else(|| format!(
                        "I cannot figure out how to interpret {} as a date or time",
                        quote(&arg)
                    ))),
                };
                Leaf::Newer(which, than)
            }
            b"-atime" => ok!(self.days(name, Which::Access)),
            b"-ctime" => ok!(self.days(name, Which::Change)),
            b"-mtime" => ok!(self.days(name, Which::Modify)),
            b"-amin" => ok!(self.minutes(name, Which::Access)),
            b"-cmin" => ok!(self.minutes(name, Which::Change)),
            b"-mmin" => ok!(self.minutes(name, Which::Modify)),
            b"-used" => {
                let arg = ok!(self.argument(name));
                Leaf::Used(ok!(
                    number(&arg).ok_or_else(|| format!("Invalid argument {} to -used", text(&arg)))
                ))
            }
            b"-perm" => {
                let arg = ok!(self.argument(name));
                Leaf::Perm(ok!(PermTest::parse(&arg).ok_or_else(|| format!("invalid mode {}", quote(&arg)))))
            }
            b"-uid" => Leaf::Uid(ok!(self.number(name))),
            b"-gid" => Leaf::Gid(ok!(self.number(name))),
            b"-links" => Leaf::Links(ok!(self.number(name))),
            b"-inum" => Leaf::Inode(ok!(self.number(name))),
            b"-user" => {
                let arg = ok!(self.argument(name));
                let uid = self.find.users().user_named(&arg).map(|u| u.uid.into()).or(digits(&arg));
                let uid = uid.ok_or_else(|| format!("{} is not the name of a known user", quote(&arg)));
                Leaf::Uid(Number { order: Ordering::Equal, value: ok!(uid) })
            }
            b"-group" => {
                let arg = ok!(self.argument(name));
                let gid = self.find.users().gid_named(&arg).map(u64::from).or(digits(&arg));
                let gid = gid.ok_or_else(|| format!("{} is not the name of an existing group", quote(&arg)));
                Leaf::Gid(Number { order: Ordering::Equal, value: ok!(gid) })
            }
            b"-nouser" => Leaf::NoUser,
            b"-nogroup" => Leaf::NoGroup,
            b"-samefile" => {
                let arg = ok!(self.argument(name));
                let s = ok!(self.reference(&arg)?);
                Leaf::SameFile(s.dev, s.ino)
            }
            b"-fstype" => Leaf::FsType(ok!(self.argument(name))),
            b"-context" => return Ok(Err("invalid predicate -context: SELinux is not enabled.".into())),
            b"-readable" => Leaf::Access(Permission::Read),
            b"-writable" => Leaf::Access(Permission::Write),
            b"-executable" => Leaf::Access(Permission::Execute),
            b"-prune" => {
                self.has_prune = true;
                Leaf::Prune
            }
            b"-quit" => Leaf::Quit,
            _ => return self.action(name),
        };
        Ok(Ok(leaf))
    }

    fn action(&mut self, name: &Bytes) -> Parse<Leaf> {
        let leaf = match &name[..] {
            b"-print" => Leaf::Print(Sink::Stdout),
            b"-print0" => Leaf::Print0(Sink::Stdout),
            b"-ls" => {
                self.find.config.needs_size = true;
                Leaf::List(Sink::Stdout)
            }
            b"-printf" => {
                let arg = ok!(self.argument(name));
                Leaf::Printf(Sink::Stdout, ok!(self.format(&arg)?))
            }
            b"-fprint" => Leaf::Print(ok!(self.sink(name)?)),
            b"-fprint0" => Leaf::Print0(ok!(self.sink(name)?)),
            b"-fls" => {
                self.find.config.needs_size = true;
                Leaf::List(ok!(self.sink(name)?))
            }
            b"-fprintf" => {
                let sink = ok!(self.sink(name)?);
                let arg = ok!(self.argument(name));
                Leaf::Printf(sink, ok!(self.format(&arg)?))
            }
            b"-delete" => {
                self.find.config.depth_first = true;
                self.has_delete = true;
                Leaf::Delete
            }
            b"-exec" | b"-execdir" | b"-ok" | b"-okdir" => ok!(self.command(name)),
            _ => return Ok(Err(format!("unknown predicate `{}'", text(name)))),
        };
        self.has_action = true;
        Ok(Ok(leaf))
    }

    /// Warns, if asked to, that a global option stands behind a test.
    fn global(&mut self, name: &Bytes) -> Result<()> {
        let earlier = self.tokens.iter().find(|(t, _)| !matches!(t, Token::Leaf(Leaf::True)));
        if let (true, Some((_, earlier))) = (self.find.config.warn, earlier) {
            let (name, earlier) = (text(name), text(earlier));
            self.find.process.error(format_args!("warning: you have specified the global option {name} after the argument {earlier}, but global options are not positional, i.e., {name} affects tests specified before it as well as those specified after it.  Please specify global options before other arguments."))?;
        }
        Ok(())
    }

    fn command(&mut self, name: &Bytes) -> Result<Leaf, String> {
        let missing = || format!("missing argument to `{}'", text(name));
        let in_dir = name.ends_with(b"dir");
        let ask = name.starts_with(b"-ok");
        let from = self.at;
        if from >= self.args.len() {
            return Err(missing());
        }
        if in_dir
            && let Some(path) = self.find.process.env.get("PATH")
            && let Some(bad) = path.split(|&b| b == b':').find(|d| !d.starts_with(b"/"))
        {
            return Err(match bad {
                b"" => "The current directory is included in the PATH environment variable, which is insecure in combination with the ".to_owned() + &text(name) + " action of find.  Please remove the current directory from your $PATH (that is, remove \".\", doubled colons, or leading or trailing colons)",
                bad => format!("The relative path {} is included in the PATH environment variable, which is insecure in combination with the {} action of find.  Please remove that entry from $PATH", quote(bad), text(name)),
            });
        }
        let mut batch = false;
        let end = loop {
            let arg = self.args.get(self.at).ok_or_else(missing)?;
            if arg == ";" {
                break self.at;
            }
            if !ask && arg == "+" && self.at > from && self.args[self.at - 1] == "{}" {
                batch = true;
                break self.at;
            }
            self.at += 1;
        };
        self.at += 1;
        if end == from {
            return Err(format!("invalid argument `{}' to `{}'", text(&self.args[from]), text(name)));
        }
        let argv = self.args[from..end].to_vec();
        if !batch {
            return Ok(Leaf::Exec { argv, in_dir, ask });
        }
        let argv = argv[..argv.len() - 1].to_vec();
        if argv.is_empty() {
            return Err(format!("invalid argument `{{}}' to `{}'", text(name)));
        }
        if argv.iter().any(|a| a == "{}") {
            return Err(format!("Only one instance of {{}} is supported with {} ... +", text(name)));
        }
        if let Some(a) = argv.iter().find(|a| memchr::memmem::find(a, b"{}").is_some()) {
            return Err(format!(
                "In {} the {} must appear by itself, but you specified {}",
                quote(format!("{} ... {{}} +", text(name)).as_bytes()),
                quote(b"{}"),
                quote(a)
            ));
        }
        self.find.batches.push(Batch::new(argv, in_dir));
        Ok(Leaf::Batch(self.find.batches.len() - 1))
    }

    fn format(&mut self, arg: &[u8]) -> Parse<Format> {
        let mut warnings = Vec::new();
        let format = Format::parse(arg, &mut |w| warnings.push(w));
        for w in warnings {
            self.find.process.error(format_args!("{w}"))?;
        }
        self.find.config.needs_size |= format.as_ref().is_ok_and(|f| f.needs_size);
        Ok(format)
    }

    fn sink(&mut self, name: &Bytes) -> Parse<Sink> {
        let path = ok!(self.argument(name));
        if path == "/dev/stdout" {
            return Ok(Ok(Sink::Stdout));
        }
        if let Some(n) = self.sinks.iter().position(|s| *s == path) {
            return Ok(Ok(Sink::File(n)));
        }
        let process = &self.find.process;
        let out = match &path[..] {
            b"/dev/stderr" => Ok(Output::new(process.stderr.clone(), &process.budget)),
            _ => process.files.create(&path),
        };
        match out {
            Ok(out) => self.find.outs.push(out),
            Err(Error::Os(e)) => return Ok(Err(format!("{}: {e}", quote(&path)))),
            Err(stop) => return Err(stop),
        }
        self.sinks.push(path);
        Ok(Ok(Sink::File(self.sinks.len() - 1)))
    }

    fn reference(&mut self, path: &[u8]) -> Parse<sandshell_kernel::Stat> {
        let follow = self.find.config.links != Links::Never;
        match self.find.process.files.stat_cheap(path, follow) {
            Ok((s, _)) => Ok(Ok(s)),
            Err(Error::Os(e)) => Ok(Err(format!("{}: {e}", quote(path)))),
            Err(stop) => Err(stop),
        }
    }

    fn number(&mut self, name: &Bytes) -> Result<Number, String> {
        let arg = self.argument(name)?;
        number(&arg).ok_or_else(|| format!("invalid argument `{}' to `{}'", text(&arg), text(name)))
    }

    /// `+N`, `-N`, `N` with a fraction: the order in which ages compare, and the number.
    fn age(&mut self, name: &Bytes) -> Result<(Ordering, f64), String> {
        let arg = self.argument(name)?;
        let invalid = || format!("invalid argument `{}' to `{}'", text(&arg), text(name));
        let (order, rest) = sign(&arg);
        let plain = rest.iter().all(|b| b.is_ascii_digit() || *b == b'.');
        let n = std::str::from_utf8(rest).ok().filter(|_| plain).and_then(|t| t.parse::<f64>().ok());
        Ok((order, n.ok_or_else(invalid)?))
    }

    /// `-mtime` and its kin. An exact N is the window of a day that ends N days ago.
    fn days(&mut self, name: &Bytes, which: Which) -> Result<Leaf, String> {
        const DAY: f64 = 86_400e9;
        let (order, n) = self.age(name)?;
        let mut origin = self.day_start();
        if order == Ordering::Less {
            origin += 86_399_000_000_000;
        }
        Ok(Leaf::Age(which, order, Time(origin - (n * DAY) as i128), DAY as i128))
    }

    fn minutes(&mut self, name: &Bytes, which: Which) -> Result<Leaf, String> {
        const MINUTE: f64 = 60e9;
        let (order, n) = self.age(name)?;
        let origin = self.day_start() + 86_400_000_000_000;
        Ok(Leaf::Age(which, order, Time(origin - (n * MINUTE) as i128), MINUTE as i128))
    }

    /// A day ago, or with `-daystart` the start of today.
    fn day_start(&self) -> i128 {
        match self.find.config.daystart {
            true => clock::midnight(&self.find.zone, self.find.now).0,
            false => self.find.now.0 - 86_400_000_000_000,
        }
    }
}

type Tokens = std::iter::Peekable<std::vec::IntoIter<(Token, Bytes)>>;

fn nothing_before(word: &[u8]) -> String {
    format!("invalid expression; you have used a binary operator '{}' with nothing before it.", text(word))
}

fn expected_after(word: &[u8]) -> String {
    format!("expected an expression after '{}'", text(word))
}

/// The lowest precedence: expressions joined by `,`.
fn list(tokens: &mut Tokens, depth: usize) -> Result<Node, String> {
    let mut all = vec![alternatives(tokens, depth)?];
    while let Some((_, word)) = tokens.next_if(|t| matches!(t.0, Token::Comma)) {
        if tokens.peek().is_none() {
            return Err(expected_after(&word));
        }
        all.push(alternatives(tokens, depth)?);
    }
    Ok(one_or(all, Node::Comma))
}

fn alternatives(tokens: &mut Tokens, depth: usize) -> Result<Node, String> {
    let mut all = vec![sequence(tokens, depth)?];
    while let Some((_, word)) = tokens.next_if(|t| matches!(t.0, Token::Or)) {
        if tokens.peek().is_none() {
            return Err(expected_after(&word));
        }
        all.push(sequence(tokens, depth)?);
    }
    Ok(one_or(all, Node::Or))
}

fn sequence(tokens: &mut Tokens, depth: usize) -> Result<Node, String> {
    let mut all = vec![primary(tokens, depth)?];
    loop {
        match tokens.peek() {
            Some((Token::And, _)) => {
                let word = tokens.next().map(|t| t.1).unwrap_or_default();
                if tokens.peek().is_none() {
                    return Err(expected_after(&word));
                }
            }
            Some((Token::Leaf(_) | Token::Not | Token::Open, _)) => {}
            _ => return Ok(one_or(all, Node::And)),
        }
        all.push(primary(tokens, depth)?);
    }
}

fn primary(tokens: &mut Tokens, depth: usize) -> Result<Node, String> {
    let mut negate = false;
    loop {
        let Some((token, word)) = tokens.next() else { return Err(expected_after(b"!")) };
        let node = match token {
            Token::Not => {
                if tokens.peek().is_none() {
                    return Err(expected_after(&word));
                }
                negate = !negate;
                continue;
            }
            Token::Leaf(leaf) => Node::Leaf(leaf),
            Token::Open => {
                match tokens.peek() {
                    None => return Err("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('".into()),
                    Some((Token::Close, _)) => {
                        return Err("invalid expression; empty parentheses are not allowed.".into());
                    }
                    _ if depth >= MAX_DEPTH => return Err("expression nested too deeply".into()),
                    _ => {}
                }
                let node = list(tokens, depth + 1)?;
                if tokens.next_if(|t| matches!(t.0, Token::Close)).is_none() {
                    return Err(
                        "invalid expression; I was expecting to find a ')' somewhere but did not see one."
                            .into(),
                    );
                }
                node
            }
            Token::Close => return Err("you have too many ')'".into()),
            Token::And | Token::Or | Token::Comma => return Err(nothing_before(&word)),
        };
        return Ok(if negate { Node::Not(Box::new(node)) } else { node });
    }
}

fn one_or(mut all: Vec<Node>, join: impl Fn(Vec<Node>) -> Node) -> Node {
    match all.len() {
        1 => all.remove(0),
        _ => join(all),
    }
}

fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn sign(text: &[u8]) -> (Ordering, &[u8]) {
    match text.first() {
        Some(b'+') => (Ordering::Greater, &text[1..]),
        Some(b'-') => (Ordering::Less, &text[1..]),
        _ => (Ordering::Equal, text),
    }
}

fn number(text: &[u8]) -> Option<Number> {
    let (order, rest) = sign(text);
    Some(Number { order, value: digits(rest)? })
}

fn size(arg: &[u8]) -> Result<Leaf, String> {
    let Some(&last) = arg.last() else { return Err("invalid null argument to -size".into()) };
    let (unit, body) = match last {
        b'b' => (512, &arg[..arg.len() - 1]),
        b'c' => (1, &arg[..arg.len() - 1]),
        b'w' => (2, &arg[..arg.len() - 1]),
        b'k' => (1 << 10, &arg[..arg.len() - 1]),
        b'M' => (1 << 20, &arg[..arg.len() - 1]),
        b'G' => (1 << 30, &arg[..arg.len() - 1]),
        b'0'..=b'9' => (512, arg),
        other => return Err(format!("invalid -size type `{}'", char::from(other))),
    };
    let n = number(body).ok_or_else(|| format!("Invalid argument `{}' to -size", text(arg)))?;
    Ok(Leaf::Size(n, unit))
}

/// The letters of `-type f,d`.
fn letters(arg: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let mut letters = Vec::new();
    let mut rest = arg;
    if rest.is_empty() {
        return Err(format!("Arguments to {name} should contain at least one letter"));
    }
    while let Some((&letter, tail)) = rest.split_first() {
        if !b"bcdpflsD".contains(&letter) {
            return Err(format!("Unknown argument to {name}: {}", char::from(letter)));
        }
        if letters.contains(&letter) {
            return Err(format!(
                "Duplicate file type '{}' in the argument list to {name}.",
                char::from(letter)
            ));
        }
        letters.push(letter);
        rest = match tail {
            [] => break,
            b"," => {
                return Err(format!(
                    "Last file type in list argument to {name} is missing, i.e., list is ending on: ','"
                ));
            }
            [b',', tail @ ..] => tail,
            _ => return Err(format!("Must separate multiple arguments to {name} using: ','")),
        };
    }
    Ok(letters)
}

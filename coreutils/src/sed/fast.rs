//! Scripts of one command that need no cycle of their own: `s/re/text/`, `/re/p` with -n, `/re/d`, `N,Mp`. They run
//! over whole chunks and copy what lies between.

use super::{Settings, exec::Machine, script::*, substitute};
use sandshell_kernel::{Result, Status};
use sandshell_text::regex::{Captures, LineFinder, Regex};

/// What to do with each chunk.
pub enum Plan<'s> {
    /// Replace.
    Substitute(&'s Substitute, Regex),
    /// Print the lines that match, or those that do not.
    Select(Box<LineFinder>, bool),
}

/// The plan for a script, if it is of such a form.
pub fn plan<'s>(script: &'s Script, settings: &Settings) -> Option<Plan<'s>> {
    if settings.delimiter != b'\n' || settings.unbuffered {
        return None;
    }
    let [command] = &script.commands[..] else { return None };
    match (&command.address, &command.action) {
        (None, Action::Substitute(s)) if !settings.quiet && !command.negated => {
            let plain = s.print == 0 && s.write.is_none() && !s.execute && s.from == 1;
            let regex = by_line(script, s.regex?)?;
            // A pattern that matches nothing needs the rules for empty matches.
            if !plain || regex.is_match(b"") {
                return None;
            }
            Some(Plan::Substitute(s, regex))
        }
        (Some(Address { first: First::Regex(Some(r)), last: None }), action) => {
            let printed = match action {
                Action::Print if settings.quiet => true,
                Action::Delete if !settings.quiet => false,
                _ => return None,
            };
            let regex = by_line(script, *r)?;
            Some(Plan::Select(Box::new(LineFinder::new(regex)), printed != command.negated))
        }
        _ => None,
    }
}

/// The same pattern for buffers of many lines, if it means the same there.
fn by_line(script: &Script, r: usize) -> Option<Regex> {
    script.line_patterns.get(r)?.clone()
}

impl Machine<'_> {
    /// Runs a plan over all files.
    pub(super) fn run_fast(&mut self, mut plan: Plan<'_>) -> Result<Status> {
        let mut out = Vec::new();
        let mut captures = Captures::new();
        while self.files.advance(self.process, &self.settings)? {
            self.begin_file()?;
            loop {
                let chunk = match self.files.current() {
                    Some(input) => input.next_lines(b'\n')?,
                    None => None,
                };
                let Some(chunk) = chunk else { break };
                self.process.budget.steps(1 + chunk.len() as u32 / 64)?;
                out.clear();
                match &mut plan {
                    Plan::Substitute(s, regex) => replace_all(s, regex, &chunk, &mut captures, &mut out),
                    Plan::Select(finder, matching) => select(finder, *matching, &chunk, &mut out),
                }
                if out.is_empty() {
                    continue;
                }
                self.out.complete(self.process, b'\n')?;
                self.out.put(self.process, &out)?;
                // A line without its newline is the last of its file; what follows it begins a new one.
                self.out.missing = out.last() != Some(&b'\n');
            }
            self.finish_file()?;
        }
        Ok(Status::OK)
    }
}

fn replace_all(s: &Substitute, regex: &Regex, chunk: &[u8], captures: &mut Captures, out: &mut Vec<u8>) {
    let searcher = regex.searcher(chunk);
    let needs = s.groups || s.cases;
    let (mut last, mut at) = (0, 0);
    while at < chunk.len() {
        let found = if needs {
            if searcher.captures_at(at, captures) { captures.get(0) } else { None }
        } else {
            searcher.find_at(at)
        };
        let Some((a, b)) = found else { break };
        out.extend_from_slice(&chunk[last..a]);
        if needs {
            substitute::replace(s, chunk, captures, out);
        } else {
            substitute::replace_whole(s, &chunk[a..b], out);
        }
        last = b;
        at = match s.global {
            true => b,
            false => memchr::memchr(b'\n', &chunk[b..]).map_or(chunk.len(), |i| b + i + 1),
        };
        if b == a {
            at = at.max(b + 1);
        }
    }
    out.extend_from_slice(&chunk[last..]);
}

fn select(finder: &mut LineFinder, matching: bool, chunk: &[u8], out: &mut Vec<u8>) {
    let search = finder.on(chunk);
    let mut at = 0;
    while at < chunk.len() {
        let Some((start, end)) = search.next(at) else { break };
        let after = (end + 1).min(chunk.len());
        if matching {
            out.extend_from_slice(&chunk[start..after]);
        } else {
            out.extend_from_slice(&chunk[at..start]);
        }
        at = after;
    }
    if !matching && at < chunk.len() {
        out.extend_from_slice(&chunk[at..]);
    }
}

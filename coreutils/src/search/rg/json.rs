//! The JSON lines of `rg --json`.

use super::print::Counts;
use crate::search::scan::Line;
use sandshell_kernel::{Output, Result};
use std::time::Duration;

/// A string of JSON, as serde writes it.
fn string(out: &mut Output, text: &str) -> Result<()> {
    out.byte(b'"')?;
    for c in text.chars() {
        match c {
            '"' => out.put(b"\\\"")?,
            '\\' => out.put(b"\\\\")?,
            '\n' => out.put(b"\\n")?,
            '\r' => out.put(b"\\r")?,
            '\t' => out.put(b"\\t")?,
            '\x08' => out.put(b"\\b")?,
            '\x0c' => out.put(b"\\f")?,
            c if u32::from(c) < 32 => out.text(format_args!("\\u{:04x}", u32::from(c)))?,
            c => {
                let mut b = [0; 4];
                out.put(c.encode_utf8(&mut b).as_bytes())?;
            }
        }
    }
    out.byte(b'"')
}

/// `{"text":…}`, or `{"bytes":…}` in base64 where it is not UTF-8.
fn data(out: &mut Output, bytes: &[u8]) -> Result<()> {
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            out.put(b"{\"text\":")?;
            string(out, text)?;
        }
        Err(_) => {
            out.put(b"{\"bytes\":")?;
            string(out, &base64_simd::STANDARD.encode_to_string(bytes))?;
        }
    }
    out.byte(b'}')
}

/// A file has lines to show.
pub fn begin(out: &mut Output, path: &[u8]) -> Result<()> {
    out.put(b"{\"type\":\"begin\",\"data\":{\"path\":")?;
    data(out, path)?;
    out.put(b"}}\n")
}

/// A line, selected or context.
pub fn line(
    out: &mut Output,
    path: &[u8],
    line: &Line<'_>,
    matches: &[(usize, usize)],
    eol: u8,
) -> Result<()> {
    let kind = if line.selected { "match" } else { "context" };
    out.text(format_args!("{{\"type\":\"{kind}\",\"data\":{{\"path\":"))?;
    data(out, path)?;
    out.put(b",\"lines\":")?;
    match line.terminated {
        true => data(out, &[line.bytes, &[eol]].concat())?,
        false => data(out, line.bytes)?,
    }
    out.text(format_args!(
        ",\"line_number\":{},\"absolute_offset\":{},\"submatches\":[",
        line.number, line.offset
    ))?;
    for (i, &(s, e)) in matches.iter().enumerate() {
        if i > 0 {
            out.byte(b',')?;
        }
        out.put(b"{\"match\":")?;
        data(out, &line.bytes[s..e])?;
        out.text(format_args!(",\"start\":{s},\"end\":{e}}}"))?;
    }
    out.put(b"]}}\n")
}

fn human(d: Duration) -> String {
    format!("{:.6}s", d.as_secs_f64())
}

/// The end of a file that had lines to show.
pub fn end(out: &mut Output, path: &[u8], binary: Option<usize>, elapsed: Duration, s: &Stats) -> Result<()> {
    out.put(b"{\"type\":\"end\",\"data\":{\"path\":")?;
    data(out, path)?;
    let binary = binary.map_or_else(|| "null".to_owned(), |n| n.to_string());
    out.text(format_args!(
        ",\"binary_offset\":{binary},\"stats\":{{\"elapsed\":{{\"secs\":{},\"nanos\":{},\"human\":\"{}\"}},\"searches\":{},\"searches_with_match\":{},\"bytes_searched\":{},\"bytes_printed\":{},\"matched_lines\":{},\"matches\":{}}}}}}}\n",
        elapsed.as_secs(),
        elapsed.subsec_nanos(),
        human(elapsed),
        s.searches,
        s.with_match,
        s.bytes_searched,
        s.bytes_printed,
        s.counts.lines,
        s.counts.matches
    ))
}

/// What `--stats` and the summary tell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// Lines and matches.
    pub counts: Counts,
    /// Files searched.
    pub searches: u64,
    /// Files with a match.
    pub with_match: u64,
    /// Bytes searched.
    pub bytes_searched: u64,
    /// Bytes of matching lines printed.
    pub bytes_printed: u64,
}

/// The last line.
pub fn summary(out: &mut Output, total: Duration, searching: Duration, s: &Stats) -> Result<()> {
    let time = |d: Duration| {
        format!("{{\"human\":\"{}\",\"nanos\":{},\"secs\":{}}}", human(d), d.subsec_nanos(), d.as_secs())
    };
    out.text(format_args!(
        "{{\"data\":{{\"elapsed_total\":{},\"stats\":{{\"bytes_printed\":{},\"bytes_searched\":{},\"elapsed\":{},\"matched_lines\":{},\"matches\":{},\"searches\":{},\"searches_with_match\":{}}}}},\"type\":\"summary\"}}\n",
        time(total),
        s.bytes_printed,
        s.bytes_searched,
        time(searching),
        s.counts.lines,
        s.counts.matches,
        s.searches,
        s.with_match
    ))
}

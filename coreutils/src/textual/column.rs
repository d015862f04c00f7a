//! `column`: lists in columns, and tables.

mod table;

use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::number::parse_decimal;
use sandshell_text::options::{Example, Opt, Order, Spec};
use table::Table;
use unicode_width::UnicodeWidthStr;

/// `column`
pub struct Column;

static SPEC: Spec = Spec {
    name: "column",
    about: "Columnate lists.",
    synopsis: &["[options] [<file>...]"],
    options: &[
        Opt::new('t', "table", "create a table"),
        Opt::new('n', "table-name", "table name for JSON output").value("name"),
        Opt::new('O', "table-order", "specify order of output columns").value("columns"),
        Opt::new('N', "table-columns", "comma separated columns names").value("names"),
        Opt::new('l', "table-columns-limit", "maximal number of input columns").value("num"),
        Opt::new('E', "table-noextreme", "don't count long text from the columns to column width")
            .value("columns"),
        Opt::new('d', "table-noheadings", "don't print header"),
        Opt::new('e', "table-header-repeat", "repeat header for each page"),
        Opt::new('H', "table-hide", "don't print the columns").value("columns"),
        Opt::new('R', "table-right", "right align text in these columns").value("columns"),
        Opt::new('T', "table-truncate", "truncate text in the columns when necessary").value("columns"),
        Opt::new('W', "table-wrap", "wrap text in the columns when necessary").value("columns"),
        Opt::new('L', "keep-empty-lines", "don't ignore empty lines"),
        Opt::new('J', "json", "use JSON output format for table"),
        Opt::new('r', "tree", "column to use tree-like output for the table").value("column"),
        Opt::new('i', "tree-id", "line ID to specify child-parent relation").value("column"),
        Opt::new('p', "tree-parent", "parent to specify child-parent relation").value("column"),
        Opt::new('c', "output-width", "width of output in number of characters").value("width"),
        Opt::new('o', "output-separator", "columns separator for table output (default is two spaces)")
            .value("string"),
        Opt::new('s', "separator", "possible table delimiters").value("string"),
        Opt::new('x', "fillrows", "fill rows before columns"),
        Opt::new('h', "help", ""),
        Opt::new('V', "version", ""),
    ],
    notes: "",
    version: "column from util-linux 2.38.1",
    examples: &[Example { script: "printf 'a 1\\nbbb 22\\n' | column -t", output: "a    1\nbbb  22\n" }],
};

/// Columns of a line on a screen.
fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// Columns between tab stops.
const TAB: usize = 8;

fn columns_first(entries: &[String], widest: usize, total: usize, out: &mut Vec<u8>) {
    let columns = (total / widest).max(1);
    let rows = entries.len().div_ceil(columns);
    for row in 0..rows {
        let (mut end, mut at, mut base) = (widest, 0, row);
        for _ in 0..columns {
            out.extend_from_slice(entries[base].as_bytes());
            at += width(&entries[base]);
            base += rows;
            if base >= entries.len() {
                break;
            }
            tabs(&mut at, end, out);
            end += widest;
        }
        out.push(b'\n');
    }
}

fn rows_first(entries: &[String], widest: usize, total: usize, out: &mut Vec<u8>) {
    let columns = (total / widest).max(1);
    for row in entries.chunks(columns) {
        let (mut end, mut at) = (widest, 0);
        for (i, entry) in row.iter().enumerate() {
            out.extend_from_slice(entry.as_bytes());
            at += width(entry);
            if i + 1 < row.len() {
                tabs(&mut at, end, out);
                end += widest;
            }
        }
        out.push(b'\n');
    }
}

fn tabs(at: &mut usize, end: usize, out: &mut Vec<u8>) {
    loop {
        let next = (*at + TAB) & !(TAB - 1);
        if next > end {
            return;
        }
        out.push(b'\t');
        *at = next;
    }
}

impl Program for Column {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        let json = parsed.has("json");
        let as_table = json || parsed.has("table");
        let number = |process: &mut Process,
                      id: &str,
                      what: &str|
         -> Result<std::result::Result<Option<usize>, Status>> {
            let Some(value) = parsed.last(id) else { return Ok(Ok(None)) };
            match parse_decimal(value) {
                Some(n) => Ok(Ok(Some(n as usize))),
                None => {
                    let shown = String::from_utf8_lossy(value);
                    process.error(format_args!("invalid {what} argument: '{shown}'"))?;
                    Ok(Err(Status::FAILURE))
                }
            }
        };
        let total = match number(process, "output-width", "columns")? {
            Ok(n) => n,
            Err(status) => return Ok(status),
        };
        let limit = match number(process, "table-columns-limit", "columns limit")? {
            Ok(n) => n,
            Err(status) => return Ok(status),
        };
        if !as_table && parsed.options.iter().any(|f| f.id.starts_with("table-")) {
            process.error(format_args!("option --table required for all --table-*"))?;
            return Ok(Status::FAILURE);
        }
        if json && !parsed.has("table-columns") {
            process.error(format_args!("option --table-columns required for --json"))?;
            return Ok(Status::FAILURE);
        }
        let keep_empty = parsed.has("keep-empty-lines");
        let separators = parsed.last("separator").map(|s| String::from_utf8_lossy(s).into_owned());
        let mut table = Table::default();
        let mut entries = Vec::new();
        let mut status = Status::OK;
        let mut held = process.budget.reserve(0)?;
        for name in super::inputs::or_stdin(parsed.operands.clone()) {
            let mut input = match process.open_input(&name) {
                Ok(input) => input,
                Err(e) => {
                    process.complain(format_args!("{}", String::from_utf8_lossy(&name)), e)?;
                    status = Status::FAILURE;
                    continue;
                }
            };
            while let Some(chunk) = input.next_lines(b'\n')? {
                held.grow(4 * chunk.len() as u64)?;
                for line in chunk.split_inclusive(|b| *b == b'\n') {
                    process.budget.step()?;
                    let line = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
                    let empty = line.trim_start().is_empty();
                    if empty && !keep_empty {
                        continue;
                    }
                    match as_table {
                        true if empty => table.rows.push(Vec::new()),
                        true => table.rows.push(table::fields(&line, separators.as_deref(), limit)),
                        false => entries.push(if empty { String::new() } else { line.into_owned() }),
                    }
                }
            }
        }
        let total =
            total.or_else(|| process.env.get("COLUMNS").and_then(|c| parse_decimal(c)).map(|n| n as usize));
        let total = total.filter(|n| *n > 0).unwrap_or(80);
        let mut out = Vec::new();
        if as_table {
            let lists = |id: &str| parsed.last(id).map(|v| String::from_utf8_lossy(v).into_owned());
            let separator = lists("output-separator").unwrap_or_else(|| "  ".to_owned());
            if let Err(message) = table.set_up(&lists, parsed.has("table-noheadings"), !json) {
                process.error(format_args!("{message}"))?;
                return Ok(Status::FAILURE);
            }
            match json {
                true => table.json(&lists("table-name").unwrap_or_else(|| "table".to_owned()), &mut out),
                false => table.print(&separator, total, &mut out),
            }
        } else if !entries.is_empty() {
            let longest = entries.iter().map(|e| width(e)).max().unwrap_or(0);
            if longest >= total {
                for e in &entries {
                    out.extend_from_slice(e.as_bytes());
                    out.push(b'\n');
                }
            } else {
                let widest = (longest + TAB) & !(TAB - 1);
                match parsed.has("fillrows") {
                    true => rows_first(&entries, widest, total, &mut out),
                    false => columns_first(&entries, widest, total, &mut out),
                }
            }
        }
        process.stdout.chunk(Bytes::from(out))?;
        Ok(status)
    }
}

//! Tables of `column -t`: fields, widths, order, trees and JSON.

use super::width;

/// Rows of fields and how to show their columns.
#[derive(Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Vec<String>>,
    columns: Vec<Settings>,
    /// The columns shown, in order.
    order: Vec<usize>,
    headings: bool,
    tree: Option<Tree>,
    /// How deep each row is in the tree.
    depths: Vec<usize>,
}

#[derive(Default, Clone)]
struct Settings {
    name: String,
    right: bool,
    hidden: bool,
    truncate: bool,
    wrap: bool,
}

struct Tree {
    column: usize,
    id: usize,
    parent: usize,
}

/// The fields of a line: at runs of blanks, or at each of the given separators. The last of at most `limit` fields
/// holds the rest.
pub(super) fn fields(line: &str, separators: Option<&str>, limit: Option<usize>) -> Vec<String> {
    let most = limit.filter(|n| *n > 0).unwrap_or(usize::MAX);
    let mut list = Vec::new();
    match separators {
        Some(set) => {
            let mut rest = line;
            while list.len() + 1 < most
                && let Some(at) = rest.find(|c| set.contains(c))
            {
                list.push(rest[..at].to_owned());
                let n = rest[at..].chars().next().map_or(1, char::len_utf8);
                rest = &rest[at + n..];
            }
            list.push(rest.to_owned());
        }
        None => {
            let blank = |c: char| c == ' ' || c == '\t';
            let mut rest = line.trim_start_matches(blank);
            while !rest.is_empty() {
                let end =
                    if list.len() + 1 < most { rest.find(blank).unwrap_or(rest.len()) } else { rest.len() };
                list.push(rest[..end].to_owned());
                rest = rest[end..].trim_start_matches(blank);
            }
        }
    }
    list
}

impl Table {
    /// Reads the options that name columns. The error is a message.
    pub(super) fn set_up(
        &mut self,
        option: &dyn Fn(&str) -> Option<String>,
        no_headings: bool,
        draw: bool,
    ) -> Result<(), String> {
        let names = option("table-columns").map(|n| n.split(',').map(str::to_owned).collect::<Vec<_>>());
        self.headings = names.is_some() && !no_headings;
        let names = names.unwrap_or_default();
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0).max(names.len());
        self.columns = vec![Settings::default(); count];
        for (column, name) in self.columns.iter_mut().zip(names) {
            column.name = name;
        }
        for (id, set) in [
            ("table-right", (|s: &mut Settings| s.right = true) as fn(&mut Settings)),
            ("table-hide", |s| s.hidden = true),
            ("table-truncate", |s| s.truncate = true),
            ("table-wrap", |s| s.wrap = true),
            ("table-noextreme", |_| {}),
        ] {
            let Some(list) = option(id) else { continue };
            for name in list.split(',') {
                match name {
                    "0" => self.columns.iter_mut().for_each(set),
                    // The columns without a name.
                    "-" => self.columns.iter_mut().filter(|c| c.name.is_empty()).for_each(set),
                    name => {
                        if let Some(i) = self.find(name)? {
                            set(&mut self.columns[i]);
                        }
                    }
                }
            }
        }
        if let Some(list) = option("table-order") {
            for name in list.split(',') {
                if let Some(i) = self.find(name)?
                    && !self.order.contains(&i)
                {
                    self.order.push(i);
                }
            }
        }
        let rest: Vec<usize> = (0..count).filter(|i| !self.order.contains(i)).collect();
        self.order.extend(rest);
        self.order.retain(|i| !self.columns[*i].hidden);
        if let Some(column) = option("tree") {
            let (Some(id), Some(parent)) = (option("tree-id"), option("tree-parent")) else {
                return Err("options --tree-id and --tree-parent are required for tree formatting".to_owned());
            };
            if let (Some(column), Some(id), Some(parent)) =
                (self.find(&column)?, self.find(&id)?, self.find(&parent)?)
            {
                self.tree = Some(Tree { column, id, parent });
                self.plant(draw);
            }
        }
        Ok(())
    }

    /// A column by name or number; `None` for a number beyond the last.
    fn find(&self, name: &str) -> Result<Option<usize>, String> {
        if let Some(i) = self.columns.iter().position(|c| !c.name.is_empty() && c.name == name) {
            return Ok(Some(i));
        }
        match name.parse::<usize>() {
            Ok(n) => Ok(n.checked_sub(1).filter(|n| *n < self.columns.len())),
            Err(_) => Err(format!("undefined column name '{name}'")),
        }
    }

    /// Puts the rows into the order of the tree and may draw its branches.
    fn plant(&mut self, draw: bool) {
        let Some(tree) = &self.tree else { return };
        let cell = |row: &[String], i: usize| row.get(i).cloned().unwrap_or_default();
        let ids: Vec<String> = self.rows.iter().map(|r| cell(r, tree.id)).collect();
        let mut by_id = std::collections::HashMap::new();
        for (i, id) in ids.iter().enumerate() {
            by_id.entry(id.clone()).or_insert(i);
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.rows.len()];
        let mut roots = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            match by_id.get(&cell(row, tree.parent)) {
                Some(&p) if p != i => children[p].push(i),
                _ => roots.push(i),
            }
        }
        let mut order = Vec::new();
        let mut seen = vec![false; self.rows.len()];
        // Rows to show, the last first, with what their branch begins with.
        let mut stack: Vec<(usize, String, bool, usize)> =
            roots.iter().rev().map(|r| (*r, String::new(), true, 0)).collect();
        while let Some((i, before, last, depth)) = stack.pop() {
            if std::mem::replace(&mut seen[i], true) {
                continue;
            }
            let (branch, below) = match (depth == 0, last) {
                (true, _) => (String::new(), String::new()),
                (false, false) => (format!("{before}├─"), format!("{before}│ ")),
                (false, true) => (format!("{before}└─"), format!("{before}  ")),
            };
            order.push((i, branch, depth));
            for (n, child) in children[i].iter().enumerate().rev() {
                stack.push((*child, below.clone(), n + 1 == children[i].len(), depth + 1));
            }
        }
        // Rows in a circle have no root.
        order.extend((0..self.rows.len()).filter(|i| !seen[*i]).map(|i| (i, String::new(), 0)));
        let column = tree.column;
        let mut old: Vec<Option<Vec<String>>> =
            std::mem::take(&mut self.rows).into_iter().map(Some).collect();
        for (i, branch, depth) in order {
            let Some(mut row) = old[i].take() else { continue };
            self.depths.push(depth);
            if let Some(cell) = row.get_mut(column).filter(|_| draw) {
                cell.insert_str(0, &branch);
            }
            self.rows.push(row);
        }
    }

    pub(super) fn print(&self, separator: &str, total: usize, out: &mut Vec<u8>) {
        if self.rows.is_empty() && !self.headings {
            return;
        }
        let names: Vec<String> = self.columns.iter().map(|c| c.name.clone()).collect();
        let heading = self.headings.then_some(&names);
        let rows = || heading.into_iter().chain(&self.rows);
        let cell = |row: &[String], i: usize| -> usize { row.get(i).map_or(0, |c| width(c)) };
        let mut widths: Vec<usize> =
            self.order.iter().map(|i| rows().map(|r| cell(r, *i)).max().unwrap_or(0)).collect();
        self.shrink(&mut widths, total, width(separator));
        for row in rows() {
            let mut parts: Vec<Vec<&str>> = Vec::with_capacity(self.order.len());
            for (n, i) in self.order.iter().enumerate() {
                let text = row.get(*i).map_or("", |c| c);
                let settings = &self.columns[*i];
                parts.push(match settings {
                    s if s.wrap => wrap(text, widths[n]),
                    s if s.truncate => vec![cut(text, widths[n]).0],
                    _ => vec![text],
                });
            }
            let lines = parts.iter().map(Vec::len).max().unwrap_or(1).max(1);
            for line in 0..lines {
                for (n, i) in self.order.iter().enumerate() {
                    let text = parts[n].get(line).copied().unwrap_or("");
                    let fill = widths[n].saturating_sub(width(text));
                    let last = n + 1 == self.order.len();
                    if self.columns[*i].right && !(last && text.is_empty()) {
                        out.resize(out.len() + fill, b' ');
                    }
                    out.extend_from_slice(text.as_bytes());
                    if !last {
                        if !self.columns[*i].right {
                            out.resize(out.len() + fill, b' ');
                        }
                        out.extend_from_slice(separator.as_bytes());
                    }
                }
                out.push(b'\n');
            }
        }
    }

    /// Makes the columns that may be cut or wrapped narrower until all fit.
    fn shrink(&self, widths: &mut [usize], total: usize, separator: usize) {
        let sum: usize = widths.iter().sum::<usize>() + separator * widths.len().saturating_sub(1);
        let mut over = sum.saturating_sub(total);
        let flexible = |n: &usize| self.columns[self.order[*n]].truncate || self.columns[self.order[*n]].wrap;
        while over > 0 {
            let widest = (0..widths.len()).filter(flexible).max_by_key(|n| widths[*n]);
            let Some(n) = widest.filter(|n| widths[*n] > 1) else { return };
            // Down to the next narrower one of them, all at once.
            let next =
                (0..widths.len()).filter(flexible).filter(|m| *m != n).map(|m| widths[m]).max().unwrap_or(0);
            let step = (widths[n] - next).max(1).min(over).min(widths[n] - 1);
            widths[n] -= step;
            over -= step;
        }
    }

    pub(super) fn json(&self, name: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\n   ");
        quote(name, out);
        out.extend_from_slice(b": [");
        let depth = |n: usize| self.depths.get(n).copied().unwrap_or(0);
        let indent = |depth: usize, more: usize, out: &mut Vec<u8>| {
            out.push(b'\n');
            out.resize(out.len() + 6 + 6 * depth + more, b' ');
        };
        for (n, row) in self.rows.iter().enumerate() {
            let d = depth(n);
            if n > 0 && depth(n - 1) >= d {
                out.push(b',');
            } else {
                indent(d, 0, out);
            }
            out.push(b'{');
            for (k, i) in self.order.iter().enumerate() {
                if k > 0 {
                    out.push(b',');
                }
                indent(d, 3, out);
                quote(&self.columns[*i].name, out);
                out.extend_from_slice(b": ");
                match row.get(*i).filter(|c| !c.is_empty()) {
                    Some(cell) => quote(cell, out),
                    None => out.extend_from_slice(b"null"),
                }
            }
            let next = if n + 1 < self.rows.len() { depth(n + 1) } else { 0 };
            if next > d {
                out.push(b',');
                indent(d, 3, out);
                out.extend_from_slice(b"\"children\": [");
                continue;
            }
            indent(d, 0, out);
            out.push(b'}');
            for up in (next..d).rev() {
                indent(up, 3, out);
                out.push(b']');
                indent(up, 0, out);
                out.push(b'}');
            }
        }
        out.extend_from_slice(b"\n   ]\n}\n");
    }
}

/// As much of the text as fits, and the rest.
fn cut(text: &str, columns: usize) -> (&str, &str) {
    if text.len() <= columns {
        return (text, "");
    }
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        if used > columns {
            return text.split_at(at);
        }
    }
    (text, "")
}

fn wrap(text: &str, columns: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let (line, more) = cut(rest, columns);
        lines.push(line);
        if more.is_empty() || line.is_empty() {
            return lines;
        }
        rest = more;
    }
}

/// A JSON string.
fn quote(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for b in text.bytes() {
        match b {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', b]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\r' => out.extend_from_slice(b"\\r"),
            8 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            0..32 => out.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
            _ => out.push(b),
        }
    }
    out.push(b'"');
}

//! The two files of a comparison: their lines, and the classes of lines that count as equal.

use super::{Config, White};
use hashbrown::HashMap;
use sandshell_kernel::{Budget, Bytes, Reservation, Result, Time};

/// One file of a comparison.
pub struct Text {
    /// The name, as messages show it.
    pub name: Bytes,
    /// What `--label` says instead, in headers.
    pub label: Option<Bytes>,
    /// Content.
    pub data: Bytes,
    /// Where each line starts, and where the last one ends.
    pub starts: Vec<usize>,
    /// Last content change.
    pub mtime: Time,
    _held: Reservation,
}

impl Text {
    /// Splits `data` into lines.
    pub fn new(name: Bytes, label: Option<Bytes>, data: Bytes, mtime: Time, budget: &Budget) -> Result<Text> {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', &data).map(|i| i + 1));
        if starts.last() != Some(&data.len()) {
            starts.push(data.len());
        }
        let held = budget.reserve((starts.len() * 8) as u64)?;
        Ok(Text { name, label, data, starts, mtime, _held: held })
    }

    /// How many lines.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A line with its newline.
    pub fn line(&self, i: usize) -> &[u8] {
        &self.data[self.starts[i]..self.starts[i + 1]]
    }

    /// Whether the last line lacks its newline.
    pub fn missing_newline(&self) -> bool {
        self.data.last().is_some_and(|&b| b != b'\n')
    }

    /// Whether it is not text: a NUL near its start.
    pub fn is_binary(&self) -> bool {
        memchr::memchr(0, &self.data[..self.data.len().min(64 << 10)]).is_some()
    }
}

/// The lines to compare, as classes: equal lines at both ends are left out.
pub struct Classes {
    /// Lines left out at the start.
    pub prefix: usize,
    /// Classes of the lines between the ends, for each file.
    pub lines: [Vec<u32>; 2],
}

/// Sorts the lines of both files into classes by the rules of `config`.
pub fn classify(texts: &[Text; 2], config: &Config, budget: &Budget) -> Result<Classes> {
    let [a, b] = texts;
    let robust = config.style.robust();
    let line = |t: &Text, i: usize| -> (usize, usize) { (t.starts[i], t.starts[i + 1]) };
    let same = |i: usize, j: usize| {
        let ((s0, e0), (s1, e1)) = (line(a, i), line(b, j));
        let (l, m) = (&a.data[s0..e0], &b.data[s1..e1]);
        l == m || !robust && l.strip_suffix(b"\n").unwrap_or(l) == m.strip_suffix(b"\n").unwrap_or(m)
    };
    let most = a.len().min(b.len());
    let mut prefix = 0;
    while prefix < most && same(prefix, prefix) {
        prefix += 1;
    }
    budget.steps((prefix / 16) as u32)?;
    prefix = prefix.saturating_sub(config.horizon());
    let mut suffix = 0;
    if !(robust && a.missing_newline() != b.missing_newline()) {
        while suffix < most - prefix && same(a.len() - 1 - suffix, b.len() - 1 - suffix) {
            suffix += 1;
        }
        suffix = suffix.saturating_sub(config.horizon());
    }
    let mut held = budget.reservation();
    let mut lines = <[Vec<u32>; 2]>::default();
    if !config.folds() {
        let mut classes: HashMap<&[u8], u32, foldhash::fast::FixedState> = HashMap::default();
        for (f, t) in texts.iter().enumerate() {
            for i in prefix..t.len() - suffix {
                budget.step()?;
                let l = t.line(i);
                let l = if robust { l } else { l.strip_suffix(b"\n").unwrap_or(l) };
                let next = classes.len() as u32;
                lines[f].push(*classes.entry(l).or_insert(next));
            }
        }
        held.set((classes.len() * 32) as u64)?;
        return Ok(Classes { prefix, lines });
    }
    let mut classes: HashMap<Vec<u8>, u32, foldhash::fast::FixedState> = HashMap::default();
    for (f, t) in texts.iter().enumerate() {
        for i in prefix..t.len() - suffix {
            let key = config.fold(t.line(i), robust);
            budget.steps((key.len() / 64 + 1) as u32)?;
            let next = classes.len() as u32;
            let size = key.len() as u64 + 48;
            let class = *classes.entry(key).or_insert(next);
            if class == next {
                held.grow(size)?;
            }
            lines[f].push(class);
        }
    }
    Ok(Classes { prefix, lines })
}

/// As isspace(3) in the C locale.
pub fn is_space(b: u8) -> bool {
    matches!(b, b' ' | 9..=13)
}

impl Config {
    /// Lines of context that are kept comparable at both ends.
    fn horizon(&self) -> usize {
        self.horizon_lines.max(self.style.context())
    }

    /// Whether lines may be equal that differ in bytes.
    fn folds(&self) -> bool {
        self.ignore_case || self.white != White::Keep || self.strip_cr
    }

    /// The line reduced to what counts.
    fn fold(&self, line: &[u8], robust: bool) -> Vec<u8> {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let complete = body.len() < line.len();
        let body = match self.strip_cr && complete {
            true => body.strip_suffix(b"\r").unwrap_or(body),
            false => body,
        };
        let mut key = Vec::with_capacity(body.len() + 1);
        match self.white {
            White::Keep => key.extend_from_slice(body),
            White::All => key.extend(body.iter().copied().filter(|&b| !is_space(b))),
            White::Change => {
                for &b in body {
                    match is_space(b) {
                        true if key.last() == Some(&b' ') => {}
                        true => key.push(b' '),
                        false => key.push(b),
                    }
                }
                if key.last() == Some(&b' ') {
                    key.pop();
                }
            }
            White::Trailing | White::Tabs | White::TabsTrailing => {
                let trailing = self.white != White::Tabs;
                let end = match trailing {
                    true => body.iter().rposition(|&b| !is_space(b)).map_or(0, |i| i + 1),
                    false => body.len(),
                };
                if self.white == White::Trailing {
                    key.extend_from_slice(&body[..end]);
                } else {
                    let mut column = 0;
                    for &b in &body[..end] {
                        match b {
                            b'\t' => {
                                let n = self.tab_size - column % self.tab_size;
                                key.resize(key.len() + n, b' ');
                                column += n;
                            }
                            b'\r' => {
                                key.push(b);
                                column = 0;
                            }
                            8 => {
                                key.push(b);
                                column = column.saturating_sub(1);
                            }
                            b => {
                                key.push(b);
                                column += 1;
                            }
                        }
                    }
                }
            }
        }
        if self.ignore_case {
            key.make_ascii_lowercase();
        }
        let ends_matter = robust && matches!(self.white, White::Keep | White::Tabs);
        if !complete && ends_matter {
            // A last line without a newline is like no complete one.
            key.push(b'\n');
        }
        key
    }
}

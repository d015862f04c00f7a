//! Two columns side by side (`-y`).

use super::{compare::Change, output::Printer};
use sandshell_kernel::Result;
use unicode_width::UnicodeWidthChar;

impl Printer<'_> {
    /// Width of a half line, and where the right column begins.
    fn columns(&self) -> (usize, usize) {
        const GUTTER: usize = 3;
        let w = self.config.width;
        let t = if self.config.expand_tabs { 1 } else { self.config.tab_size };
        let with_gutter = t + GUTTER;
        let unaligned = (w >> 1) + (with_gutter >> 1) + (w & with_gutter & 1);
        let offset = unaligned - unaligned % t;
        let half = offset.saturating_sub(GUTTER).min(w.saturating_sub(offset));
        (half, if half > 0 { offset } else { w })
    }

    /// Prints both files.
    pub fn side_by_side(&mut self, changes: &[Change]) -> Result<()> {
        let (mut i0, mut i1) = (0, 0);
        for c in changes {
            let hunk = std::slice::from_ref(c);
            if self.analyze(hunk).is_none() {
                continue;
            }
            self.common(&mut i0, &mut i1, c.line0, c.line1)?;
            let pairs = c.deleted.min(c.inserted);
            for k in 0..pairs {
                self.row(Some(c.line0 + k), b'|', Some(c.line1 + k))?;
            }
            for k in pairs..c.inserted {
                self.row(None, b'>', Some(c.line1 + k))?;
            }
            for k in pairs..c.deleted {
                self.row(Some(c.line0 + k), b'<', None)?;
            }
            (i0, i1) = (c.line0 + c.deleted, c.line1 + c.inserted);
        }
        let (n0, n1) = (self.texts[0].len(), self.texts[1].len());
        self.common(&mut i0, &mut i1, n0, n1)
    }

    fn common(&mut self, i0: &mut usize, i1: &mut usize, to0: usize, to1: usize) -> Result<()> {
        if !self.config.suppress_common {
            while *i0 < to0 && *i1 < to1 {
                match self.config.left_column {
                    true => self.row(Some(*i0), b'(', None)?,
                    false => self.row(Some(*i0), b' ', Some(*i1))?,
                }
                *i0 += 1;
                *i1 += 1;
            }
            for i in *i1..to1 {
                self.row(None, b')', Some(i))?;
            }
            for i in *i0..to0 {
                self.row(Some(i), b'(', None)?;
            }
        }
        (*i0, *i1) = (to0, to1);
        Ok(())
    }

    fn row(&mut self, left: Option<usize>, mark: u8, right: Option<usize>) -> Result<()> {
        let (half, offset) = self.columns();
        let left = left.map(|i| self.texts[0].line(i));
        let right = right.map(|i| self.texts[1].line(i));
        let complete = |l: &Option<&[u8]>| l.is_some_and(|l| l.ends_with(b"\n"));
        let mut newline = complete(&left);
        let code = match mark {
            b'<' => "de",
            b'>' => "ad",
            _ => "",
        };
        self.color(code)?;
        let mut column = 0;
        if let Some(l) = left {
            column = self.half_line(l, 0, half)?;
        }
        if mark != b' ' {
            column = self.tab(column, (half + offset - 1) / 2)? + 1;
            let mark = match mark {
                b'|' if newline != complete(&right) => {
                    if newline {
                        b'/'
                    } else {
                        b'\\'
                    }
                }
                mark => mark,
            };
            self.out.byte(mark)?;
        }
        if let Some(r) = right {
            newline |= r.ends_with(b"\n");
            if r != b"\n" {
                let column = self.tab(column, offset)?;
                self.half_line(r, column, half)?;
            }
        }
        if newline {
            self.out.byte(b'\n')?;
        }
        if !code.is_empty() {
            self.end_color()?;
        }
        Ok(())
    }

    /// Fills with tabs and spaces up to a column.
    fn tab(&mut self, mut from: usize, to: usize) -> Result<usize> {
        if !self.config.expand_tabs {
            let size = self.config.tab_size;
            let mut tab = from + size - from % size;
            while tab <= to {
                self.out.byte(b'\t')?;
                from = tab;
                tab += size;
            }
        }
        while from < to {
            self.out.byte(b' ')?;
            from += 1;
        }
        Ok(to.max(from))
    }

    /// A line cut to the width of a column; the column reached.
    fn half_line(&mut self, line: &[u8], indent: usize, bound: usize) -> Result<usize> {
        let (mut inside, mut outside) = (0, 0);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        for chunk in line.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\t' => {
                        let size = self.config.tab_size;
                        let spaces = size - inside % size;
                        if inside == outside {
                            let stop = outside + spaces;
                            if self.config.expand_tabs {
                                while outside < stop.min(bound) {
                                    self.out.byte(b' ')?;
                                    outside += 1;
                                }
                            } else if stop < bound {
                                outside = stop;
                                self.out.byte(b'\t')?;
                            }
                        }
                        inside += spaces;
                    }
                    '\r' => {
                        self.out.byte(b'\r')?;
                        self.tab(0, indent)?;
                        (inside, outside) = (0, 0);
                    }
                    '\x08' if inside != 0 => {
                        inside -= 1;
                        if inside < bound {
                            if outside <= inside {
                                self.tab(outside, inside)?;
                            } else {
                                self.out.byte(8)?;
                            }
                            outside = inside;
                        }
                    }
                    '\x08' => {}
                    c => {
                        let width = c.width().unwrap_or(0);
                        inside += width;
                        if inside <= bound {
                            outside = inside;
                            let mut b = [0; 4];
                            self.out.put(c.encode_utf8(&mut b).as_bytes())?;
                        }
                    }
                }
            }
            if inside < bound {
                self.out.put(chunk.invalid())?;
            }
        }
        Ok(outside)
    }
}

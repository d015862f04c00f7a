//! The comparison of GNU diff: lines that match nothing (or too much) are set aside, Myers' algorithm finds a
//! shortest edit of the rest, and runs of changes are then shifted to where they read best. Equal hunks for equal
//! files are the aim, so each step keeps GNU's thresholds.

use sandshell_kernel::{Budget, Result};

/// A run of lines that differ: `deleted` lines of the first file from `line0`, `inserted` of the second from `line1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// First line in the old file, from 0.
    pub line0: usize,
    /// First line in the new file, from 0.
    pub line1: usize,
    /// Lines of the old file.
    pub deleted: usize,
    /// Lines of the new file.
    pub inserted: usize,
    /// Only blank lines or lines that `-I` matches.
    pub ignore: bool,
}

/// A snake longer than this is big.
const SNAKE_LIMIT: isize = 20;

/// Marks per line, with an unmarked sentinel before the first and behind the last.
struct Marks(Vec<bool>);

impl Marks {
    fn new(lines: usize) -> Marks {
        Marks(vec![false; lines + 2])
    }

    fn get(&self, line: isize) -> bool {
        self.0.get((line + 1) as usize).copied().unwrap_or(false)
    }

    fn set(&mut self, line: isize, on: bool) {
        if let Some(m) = self.0.get_mut((line + 1) as usize) {
            *m = on;
        }
    }
}

/// How hard to try.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// `-d`: the smallest set of changes, whatever it costs.
    pub minimal: bool,
    /// `--speed-large-files`: take a good diagonal early.
    pub heuristic: bool,
}

/// The changes between two sequences of line classes (equal numbers are equal lines), in order.
pub fn changes(a: &[u32], b: &[u32], effort: Effort, budget: &Budget) -> Result<Vec<Change>> {
    let classes = a.iter().chain(b).max().map_or(0, |m| *m as usize + 1);
    let mut held = budget.reservation();
    held.set((classes * 8 + (a.len() + b.len()) * 16) as u64)?;
    let mut marks = [Marks::new(a.len()), Marks::new(b.len())];
    let (kept, indexes) = discard_confusing(a, b, classes, effort, &mut marks);
    compare(&kept, &indexes, effort, budget, &mut marks)?;
    let [mut m0, mut m1] = marks;
    shift_boundaries(a, &mut m0, &m1);
    shift_boundaries(b, &mut m1, &m0);
    Ok(script(a.len(), b.len(), &m0, &m1))
}

fn script(n0: usize, n1: usize, m0: &Marks, m1: &Marks) -> Vec<Change> {
    let (mut i0, mut i1) = (0, 0);
    let mut all = Vec::new();
    while i0 < n0 || i1 < n1 {
        let (line0, line1) = (i0, i1);
        while m0.get(i0 as isize) {
            i0 += 1;
        }
        while m1.get(i1 as isize) {
            i1 += 1;
        }
        if (line0, line1) != (i0, i1) {
            all.push(Change { line0, line1, deleted: i0 - line0, inserted: i1 - line1, ignore: false });
        }
        i0 += 1;
        i1 += 1;
    }
    all
}

type Pair<T> = [Vec<T>; 2];

/// Sets aside each line that occurs in one file only, and lines that match very many others when they stand within
/// a run of such lines.
fn discard_confusing(
    a: &[u32],
    b: &[u32],
    classes: usize,
    effort: Effort,
    marks: &mut [Marks; 2],
) -> (Pair<u32>, Pair<u32>) {
    let files = [a, b];
    let counts = files.map(|lines| {
        let mut counts = vec![0u32; classes];
        lines.iter().for_each(|&l| counts[l as usize] += 1);
        counts
    });
    let (mut kept, mut indexes) = <(Pair<u32>, Pair<u32>)>::default();
    for f in 0..2 {
        let lines = files[f];
        let end = lines.len();
        let mut many = 5u32;
        let mut tem = end / 64;
        loop {
            tem >>= 2;
            if tem == 0 {
                break;
            }
            many = many.saturating_mul(2);
        }
        // 1: discard; 2: provisionally.
        let mut discards: Vec<u8> = lines
            .iter()
            .map(|&l| match counts[1 - f][l as usize] {
                0 => 1,
                n if n > many => 2,
                _ => 0,
            })
            .collect();
        settle_provisional(&mut discards);
        for (i, &line) in lines.iter().enumerate() {
            if effort.minimal || discards[i] == 0 {
                kept[f].push(line);
                indexes[f].push(i as u32);
            } else {
                marks[f].set(i as isize, true);
            }
        }
    }
    (kept, indexes)
}

/// Cancels provisional discards that are not well inside a run of sure ones.
fn settle_provisional(discards: &mut [u8]) {
    let end = discards.len();
    let mut i = 0;
    while i < end {
        if discards[i] == 2 {
            discards[i] = 0;
        } else if discards[i] != 0 {
            let mut j = i;
            let mut provisional = 0;
            while j < end && discards[j] != 0 {
                provisional += usize::from(discards[j] == 2);
                j += 1;
            }
            while j > i && discards[j - 1] == 2 {
                j -= 1;
                discards[j] = 0;
                provisional -= 1;
            }
            let length = j - i;
            if provisional * 4 > length {
                discards[i..j].iter_mut().filter(|d| **d == 2).for_each(|d| *d = 0);
            } else {
                settle_run(&mut discards[i..j]);
                i += length - 1;
            }
        }
        i += 1;
    }
}

fn settle_run(run: &mut [u8]) {
    let length = run.len();
    let mut minimum = 1;
    let mut tem = length >> 2;
    loop {
        tem >>= 2;
        if tem == 0 {
            break;
        }
        minimum <<= 1;
    }
    minimum += 1;
    // A subrun of `minimum` or more provisional lines is cancelled whole.
    let mut j = 0;
    while j < length {
        let from = j;
        while j < length && run[j] == 2 {
            j += 1;
        }
        if j - from >= minimum {
            run[from..j].fill(0);
        }
        j += 1;
    }
    // From both ends, provisional lines are cancelled until three sure ones follow each other, or a sure one stands
    // eight lines in.
    let cancel = |run: &mut [u8], at: &dyn Fn(usize) -> usize| {
        let mut consecutive = 0;
        for j in 0..length {
            let k = at(j);
            if j >= 8 && run[k] == 1 {
                break;
            }
            match run[k] {
                2 => {
                    consecutive = 0;
                    run[k] = 0;
                }
                0 => consecutive = 0,
                _ => consecutive += 1,
            }
            if consecutive == 3 {
                break;
            }
        }
    };
    cancel(run, &|j| j);
    cancel(run, &|j| length - 1 - j);
}

struct Search<'a> {
    x: &'a [u32],
    y: &'a [u32],
    forward: Vec<isize>,
    backward: Vec<isize>,
    offset: isize,
    too_expensive: isize,
    heuristic: bool,
}

struct Part {
    x: isize,
    y: isize,
    low_minimal: bool,
    high_minimal: bool,
}

fn compare(
    kept: &Pair<u32>,
    indexes: &Pair<u32>,
    effort: Effort,
    budget: &Budget,
    marks: &mut [Marks; 2],
) -> Result<()> {
    let (x, y) = (&kept[0][..], &kept[1][..]);
    let diagonals = x.len() + y.len() + 3;
    let _held = budget.reserve((diagonals * 16) as u64)?;
    let mut too_expensive = 1isize;
    let mut d = diagonals;
    while d != 0 {
        d >>= 2;
        too_expensive <<= 1;
    }
    let mut search = Search {
        x,
        y,
        forward: vec![0; diagonals + 1],
        backward: vec![0; diagonals + 1],
        offset: y.len() as isize + 1,
        too_expensive: too_expensive.max(4096),
        heuristic: effort.heuristic,
    };
    let mut todo = vec![(0isize, x.len() as isize, 0isize, y.len() as isize, effort.minimal)];
    while let Some((mut xoff, mut xlim, mut yoff, mut ylim, minimal)) = todo.pop() {
        budget.step()?;
        while xoff < xlim && yoff < ylim && search.same(xoff, yoff) {
            xoff += 1;
            yoff += 1;
        }
        while xoff < xlim && yoff < ylim && search.same(xlim - 1, ylim - 1) {
            xlim -= 1;
            ylim -= 1;
        }
        if xoff == xlim {
            (yoff..ylim).for_each(|i| marks[1].set(indexes[1][i as usize] as isize, true));
        } else if yoff == ylim {
            (xoff..xlim).for_each(|i| marks[0].set(indexes[0][i as usize] as isize, true));
        } else {
            let part = search.middle(xoff, xlim, yoff, ylim, minimal, budget)?;
            todo.push((part.x, xlim, part.y, ylim, part.high_minimal));
            todo.push((xoff, part.x, yoff, part.y, part.low_minimal));
        }
    }
    Ok(())
}

impl Search<'_> {
    #[inline]
    fn same(&self, x: isize, y: isize) -> bool {
        self.x[x as usize] == self.y[y as usize]
    }

    /// A point that a shortest edit passes, found from both ends at once.
    fn middle(
        &mut self,
        xoff: isize,
        xlim: isize,
        yoff: isize,
        ylim: isize,
        minimal: bool,
        budget: &Budget,
    ) -> Result<Part> {
        let off = self.offset;
        let at = |d: isize| (d + off) as usize;
        let (dmin, dmax) = (xoff - ylim, xlim - yoff);
        let (fmid, bmid) = (xoff - yoff, xlim - ylim);
        let (mut fmin, mut fmax, mut bmin, mut bmax) = (fmid, fmid, bmid, bmid);
        let odd = (fmid - bmid) & 1 != 0;
        self.forward[at(fmid)] = xoff;
        self.backward[at(bmid)] = xlim;
        let mut cost = 1isize;
        loop {
            budget.steps(((fmax - fmin + bmax - bmin) / 16 + 1) as u32)?;
            let mut big_snake = false;
            // Forward.
            if fmin > dmin {
                fmin -= 1;
                self.forward[at(fmin - 1)] = -1;
            } else {
                fmin += 1;
            }
            if fmax < dmax {
                fmax += 1;
                self.forward[at(fmax + 1)] = -1;
            } else {
                fmax -= 1;
            }
            let mut d = fmax;
            while d >= fmin {
                let (low, high) = (self.forward[at(d - 1)], self.forward[at(d + 1)]);
                let x0 = if low < high { high } else { low + 1 };
                let (mut x, mut y) = (x0, x0 - d);
                while x < xlim && y < ylim && self.same(x, y) {
                    x += 1;
                    y += 1;
                }
                big_snake |= x - x0 > SNAKE_LIMIT;
                self.forward[at(d)] = x;
                if odd && bmin <= d && d <= bmax && self.backward[at(d)] <= x {
                    return Ok(Part { x, y, low_minimal: true, high_minimal: true });
                }
                d -= 2;
            }
            // Backward.
            if bmin > dmin {
                bmin -= 1;
                self.backward[at(bmin - 1)] = isize::MAX;
            } else {
                bmin += 1;
            }
            if bmax < dmax {
                bmax += 1;
                self.backward[at(bmax + 1)] = isize::MAX;
            } else {
                bmax -= 1;
            }
            let mut d = bmax;
            while d >= bmin {
                let (low, high) = (self.backward[at(d - 1)], self.backward[at(d + 1)]);
                let x0 = if low < high { low } else { high - 1 };
                let (mut x, mut y) = (x0, x0 - d);
                while xoff < x && yoff < y && self.same(x - 1, y - 1) {
                    x -= 1;
                    y -= 1;
                }
                big_snake |= x0 - x > SNAKE_LIMIT;
                self.backward[at(d)] = x;
                if !odd && fmin <= d && d <= fmax && x <= self.forward[at(d)] {
                    return Ok(Part { x, y, low_minimal: true, high_minimal: true });
                }
                d -= 2;
            }
            if !minimal {
                let bounds = (xoff, xlim, yoff, ylim);
                if cost > 200 && big_snake && self.heuristic {
                    let found = self.good_diagonal(bounds, (fmin, fmax, fmid), (bmin, bmax, bmid), cost);
                    if let Some(part) = found {
                        return Ok(part);
                    }
                }
                if cost >= self.too_expensive {
                    return Ok(self.best_so_far(bounds, (fmin, fmax), (bmin, bmax)));
                }
            }
            cost += 1;
        }
    }

    /// A diagonal that has come far for its cost and ends in a long snake.
    fn good_diagonal(
        &self,
        (xoff, xlim, yoff, ylim): (isize, isize, isize, isize),
        (fmin, fmax, fmid): (isize, isize, isize),
        (bmin, bmax, bmid): (isize, isize, isize),
        cost: isize,
    ) -> Option<Part> {
        let at = |d: isize| (d + self.offset) as usize;
        let (mut best, mut part) = (0, None);
        let mut d = fmax;
        while d >= fmin {
            let dd = d - fmid;
            let x = self.forward[at(d)];
            let y = x - d;
            let v = (x - xoff) * 2 - dd;
            let inside = xoff + SNAKE_LIMIT <= x && x < xlim && yoff + SNAKE_LIMIT <= y && y < ylim;
            if v > 12 * (cost + dd.abs())
                && v > best
                && inside
                && (1..=SNAKE_LIMIT).all(|k| self.same(x - k, y - k))
            {
                best = v;
                part = Some(Part { x, y, low_minimal: true, high_minimal: false });
            }
            d -= 2;
        }
        if part.is_some() {
            return part;
        }
        let mut d = bmax;
        while d >= bmin {
            let dd = d - bmid;
            let x = self.backward[at(d)];
            let y = x - d;
            let v = (xlim - x) * 2 + dd;
            let inside = xoff < x && x <= xlim - SNAKE_LIMIT && yoff < y && y <= ylim - SNAKE_LIMIT;
            if v > 12 * (cost + dd.abs())
                && v > best
                && inside
                && (0..SNAKE_LIMIT).all(|k| self.same(x + k, y + k))
            {
                best = v;
                part = Some(Part { x, y, low_minimal: false, high_minimal: true });
            }
            d -= 2;
        }
        part
    }

    /// Gives up on the shortest edit: the diagonal that has come farthest.
    fn best_so_far(
        &self,
        (xoff, xlim, yoff, ylim): (isize, isize, isize, isize),
        (fmin, fmax): (isize, isize),
        (bmin, bmax): (isize, isize),
    ) -> Part {
        let at = |d: isize| (d + self.offset) as usize;
        let (mut fbest, mut fx) = (-1, xoff);
        let mut d = fmax;
        while d >= fmin {
            let mut x = self.forward[at(d)].min(xlim);
            let mut y = x - d;
            if ylim < y {
                x = ylim + d;
                y = ylim;
            }
            if fbest < x + y {
                fbest = x + y;
                fx = x;
            }
            d -= 2;
        }
        let (mut bbest, mut bx) = (isize::MAX, xlim);
        let mut d = bmax;
        while d >= bmin {
            let mut x = self.backward[at(d)].max(xoff);
            let mut y = x - d;
            if y < yoff {
                x = yoff + d;
                y = yoff;
            }
            if x + y < bbest {
                bbest = x + y;
                bx = x;
            }
            d -= 2;
        }
        match (xlim + ylim) - bbest < fbest - (xoff + yoff) {
            true => Part { x: fx, y: fbest - fx, low_minimal: true, high_minimal: false },
            false => Part { x: bx, y: bbest - bx, low_minimal: false, high_minimal: true },
        }
    }
}

/// Moves runs of changes over equal lines: back to merge with earlier runs, then forward as far as possible, then
/// back to where the other file has a run too.
fn shift_boundaries(lines: &[u32], changed: &mut Marks, other: &Marks) {
    let class = |i: isize| lines[i as usize];
    let end = lines.len() as isize;
    let (mut i, mut j) = (0isize, 0isize);
    loop {
        while i < end && !changed.get(i) {
            while other.get(j) {
                j += 1;
            }
            j += 1;
            i += 1;
        }
        if i == end {
            return;
        }
        let mut start = i;
        loop {
            i += 1;
            if !changed.get(i) {
                break;
            }
        }
        while other.get(j) {
            j += 1;
        }
        let mut corresponding;
        loop {
            let length = i - start;
            while start > 0 && class(start - 1) == class(i - 1) {
                start -= 1;
                changed.set(start, true);
                i -= 1;
                changed.set(i, false);
                while changed.get(start - 1) {
                    start -= 1;
                }
                loop {
                    j -= 1;
                    if !other.get(j) {
                        break;
                    }
                }
            }
            corresponding = if other.get(j - 1) { i } else { end };
            while i != end && class(start) == class(i) {
                changed.set(start, false);
                start += 1;
                changed.set(i, true);
                i += 1;
                while changed.get(i) {
                    i += 1;
                }
                loop {
                    j += 1;
                    if !other.get(j) {
                        break;
                    }
                    corresponding = i;
                }
            }
            if length == i - start {
                break;
            }
        }
        while corresponding < i {
            start -= 1;
            changed.set(start, true);
            i -= 1;
            changed.set(i, false);
            loop {
                j -= 1;
                if !other.get(j) {
                    break;
                }
            }
        }
    }
}

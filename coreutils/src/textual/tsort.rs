//! `tsort`: a total order of partially ordered names.

use super::inputs;
use crate::cli;
use sandshell_kernel::{Bytes, Process, Program, Result, Status};
use sandshell_text::options::{Example, Order, Spec};
use std::collections::VecDeque;

/// `tsort`
pub struct Tsort;

static SPEC: Spec = Spec {
    name: "tsort",
    about: "Write totally ordered list consistent with the partial ordering in FILE.\n\nWith no FILE, or when FILE is -, read standard input.",
    synopsis: &["[OPTION] [FILE]"],
    options: &[],
    notes: "",
    version: "tsort (GNU coreutils) 9.1",
    examples: &[Example { script: "echo a b b c | tsort", output: "a\nb\nc\n" }],
};

#[derive(Default)]
struct Node {
    before: usize,
    after: Vec<usize>,
    done: bool,
}

impl Program for Tsort {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        let parsed = match cli::parse(process, &SPEC, Order::Permute, 1)? {
            Ok(p) => p,
            Err(status) => return Ok(status),
        };
        if let Some(extra) = parsed.operands.get(1) {
            process.error(format_args!("extra operand {}", cli::quote(extra)))?;
            return cli::try_help(process, 1);
        }
        let name = parsed.operands.first().cloned().unwrap_or(Bytes::from_static(b"-"));
        let Some(mut input) = inputs::open(process, &name)? else { return Ok(Status::FAILURE) };
        let all = input.read_all()?;
        let mut memory = process.budget.reserve(all.len() as u64)?;
        // Names in byte order, as GNU's tree walks them.
        let mut names: Vec<&[u8]> =
            all.split(|b| matches!(b, b' ' | b'\t' | b'\n')).filter(|w| !w.is_empty()).collect();
        let words = names.clone();
        memory.grow(words.len() as u64 * 96)?;
        if !words.len().is_multiple_of(2) {
            let shown = if inputs::is_stdin(&name) { "-".into() } else { cli::shell_quote(&name, false) };
            process.error(format_args!("{shown}: input contains an odd number of tokens"))?;
            return Ok(Status::FAILURE);
        }
        names.sort_unstable();
        names.dedup();
        let number = |w: &[u8]| names.binary_search(&w).unwrap_or(0);
        let mut nodes: Vec<Node> = names.iter().map(|_| Node::default()).collect();
        for pair in words.chunks_exact(2) {
            process.budget.step()?;
            let (a, b) = (number(pair[0]), number(pair[1]));
            if a != b {
                // The latest successor is visited first, as in GNU's list.
                nodes[a].after.push(b);
                nodes[b].before += 1;
            }
        }
        let mut queue: VecDeque<usize> = (0..nodes.len()).filter(|i| nodes[*i].before == 0).collect();
        let mut left = nodes.len();
        let mut status = Status::OK;
        while left > 0 {
            while let Some(i) = queue.pop_front() {
                process.budget.step()?;
                process.stdout.line(names[i])?;
                nodes[i].done = true;
                left -= 1;
                for j in nodes[i].after.clone().into_iter().rev() {
                    nodes[j].before = nodes[j].before.saturating_sub(1);
                    if nodes[j].before == 0 && !nodes[j].done {
                        queue.push_back(j);
                    }
                }
            }
            if left > 0 {
                status = Status::FAILURE;
                let shown = if inputs::is_stdin(&name) { "-".into() } else { cli::shell_quote(&name, false) };
                process.error(format_args!("{shown}: input contains a loop:"))?;
                let cycle = find_loop(&nodes);
                for i in &cycle {
                    process.error(format_args!("{}", String::from_utf8_lossy(names[*i])))?;
                }
                // One edge of the loop is taken out, then the rest goes on.
                let (from, to) = (cycle[cycle.len() - 1], cycle[0]);
                if let Some(at) = nodes[from].after.iter().position(|j| *j == to) {
                    nodes[from].after.remove(at);
                    nodes[to].before = nodes[to].before.saturating_sub(1);
                    if nodes[to].before == 0 {
                        queue.push_back(to);
                    }
                }
            }
        }
        Ok(status)
    }
}

/// A loop among the nodes that are left: each leads to the next, the last to the first.
fn find_loop(nodes: &[Node]) -> Vec<usize> {
    // Every node that is left has a predecessor that is left: walking backwards must come round.
    let mut previous = vec![usize::MAX; nodes.len()];
    for (i, n) in nodes.iter().enumerate().filter(|(_, n)| !n.done) {
        for j in n.after.iter().filter(|j| !nodes[**j].done) {
            if previous[*j] == usize::MAX {
                previous[*j] = i;
            }
        }
    }
    let mut seen = vec![false; nodes.len()];
    let mut at = nodes.iter().position(|n| !n.done).unwrap_or(0);
    while !seen[at] && previous[at] != usize::MAX {
        seen[at] = true;
        at = previous[at];
    }
    let start = at;
    let mut path = vec![start];
    at = previous[start];
    while at != start && at != usize::MAX {
        path.push(at);
        at = previous[at];
    }
    path.reverse();
    path
}

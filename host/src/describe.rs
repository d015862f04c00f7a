//! The description of a tool: what its builder says, and what is true of every tool of this kind.

use crate::{outcome::size, shape::Shape};
use sandshell_api::{Mount, Source};
use std::fmt::Write;

/// Names that models reach for first; those that are not there are named, lest they be tried.
pub(crate) const WISHED: &[&str] = &[
    "python3", "node", "perl", "ruby", "git", "curl", "wget", "ssh", "sqlite3", "psql", "docker", "make",
    "gcc", "sudo", "apt", "pip", "npm", "vim", "ps",
];

/// The text that the model reads when it decides whether and how to call the tool.
pub(crate) fn describe(shape: &Shape, own: &str) -> String {
    let mut d = format!(
        "{}\n\nRuns a bash script (bash 5.2, GNU tools) over a virtual filesystem and gives what it prints.\n",
        own.trim()
    );
    d.push_str("\nDirectories:\n");
    let width = shape.mounts.iter().map(|m| m.path().len()).max().unwrap_or(0);
    for mount in &shape.mounts {
        let _ = writeln!(d, "  {:width$}  {} ({})", mount.path(), mount.about().trim(), kind(mount));
    }
    if !shape.commands.is_empty() {
        d.push_str("\nCommands of this tool:\n");
        for command in &shape.commands {
            let usage = command.usage().trim();
            match usage.starts_with(command.name()) {
                true => _ = writeln!(d, "  {}", usage.replace('\n', "\n    ")),
                false => _ = writeln!(d, "  {}: {}", command.name(), usage.replace('\n', "\n    ")),
            }
            if command.approval().is_some() {
                d.push_str("    (a person is asked first)\n");
            }
        }
    }
    let _ = writeln!(
        d,
        "\nThe first script starts in {}. Kept for the next script of this conversation: files you write, the \
         current directory, variables, functions. Writes change nothing but this conversation's own copy.",
        shape.home
    );
    let l = &shape.limits;
    let _ = writeln!(
        d,
        "Limits of one script: {:?}, {} of memory, {} of output shown (more is cut in its middle; the whole is then \
         in /tmp/output/N.txt).",
        l.wall_clock,
        size(l.memory_bytes as usize),
        size(l.output_bytes as usize),
    );
    let own = |name: &str| shape.commands.iter().any(|c| c.name() == name);
    let mut there: Vec<_> = shape.programs.iter().map(|p| p.spec().name).filter(|n| !own(n)).collect();
    there.sort_unstable();
    there.dedup();
    let missing: Vec<_> = WISHED.iter().copied().filter(|n| !there.contains(n) && !own(n)).collect();
    let _ = writeln!(d, "Programs: {}.", there.join(" "));
    let _ = write!(d, "Not there: network, other machines, {}.", missing.join(", "));
    d
}

fn kind(mount: &Mount) -> &'static str {
    match (mount.source(), mount.is_writable()) {
        (Source::Scratch, _) => "empty at first, writable",
        (_, true) => "writable: changes stay in this conversation",
        (Source::Live(_), _) => "read-only, fresh for every script",
        (Source::Cached { .. }, _) => "read-only, may be some time old",
        (Source::Lazy(_), _) => "read-only, read on demand",
        (Source::Directory(_), _) => "read-only",
    }
}

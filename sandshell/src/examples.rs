//! Small sandboxes that come with the crate: `sandshell validate` checks them, and they show each kind of mount.

use crate::prelude::*;
use std::{io, time::Duration};

/// Notes: a live mount, a scratch directory, and a command that keeps its state in a file.
pub struct Notes;

impl Sandbox for Notes {
    fn description(&self) -> &str {
        "The user's notes, one file each, and a list of things to do."
    }

    fn function_name(&self) -> &str {
        "notes"
    }

    fn mounts(&self) -> Vec<Mount> {
        vec![
            Mount::live("/notes", "one .md per note", async |_scope| {
                Ok(vec![File::text("today.md", "buy milk\n"), File::text("later.md", "paint the fence\n")])
            }),
            Mount::scratch("/work", "your own files; todo.md is the list of the `todo` command"),
        ]
    }

    fn commands(&self) -> Vec<Command> {
        vec![Command::new(
            "todo",
            "todo <text>: puts a line on the list in /work/todo.md; without text, prints the list",
            async |call| {
                if call.args().is_empty() {
                    return Ok(Reply::bytes(call.files().read("/work/todo.md").await.unwrap_or_default()));
                }
                call.files().append("/work/todo.md", format!("- {}\n", call.args().join(" "))).await?;
                Ok(Reply::new())
            },
        )]
    }
}

/// The squares of the natural numbers: a lazy mount that nobody could list as a whole, and a cached one.
pub struct Numbers;

impl Sandbox for Numbers {
    fn description(&self) -> &str {
        "Numbers and their squares."
    }

    fn function_name(&self) -> &str {
        "numbers"
    }

    fn mounts(&self) -> Vec<Mount> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let source = LazySource::new(
            async |_scope, directory: String| {
                Ok(match directory.as_str() {
                    "" => (0..10).map(|n| Entry::directory(format!("{n}000"))).collect(),
                    thousand => {
                        let from: u32 = thousand.parse()?;
                        (from..from + 1000).map(|n| Entry::file(format!("{n}.txt"))).collect()
                    }
                })
            },
            move |_scope, path: String| async move {
                let name =
                    path.rsplit('/').next().and_then(|f| f.strip_suffix(".txt")).ok_or_else(missing)?;
                let n: u64 = name.parse().map_err(|_| missing())?;
                Ok(format!("{}\n", n * n))
            },
        );
        vec![
            Mount::lazy("/squares", "<thousand>/<number>.txt holds the number's square", source),
            Mount::cached(
                "/primes",
                "primes.txt: the primes below 1000",
                Duration::from_secs(3600),
                async |_scope| {
                    let primes =
                        (2u32..1000).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
                    Ok(vec![File::text("primes.txt", primes.map(|p| format!("{p}\n")).collect::<String>())])
                },
            ),
        ]
    }
}

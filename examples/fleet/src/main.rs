//! A fleet of a thousand vehicles as a shell for a model.
//!
//! `cargo run -p sandshell-example-fleet` plays a short conversation of real tool calls; with a script as its argument
//! it runs that script; `--repl` opens a prompt.

mod conversation;
mod data;
mod sandbox;

use sandbox::Fleet;
use sandshell::prelude::*;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    // One thread is enough for the host's side: scripts run on threads of their own.
    tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(run())
}

async fn run() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let host = sandshell::host().build();
    let fleet = host.register(Fleet::new()).await?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => conversation::play(&fleet).await?,
        ["--repl"] => prompt(&fleet).await?,
        ["--validate"] => println!("{}", fleet.report()),
        ["--help" | "-h"] => println!("usage: fleet [SCRIPT | --repl | --validate]"),
        [script] => {
            let outcome = fleet.run("command line", Scope::new(), script).await?;
            print!("{}", outcome.text());
            return Ok(ExitCode::from(outcome.status));
        }
        _ => {
            eprintln!("usage: fleet [SCRIPT | --repl | --validate]");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A prompt in the fleet's sandbox: each line is a tool call of one conversation.
async fn prompt(fleet: &Tool) -> Result<(), Box<dyn std::error::Error>> {
    let mut prompt = sandshell::prompt::Prompt::new(None)?;
    while let Some(script) = prompt.read("fleet$ ")? {
        print!("{}", fleet.run("prompt", Scope::new(), &script).await?.text());
    }
    Ok(())
}

//! A short conversation: what a model is told of the tool, what it sends, and what comes back.

use sandshell::prelude::*;
use std::error::Error;

/// What the model wants, and the script it sends.
const CALLS: &[(&str, &str)] = &[
    ("Look around.", "pwd; ls /; ls /vehicles | wc -l; cat /vehicles/README.md; head -3 /vehicles/index.csv"),
    (
        "How many vehicles by fuel? One record per file, grouped.",
        "jq -r .fuel /vehicles/*.json | sort | uniq -c | sort -rn",
    ),
    (
        "What does service cost per make?",
        r#"awk -F, 'NR > 1 { n[$2]++; cost[$2] += $9 }
    END { for (m in n) printf "%-15s %4d vehicles  %8.2f EUR each\n", m, n[m], cost[m] / n[m] }' /vehicles/index.csv | sort"#,
    ),
    (
        "Which depots have more vehicles than places? A join of two mounts.",
        r#"join -t, <(tail -n +2 /depots/depots.csv | cut -d, -f1-3 | sort -t, -k1,1) \
     <(tail -n +2 /vehicles/index.csv | cut -d, -f6 | sort | uniq -c | awk '{ print $2 "," $1 }') |
  awk -F, '$4 > $2 { print $1 ": " $4 " vehicles, " $2 " places, ask " $3 }'"#,
    ),
    (
        "Note the vehicles with a fault code: 30 000 files behind a slow store.",
        "grep -rl P0420 /telemetry | cut -d/ -f3 | sort -u > faulty.txt; wc -l faulty.txt; head -3 faulty.txt",
    ),
    (
        "Go on from the file of the call before.",
        "sed -i 's/$/ catalyst/' faulty.txt && head -2 faulty.txt && vehicle \"$(head -1 faulty.txt | cut -d' ' -f1)\" | jq -c '{model, odometer_km, last: .services[-1]}'",
    ),
    ("Use a command wrongly, and go on only if it worked.", "vehicle && echo found"),
    ("Write where nothing may be written.", "echo '{}' > /vehicles/B-XX1.json; echo \"status $?\""),
    ("Read from a source that is down.", "ls /recalls; cat /recalls/_ERROR.txt"),
    ("Print too much.", "cat /telemetry/$(ls /telemetry | head -1)/*.jsonl"),
    (
        "Find the cut-off part in the kept output.",
        "ls -l /tmp/output; jq -r .engine_c /tmp/output/*.txt | sort -n | tail -1",
    ),
    ("Never end.", "echo started; while :; do :; done"),
    ("Still there.", "pwd; ls"),
];

/// Plays the conversation on standard output.
pub async fn play(fleet: &Tool) -> Result<(), Box<dyn Error>> {
    title("The tool as a model sees it (Anthropic's shape; others: openai, mcp)");
    let tool = fleet.anthropic();
    println!("name: {}\n{}", tool["name"].as_str().unwrap_or_default(), indent(&fleet.description(), "  "));
    println!("input_schema: {}", tool["input_schema"]);
    for (i, (wish, script)) in CALLS.iter().enumerate() {
        title(&format!("{}. {wish}", i + 1));
        println!("{}", indent(script, "$ "));
        let arguments = serde_json::json!({ "script": script });
        let outcome = fleet.call("example", Scope::new(), &arguments).await?;
        println!("{}", indent(&shortened(&outcome.text()), "  "));
        let changed: Vec<_> = outcome.changed.iter().map(|c| c.path.as_str()).collect();
        let changed =
            if changed.is_empty() { String::new() } else { format!(", wrote {}", changed.join(" ")) };
        println!("  ({} ms{changed})", outcome.time.as_millis());
    }
    Ok(())
}

fn title(text: &str) {
    println!("\n\x1b[1m{text}\x1b[0m");
}

fn indent(text: &str, by: &str) -> String {
    text.lines().map(|l| format!("{by}{l}")).collect::<Vec<_>>().join("\n")
}

/// The reader of this page needs less than the model: long lines and long answers are shortened here.
fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let short = |l: &&str| match l.char_indices().nth(110) {
        Some((i, _)) => format!("{}…", &l[..i]),
        None => (*l).to_owned(),
    };
    if lines.len() <= 16 {
        return lines.iter().map(short).collect::<Vec<_>>().join("\n");
    }
    let note = lines.iter().position(|l| l.starts_with("[fleet: "));
    let mut shown: Vec<String> = lines[..5].iter().map(short).collect();
    shown.push("⋮".into());
    if let Some(n) = note.filter(|n| (5..lines.len() - 3).contains(n)) {
        shown.push(lines[n].to_owned());
        shown.push("⋮".into());
    }
    shown.extend(lines[lines.len() - 3..].iter().map(short));
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_of_the_conversation_does_what_it_shows() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let fleet = sandshell::host().build().register(crate::Fleet::new()).await.unwrap();
            let mut statuses = Vec::new();
            for (wish, script) in CALLS {
                let outcome = fleet.run("test", Scope::new(), script).await.unwrap();
                assert!(!outcome.text().contains("command not found"), "{wish}: {}", outcome.text());
                statuses.push(outcome.status);
            }
            assert_eq!(statuses, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 124, 0]);
        });
    }
}

//! A sandbox as a model meets it: tools, sessions, commands, limits. The host's side runs on one thread throughout.

use futures_util::future::{join, join_all, join3};
use sandshell::{Decision, NameKind, RunError, Stopped, prelude::*, validate};
use serde_json::json;
use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

fn on_one_thread<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work)
}

/// A sandbox put together by a test.
#[derive(Default)]
struct Bench {
    name: Option<&'static str>,
    mounts: Vec<Mount>,
    commands: Vec<Command>,
    limits: Limits,
    home: Option<&'static str>,
}

impl Sandbox for Bench {
    fn description(&self) -> &str {
        "A sandbox of a test."
    }

    fn function_name(&self) -> &str {
        self.name.unwrap_or("bench")
    }

    fn mounts(&self) -> Vec<Mount> {
        self.mounts.clone()
    }

    fn commands(&self) -> Vec<Command> {
        self.commands.clone()
    }

    fn limits(&self) -> Limits {
        self.limits.clone()
    }

    fn home(&self) -> Option<&str> {
        self.home
    }
}

async fn tool(bench: Bench) -> Tool {
    sandshell::host().build().register(bench).await.unwrap()
}

async fn run(tool: &Tool, script: &str) -> Outcome {
    tool.run("c", Scope::new(), script).await.unwrap()
}

fn with_command(command: Command) -> Bench {
    Bench { commands: vec![command], mounts: vec![Mount::scratch("/work", "files")], ..Bench::default() }
}

#[test]
fn a_session_keeps_directory_variables_functions_and_files() {
    on_one_thread(async {
        let t = tool(Bench::default()).await;
        assert_eq!(
            run(&t, "pwd; mkdir d; cd d; x=1; f() { echo f$x; }; echo hi > file").await.text(),
            "/home/user\n"
        );
        assert_eq!(run(&t, "pwd; f; cat file; exit 3; echo no").await.status, 3);
        assert_eq!(run(&t, "f; cat ~/d/file").await.text(), "f1\nhi\n");
        let other = t.run("another", Scope::new(), "ls; echo ${x-unset}").await.unwrap();
        assert_eq!(other.text(), "unset\n");
    });
}

#[test]
fn scripts_start_in_the_first_writable_mount() {
    on_one_thread(async {
        let live = Mount::live("/data", "x", async |_| Ok(vec![File::text("a", "1\n")]));
        let t = tool(Bench { mounts: vec![live, Mount::scratch("/work", "y")], ..Bench::default() }).await;
        assert_eq!(run(&t, "pwd; echo $HOME; cat ../data/a").await.text(), "/work\n/work\n1\n");
        let home = Bench {
            home: Some("/work/deep/down"),
            mounts: vec![Mount::scratch("/work", "y")],
            ..Bench::default()
        };
        assert_eq!(
            run(&tool(home).await, "pwd; touch x; ls; echo 1 > ../y; cd /work; mkdir z; ls").await.text(),
            "/work/deep/down\nx\ndeep\nz\n"
        );
    });
}

#[test]
fn readers_are_given_the_scope_of_the_script() {
    struct User(&'static str);
    on_one_thread(async {
        let live = Mount::live("/me", "the user", async |scope: Scope| {
            Ok(vec![File::text("name", scope.require::<User>()?.0)])
        });
        let t = tool(Bench { mounts: vec![live], ..Bench::default() }).await;
        let (ada, bob) = (Scope::new().with(User("ada")), Scope::new().with(User("bob")));
        let (a, b) = join(t.run("1", ada, "cat /me/name"), t.run("2", bob, "cat /me/name")).await;
        assert_eq!((a.unwrap().text(), b.unwrap().text()), ("ada".into(), "bob".into()));
        let none = run(&t, "cat /me/*").await;
        assert!(none.text().contains("the host attached no"), "{}", none.text());
    });
}

#[test]
fn scripts_of_one_session_take_turns_and_sessions_run_at_once() {
    on_one_thread(async {
        let t = tool(Bench::default()).await;
        let start = Instant::now();
        let one = |c: &'static str, s: &'static str| t.run(c, Scope::new(), s);
        let (a, b, c) = join3(
            one("1", "sleep 0.3; echo a >> f"),
            one("1", "echo b >> f; cat f"),
            one("2", "sleep 0.3; ls"),
        )
        .await;
        assert!(a.unwrap().ok());
        assert_eq!(
            (b.unwrap().text(), c.unwrap().text()),
            ("a\nb\n".into(), "[bench: no output, exit status 0]\n".into())
        );
        assert!(start.elapsed() < Duration::from_millis(580), "{:?}", start.elapsed());
    });
}

#[test]
fn hundreds_of_sessions_run_at_once() {
    on_one_thread(async {
        let live = Mount::live("/data", "slow", async |_| {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok(vec![File::text("a", "1\n2\n")])
        });
        let t = tool(Bench { mounts: vec![live], ..Bench::default() }).await;
        let start = Instant::now();
        let names: Vec<_> = (0..300).map(|n| n.to_string()).collect();
        let runs =
            names.iter().map(|c| t.run(c, Scope::new(), "sleep 0.1; cat /data/a | sort -r | head -n 1"));
        for outcome in join_all(runs).await {
            assert_eq!(outcome.unwrap().text(), "2\n");
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    });
}

#[test]
fn a_dropped_run_is_stopped_and_what_it_wrote_stays() {
    on_one_thread(async {
        let t = tool(Bench::default()).await;
        let never = t.run("c", Scope::new(), "echo 1 > f; while :; do :; done");
        assert!(tokio::time::timeout(Duration::from_millis(200), never).await.is_err());
        let start = Instant::now();
        assert_eq!(run(&t, "cat f").await.text(), "1\n");
        assert!(start.elapsed() < Duration::from_millis(200), "{:?}", start.elapsed());
    });
}

#[test]
fn cancelling_stops_whatever_a_script_does_and_keeps_what_it_printed() {
    let hang = Mount::live("/slow", "never answers", async |scope: Scope| {
        scope.cancelled().await;
        Ok(Vec::new())
    });
    let hang_too = Command::new("hang", "hang", async |call| {
        call.cancelled().await;
        call.fail("cancelled")
    });
    on_one_thread(async move {
        let host = sandshell::host().probe_limit(Duration::from_millis(50)).build();
        let bench = Bench { mounts: vec![hang], commands: vec![hang_too], ..Bench::default() };
        let t = host.register(bench).await.unwrap();
        assert_eq!(t.report().of("reader-hangs").count(), 1);
        let busy = [
            "while :; do :; done",
            "sleep 100",
            "yes > /dev/null",
            "yes | sort | wc",
            "cat /slow/x",
            "hang",
            "ls /slow | cat",
            "read x < <(sleep 100)",
            "sleep 100 & wait",
            "awk 'BEGIN { for (;;) n++ }'",
            "x=$(sleep 100)",
            "trap 'echo again' EXIT TERM; while :; do sleep 1; done",
        ];
        for script in busy {
            let token = sandshell::Cancellation::new();
            let scope = Scope::new().with_cancellation(token.clone());
            let text = format!("echo started; {script}");
            let running = t.run("c", scope, &text);
            let mut cancelled_at = Instant::now();
            let cancel = async {
                tokio::time::sleep(Duration::from_millis(60)).await;
                cancelled_at = Instant::now();
                token.cancel();
            };
            let (outcome, ()) = join(running, cancel).await;
            let outcome = outcome.unwrap();
            assert!(
                cancelled_at.elapsed() < Duration::from_millis(200),
                "{script}: {:?}",
                cancelled_at.elapsed()
            );
            assert_eq!((outcome.status, &outcome.stopped), (130, &Some(Stopped::Cancelled)), "{script}");
            assert!(outcome.text().starts_with("started\n"), "{script}: {}", outcome.text());
        }
    });
}

#[test]
fn the_wall_clock_stops_a_script() {
    on_one_thread(async {
        let limits = Limits { wall_clock: Duration::from_millis(300), ..Limits::default() };
        let t = tool(Bench { limits, ..Bench::default() }).await;
        let start = Instant::now();
        let o = run(&t, "echo before; echo kept > f; while :; do :; done").await;
        assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
        assert_eq!((o.status, &o.stopped), (124, &Some(Stopped::Time(Duration::from_millis(300)))));
        assert!(o.text().starts_with("before\n[bench: stopped after 300ms"), "{}", o.text());
        assert_eq!(run(&t, "cat f").await.text(), "kept\n");
    });
}

#[test]
fn the_memory_limit_stops_a_script() {
    on_one_thread(async {
        let limits = Limits { memory_bytes: 8 << 20, ..Limits::default() };
        let t = tool(Bench { limits, ..Bench::default() }).await;
        let o = run(&t, "echo before; x=x; while :; do x=$x$x; done").await;
        assert_eq!((o.status, &o.stopped), (137, &Some(Stopped::Memory(8 << 20))), "{}", o.text());
        assert!(o.text().starts_with("before\n"));
        assert!(run(&t, "echo ${#x}; echo alive").await.stdout.ends_with(b"alive\n"));
    });
}

#[test]
fn long_output_is_cut_in_the_middle_and_kept_whole() {
    on_one_thread(async {
        let t =
            tool(Bench { limits: Limits { output_bytes: 2000, ..Limits::default() }, ..Bench::default() })
                .await;
        let o = run(&t, "seq 10000; echo oops >&2; false").await;
        let text = o.text();
        assert!(
            text.starts_with("1\n2\n") && text.contains("\n10000\noops\n[bench: exit status 1]\n"),
            "{text}"
        );
        assert!(text.len() < 2400 && text.contains("lines; the whole is in /tmp/output/1.txt]"), "{text}");
        assert_eq!((o.stdout.len(), &o.stderr[..]), (48894, &b"oops\n"[..]));
        let next = run(&t, "wc -l /tmp/output/1.txt; sed -n 5000p /tmp/output/1.txt").await;
        assert_eq!(next.text(), "10001 /tmp/output/1.txt\n5000\n");
        assert_eq!(o.to_json()["cut"]["kept"], json!("/tmp/output/1.txt"));
    });
}

#[test]
fn old_outputs_make_room_for_new_ones() {
    on_one_thread(async {
        let limits = Limits { output_bytes: 2000, overlay_bytes: 1 << 20, ..Limits::default() };
        let t = tool(Bench { limits, ..Bench::default() }).await;
        for _ in 0..5 {
            assert!(run(&t, "seq 10000").await.text().contains("the whole is in"));
        }
        assert_eq!(run(&t, "ls /tmp/output").await.text(), "4.txt\n5.txt\n");
        let o = run(&t, "seq 100000").await;
        assert!(o.text().contains("there was no room to keep the whole"), "{}", o.text());
    });
}

#[test]
fn a_flood_of_output_stops_the_script() {
    on_one_thread(async {
        let t = tool(Bench::default()).await;
        let o = run(&t, "yes; echo not reached > f").await;
        assert_eq!((o.status, &o.stopped), (137, &Some(Stopped::Output)));
        assert_eq!(o.transcript.len(), 8 << 20);
        assert!(o.text().contains("[bench: stopped because it printed more than 8 MiB"));
        assert_eq!(run(&t, "ls; wc -c < /tmp/output/1.txt").await.text(), "8388608\n");
    });
}

#[test]
fn the_streams_are_interleaved_as_a_terminal_shows_them() {
    on_one_thread(async {
        let t = tool(Bench::default()).await;
        let o = run(&t, "echo 1; echo 2 >&2; ls nothing; echo 3; echo 4 | cat; echo 5 >&2").await;
        assert!(
            o.text().starts_with("1\n2\nls: cannot access 'nothing': No such file or directory\n3\n"),
            "{}",
            o.text()
        );
        assert_eq!(&o.stdout[..], b"1\n3\n4\n");
    });
}

#[test]
fn changed_files_are_told() {
    on_one_thread(async {
        let t = tool(Bench { mounts: vec![Mount::scratch("/work", "w")], ..Bench::default() }).await;
        let paths =
            |o: Outcome| o.changed.iter().map(|c| format!("{:?} {}", c.kind, c.path)).collect::<Vec<_>>();
        let o = run(&t, "echo 1 > a; echo 2 > b; echo 3 > /tmp/t; mkdir d; echo 4 > d/c").await;
        assert_eq!(paths(o), ["Created /work/a", "Created /work/b", "Created /work/d/c"]);
        let o = run(&t, "echo 9 >> a; rm b; cat d/c").await;
        assert_eq!(paths(o), ["Changed /work/a", "Removed /work/b"]);
        assert!(run(&t, "cat a; ls").await.changed.is_empty());
    });
}

#[test]
fn a_command_is_a_program_like_any_other() {
    let shout = Command::new(
        "shout",
        "shout [WORD]...: prints its words, or its standard input, in capitals",
        async |call| {
            let text = match call.args() {
                [] => call.stdin_text().await?,
                words => words.join(" ") + "\n",
            };
            Ok(Reply::text(text.to_uppercase()))
        },
    );
    on_one_thread(async {
        let t = tool(with_command(shout)).await;
        assert_eq!(
            run(&t, "shout a b; echo c | shout | tr C D; type -t shout").await.text(),
            "A B\nC\n".replace('C', "D") + "file\n"
        );
        assert_eq!(run(&t, "printf 'x\\ny\\n' | while read l; do shout $l; done").await.text(), "X\nY\n");
        assert_eq!(run(&t, "shout q > f && cat f; printf '1 2' | xargs -n1 shout").await.text(), "Q\n1\n2\n");
        assert_eq!(
            run(&t, "shout --help").await.text(),
            "shout [WORD]...: prints its words, or its standard input, in capitals\n"
        );
        assert_eq!(run(&t, "shout --version").await.text(), "--VERSION\n");
        assert!(t.description().contains("shout [WORD]...: prints its words"));
    });
}

#[test]
fn a_command_uses_the_files_of_the_script() {
    let note = Command::new("note", "note <file> <text>: appends a line", async |call| {
        let [file, text] = call.args() else { return call.fail("usage: note <file> <text>") };
        let files = call.files();
        files.append(file, format!("{text}\n")).await?;
        let size = files.stat(file).await?.size;
        let names: Vec<_> = files.list(".").await?.into_iter().map(|f| f.name).collect();
        Ok(Reply::text(format!("{} {size} {}\n", files.resolve(file), names.join(","))))
    });
    on_one_thread(async {
        let mut bench = with_command(note);
        bench.mounts.push(Mount::live("/ro", "read-only", async |_| Ok(vec![File::text("x", "1")])));
        let t = tool(bench).await;
        assert_eq!(run(&t, "mkdir -p d; cd d; note a hi; cat a").await.text(), "/work/d/a 3 a\nhi\n");
        let o = run(&t, "note /ro/y no && echo reached; echo x > /ro/y").await;
        assert_eq!(o.text().matches("Read-only file system").count(), 2, "{}", o.text());
        assert!(run(&t, "ln -s /bin/note n; ./n b hi").await.text().starts_with("/work/d/b 3 "));
        let o = run(&t, "note || echo status $?").await;
        assert_eq!(o.text(), "note: usage: note <file> <text>\nstatus 1\n");
    });
}

#[test]
fn a_command_may_read_a_mount_while_the_host_has_one_thread() {
    let peek = Command::new("peek", "peek: reads a live file", async |call| {
        Ok(Reply::text(call.files().read_text("/data/a").await?))
    });
    on_one_thread(async {
        let mut bench = with_command(peek);
        bench.mounts.push(Mount::live("/data", "slow", async |_| {
            tokio::time::sleep(Duration::from_millis(5)).await;
            Ok(vec![File::lazy("a", || async {
                tokio::time::sleep(Duration::from_millis(5)).await;
                Ok("lazy\n")
            })])
        }));
        let t = tool(bench).await;
        assert_eq!(run(&t, "peek; peek | cat; x=$(peek); echo $x").await.text(), "lazy\nlazy\nlazy\n");
    });
}

#[test]
fn faults_and_panics_of_a_command_are_reported() {
    let bad = Command::new("bad", "bad how: fails", async |call| match call.args() {
        [how] if how == "panic" => panic!("no more {how}"),
        _ => Err("the database is gone".into()),
    });
    on_one_thread(async {
        let t = tool(with_command(bad)).await;
        assert_eq!(
            run(&t, "bad").await.text(),
            "bad: the command failed: the database is gone\n[bench: exit status 1]\n"
        );
        let o = run(&t, "bad panic; echo next $?").await;
        assert_eq!(o.text(), "bad: the command crashed: no more panic\nnext 1\n");
    });
}

#[test]
fn approval_is_asked_before_a_command_runs() {
    struct Rule(AtomicU32);

    #[async_trait]
    impl Approver for Rule {
        async fn approve(&self, request: &sandshell::ApprovalRequest) -> Decision {
            assert_eq!(
                (&request.tool[..], &request.command[..], &request.summary[..]),
                ("bench", "wipe", "wipes")
            );
            match (self.0.fetch_add(1, SeqCst), &request.args[..]) {
                (_, [one]) if one == "all" => Decision::Denied("not everything".into()),
                _ => Decision::Approved,
            }
        }
    }

    let wipe =
        || Command::new("wipe", "wipe WHAT", async |_| Ok(Reply::text("done\n"))).needs_approval("wipes");
    on_one_thread(async {
        let nobody = tool(with_command(wipe())).await;
        let o = run(&nobody, "wipe x").await;
        assert_eq!((o.status, o.text().contains("needs approval")), (1, true));
        let host = sandshell::host().approver(Rule(AtomicU32::new(0))).build();
        let t = host.register(with_command(wipe())).await.unwrap();
        assert_eq!(
            run(&t, "wipe x; wipe all").await.text(),
            "done\nwipe: not approved: not everything\n[bench: exit status 1]\n"
        );
    });
}

#[test]
fn a_failing_reader_shows_its_message_and_the_rest_works() {
    on_one_thread(async {
        let down = Mount::live("/down", "broken", async |_| Err("503 Service Unavailable".into()));
        let good = Mount::live("/good", "works", async |_| Ok(vec![File::text("a", "1\n")]));
        let t = tool(Bench { mounts: vec![down, good], ..Bench::default() }).await;
        assert_eq!(t.report().of("reader-failed").count(), 1);
        let o = run(&t, "ls /down; echo $?; cat /down/_ERROR.txt; cat /good/a").await;
        assert!(
            o.text().starts_with("_ERROR.txt\nls: /down could not be read: 503 Service Unavailable\n1\n"),
            "{}",
            o.text()
        );
        assert!(run(&t, "echo /down/*").await.text().contains("bash: /down could not be read"));
        assert!(
            o.text().contains("_ERROR.txt\n") && o.text().contains("503 Service Unavailable"),
            "{}",
            o.text()
        );
        assert!(o.text().contains("\n1\n"), "{}", o.text());
    });
}

#[test]
fn a_live_reader_runs_once_per_script_and_only_when_touched() {
    on_one_thread(async {
        let reads = Arc::new(AtomicU32::new(0));
        let seen = reads.clone();
        let live = Mount::live("/n", "a counter", move |_| {
            let n = reads.fetch_add(1, SeqCst);
            async move { Ok(vec![File::text("n", n.to_string())]) }
        });
        let t = tool(Bench { mounts: vec![live], ..Bench::default() }).await;
        assert_eq!(seen.load(SeqCst), 1);
        run(&t, "echo x; pwd; cd /").await;
        assert_eq!(seen.load(SeqCst), 1);
        assert_eq!(run(&t, "cat /n/n; ls /n | cat /n/n").await.text(), "11");
        assert_eq!(run(&t, "cat /n/n").await.text(), "2");
    });
}

#[test]
fn an_idle_session_is_forgotten() {
    on_one_thread(async {
        let host = sandshell::host().idle(Duration::from_millis(100)).build();
        let t = host.register(Bench::default()).await.unwrap();
        run(&t, "sleep 0.15; echo 1 > f").await;
        assert_eq!((run(&t, "cat f").await.text(), host.sessions()), ("1\n".into(), 1));
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(host.sessions(), 0);
        assert_eq!(run(&t, "ls").await.text(), "[bench: no output, exit status 0]\n");
        t.forget("c");
        assert_eq!(host.sessions(), 0);
    });
}

#[test]
fn two_tools_of_one_name_are_refused_in_one_conversation() {
    on_one_thread(async {
        let host = sandshell::host().build();
        let (a, b) =
            (host.register(Bench::default()).await.unwrap(), host.register(Bench::default()).await.unwrap());
        let c = host.register(Bench { name: Some("other"), ..Bench::default() }).await.unwrap();
        assert!(Conversation::new("c", [a.clone(), b.clone()]).is_err());
        let both = Conversation::new("c", [a.clone(), c, a.clone()]).unwrap();
        assert_eq!(both.tools().len(), 2);
        let o = both.call("other", Scope::new(), &json!({"script": "echo 1"})).await.unwrap().unwrap();
        assert_eq!(o.text(), "1\n");
        assert!(both.call("nothing", Scope::new(), &json!({})).await.is_none());
        run(&a, "echo 1").await;
        assert_eq!(
            b.run("c", Scope::new(), "echo 2").await.unwrap_err(),
            RunError::NameTaken("bench".into())
        );
        assert!(matches!(a.call("c", Scope::new(), &json!({"cmd": "x"})).await, Err(RunError::Arguments(_))));
    });
}

#[test]
fn an_edited_sandbox_keeps_what_its_sessions_wrote() {
    on_one_thread(async {
        let bench = |text: &'static str| Bench {
            mounts: vec![
                Mount::live("/data", "x", move |_| async move { Ok(vec![File::text("a", text)]) }),
                Mount::scratch("/work", "w"),
            ],
            ..Bench::default()
        };
        let t = tool(bench("old\n")).await;
        assert_eq!(run(&t, "cat /data/a; echo mine > f").await.text(), "old\n");
        let mut new = bench("new\n");
        new.commands.push(Command::new("fresh", "fresh", async |_| Ok(Reply::text("fresh\n"))));
        t.replace(new).await.unwrap();
        assert_eq!(
            run(&t, "cat /data/a f; fresh; ls /bin/fresh").await.text(),
            "new\nmine\nfresh\n/bin/fresh\n"
        );
    });
}

#[test]
fn a_changed_version_is_noticed() {
    struct Counting(AtomicU32);

    impl Sandbox for Counting {
        fn description(&self) -> &str {
            "Counts."
        }

        fn mounts(&self) -> Vec<Mount> {
            let n = self.0.load(SeqCst);
            vec![Mount::live("/n", "n", move |_| async move { Ok(vec![File::text("n", format!("{n}\n"))]) })]
        }

        fn version(&self) -> String {
            self.0.fetch_add(1, SeqCst).to_string()
        }
    }

    on_one_thread(async {
        let t = sandshell::host().build().register(Counting(AtomicU32::new(0))).await.unwrap();
        let first = run(&t, "cat /n/n; echo x > f").await.text();
        let second = run(&t, "cat /n/n f").await.text();
        assert_ne!(format!("{first}x\n"), second);
        assert!(second.ends_with("x\n"));
    });
}

#[test]
fn a_tool_describes_itself_in_each_shape() {
    on_one_thread(async {
        let mut bench = with_command(Command::new("go", "go PLACE: goes there", async |_| Ok(Reply::new())));
        bench.mounts.push(Mount::live("/data", "some data", async |_| Ok(Vec::new())));
        let t = tool(bench).await;
        let d = t.description();
        for part in [
            "A sandbox of a test.",
            "/data",
            "some data (read-only",
            "go PLACE",
            "30s",
            "64 KiB",
            "Not there: network",
            "git",
        ] {
            assert!(d.contains(part), "{part}: {d}");
        }
        assert_eq!(t.anthropic()["input_schema"]["required"], json!(["script"]));
        assert_eq!(t.mcp()["inputSchema"], t.schema());
        assert_eq!(t.openai_responses()["name"], "bench");
        let long = Bench {
            mounts: (0..40).map(|n| Mount::scratch(format!("/m{n}"), "x".repeat(50))).collect(),
            ..Bench::default()
        };
        let long = tool(long).await.openai();
        let f = &long["function"];
        assert!(f["description"].as_str().unwrap().chars().count() <= 1024);
        assert!(
            f["parameters"]["properties"]["script"]["description"].as_str().unwrap().contains("Not there")
        );
    });
}

#[test]
fn a_bad_sandbox_is_refused_with_reasons() {
    let command = |name: &str, usage: &str| Command::new(name, usage, async |_| Ok(Reply::new()));
    let bench = Bench {
        name: Some("not a name"),
        mounts: vec![
            Mount::scratch("/a/b", "x"),
            Mount::scratch("/tmp", "x"),
            Mount::scratch("/c", ""),
            Mount::scratch("/c", "x"),
        ],
        commands: vec![
            command("ls", "x"),
            command("cd", "x"),
            command("a b", "x"),
            command("ok", " "),
            command("ok", "x"),
        ],
        limits: Limits { wall_clock: Duration::ZERO, stages: u32::MAX, ..Limits::default() },
        home: Some("/nowhere"),
    };
    on_one_thread(async {
        let host = sandshell::host().build();
        let report = host.register(bench).await.unwrap_err().0;
        let codes: Vec<_> = report.findings.iter().map(|f| &f.code[..]).collect();
        assert_eq!(
            codes,
            [
                "function-name",
                "mount-path",
                "mount-reserved",
                "mount-about",
                "mount-duplicate",
                "home",
                "command-shadows",
                "command-shadows",
                "command-name",
                "command-usage",
                "command-duplicate",
                "limit-clamped",
                "limit-clamped",
            ]
        );
        assert_eq!(host.reports(), std::slice::from_ref(&report));
        assert!(report.to_string().contains("error[mount-reserved] /tmp"), "{report}");
        assert_eq!(serde_json::to_value(&report).unwrap()["findings"][0]["severity"], "error");
        let files = Mount::live("/d", "x", async |_| {
            Ok(["/abs", "", "a/../b", "x\0", "f", "f/g", "f"].map(|p| File::text(p, "")).into())
        });
        let refused = host.register(Bench { mounts: vec![files], ..Bench::default() }).await.unwrap_err();
        assert!(refused.to_string().contains("refused: /d//abs: the path is absolute"), "{refused}");
        let refused = refused.0;
        assert!(refused.to_string().contains("/d/x\\0: the path contains NUL"), "{refused}");
        let count = |code| refused.of(code).count();
        assert_eq!(
            (count("file-path"), count("file-duplicate"), count("file-and-directory")),
            (4, 1, 1),
            "{refused}"
        );
        let deep = LazySource::new(
            async |_, _| Ok(Directory::of([Entry::file("a/b"), Entry::file("c")])),
            async |_, _| Ok(""),
        );
        let deep = Bench { mounts: vec![Mount::lazy("/d", "x", deep)], ..Bench::default() };
        assert_eq!(host.register(deep).await.unwrap_err().0.of("file-path").count(), 1);
        let long = Mount::live("/d", "x", async |_| {
            Ok((0..20_000).map(|n| File::text(n.to_string(), "")).collect())
        });
        let t = host.register(Bench { mounts: vec![long], ..Bench::default() }).await.unwrap();
        assert_eq!(t.report().of("listing-long").count(), 1);
        assert_eq!(host.reports().len(), 4);
        assert_eq!(
            (host.name_kind("if"), host.name_kind("cd"), host.name_kind("jq")),
            (NameKind::Keyword, NameKind::Builtin, NameKind::Program)
        );
        assert_eq!(
            (host.name_kind("git"), host.name_kind("vehicle")),
            (NameKind::Placeholder, NameKind::Unknown)
        );
        for own in [
            validate(&sandshell::examples::Notes, &|n| host.name_kind(n)),
            validate(&sandshell::examples::Numbers, &|n| host.name_kind(n)),
        ] {
            assert!(own.is_clean(), "{own}");
        }
    });
}

//! Sessions in memory: one per conversation and tool, found again at the next script, dropped after idle time. One
//! script at a time runs in each; those that come meanwhile wait their turn.

use crate::{
    Outcome, RunError, Stopped,
    engine::Engine,
    host::Inner,
    outcome::{Change, Cut},
    shape::Shape,
    transcript::{Printed, Transcript},
};
use futures_util::future::{Either, select};
use sandshell_api::{Cancellation, Scope};
use sandshell_kernel::{Budget, Run, Stop, threads};
use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

/// Sessions by conversation and function name.
type Live = moka::sync::Cache<(String, String), Arc<Session>>;

/// The sessions of a host.
pub(crate) struct Sessions {
    live: Live,
}

struct Session {
    tool: u64,
    /// The host does not want it any more.
    forgotten: AtomicBool,
    /// Held by the running script, also when nobody waits for it any more.
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    engine: Option<Engine>,
    scripts: u64,
}

impl Sessions {
    pub(crate) fn new(idle: Duration) -> Sessions {
        Sessions { live: moka::sync::Cache::builder().time_to_idle(idle).build() }
    }

    pub(crate) fn len(&self) -> usize {
        self.live.run_pending_tasks();
        self.live.entry_count() as usize
    }

    pub(crate) fn forget(&self, conversation: &str, name: &str) {
        if let Some(session) = self.live.remove(&(conversation.to_owned(), name.to_owned())) {
            session.forgotten.store(true, Relaxed);
        }
    }

    /// Runs one script in its session, after those that came before it.
    pub(crate) async fn run(
        &self,
        host: &Arc<Inner>,
        tool: u64,
        shape: Arc<Shape>,
        conversation: &str,
        scope: Scope,
        script: &str,
    ) -> Result<Outcome, RunError> {
        let key = (conversation.to_owned(), shape.name.clone());
        let fresh = || Arc::new(Session { tool, forgotten: AtomicBool::new(false), state: Arc::default() });
        let session = self.live.get_with_by_ref(&key, fresh);
        if session.tool != tool {
            return Err(RunError::NameTaken(shape.name.clone()));
        }
        let _in_use = InUse { live: &self.live, key, session: session.clone() };
        let turn = pin!(session.state.clone().lock_owned());
        let mut state = match select(turn, pin!(scope.cancelled())).await {
            Either::Left((state, _)) => state,
            Either::Right(_) => return Ok(never_run(&shape)),
        };
        match &mut state.engine {
            Some(engine) if engine.is_of(&shape) => {}
            Some(engine) => engine.rebuild(&shape, host).map_err(RunError::Session)?,
            none => *none = Some(Engine::new(&shape, host).map_err(RunError::Session)?),
        }
        run_script(state, host, shape, scope, script).await
    }
}

/// Lets the idle time of a session count from the end of a script, also of one that ran longer.
struct InUse<'a> {
    live: &'a Live,
    key: (String, String),
    session: Arc<Session>,
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        if !self.session.forgotten.load(Relaxed) {
            self.live.entry_by_ref(&self.key).or_insert_with(|| self.session.clone());
        }
    }
}

/// A script that was cancelled while it waited for its turn.
fn never_run(shape: &Shape) -> Outcome {
    Outcome {
        tool: shape.name.clone(),
        stdout: Default::default(),
        stderr: Default::default(),
        transcript: Default::default(),
        status: Stop::Cancelled.status(),
        cut: None,
        stopped: Some(Stopped::Cancelled),
        changed: Vec::new(),
        time: Duration::ZERO,
    }
}

/// Stops the script when asked, and when the future that waits for it is dropped.
struct Leash {
    budget: Budget,
    token: Cancellation,
}

impl Leash {
    /// The script first: a reader that answers because it was cancelled must not let the script go on.
    fn pull(&self) {
        self.budget.stop(Stop::Cancelled);
        self.token.cancel();
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        self.pull();
    }
}

/// What the thread of a script hands back.
struct Ended {
    status: u8,
    stopped: Option<Stopped>,
    changed: Vec<Change>,
    printed: Printed,
    cut: Option<Cut>,
    time: Duration,
}

impl Ended {
    /// When the thread ended without a word.
    fn fault(transcript: &Transcript) -> Ended {
        Ended {
            status: 1,
            stopped: Some(Stopped::Fault),
            changed: Vec::new(),
            printed: transcript.take(),
            cut: None,
            time: Duration::ZERO,
        }
    }
}

async fn run_script(
    state: OwnedMutexGuard<State>,
    host: &Arc<Inner>,
    shape: Arc<Shape>,
    scope: Scope,
    script: &str,
) -> Result<Outcome, RunError> {
    let outer = scope.cancellation().clone();
    let token = Cancellation::new();
    let budget = Budget::new(shape.kernel_limits());
    let leash = Leash { budget: budget.clone(), token: token.clone() };
    let scope = scope.with_cancellation(token);
    let run = Run::with_commands(scope, Some(host.host_call()), Some(shape.runner.clone()));
    let transcript = Transcript::new();
    let (send, receive) = oneshot::channel();
    let work = {
        let (shape, script, transcript) = (shape.clone(), script.to_owned(), transcript.clone());
        move || {
            let ended = on_thread(state, &shape, &script, run, budget, &transcript);
            drop(send.send(ended));
        }
    };
    let ended = match threads::start(work) {
        Err(e) => return Err(RunError::Session(e.to_string())),
        Ok(_) => match select(receive, pin!(outer.cancelled())).await {
            Either::Left((ended, _)) => ended,
            Either::Right((_, receive)) => {
                leash.pull();
                receive.await
            }
        },
    };
    drop(leash);
    let ended = ended.ok().flatten().unwrap_or_else(|| Ended::fault(&transcript));
    let (stdout, stderr) = ended.printed.streams();
    Ok(Outcome {
        tool: shape.name.clone(),
        stdout,
        stderr,
        transcript: ended.printed.into_text(),
        status: ended.status,
        cut: ended.cut,
        stopped: ended.stopped,
        changed: ended.changed,
        time: ended.time,
    })
}

/// The part that blocks.
fn on_thread(
    mut state: OwnedMutexGuard<State>,
    shape: &Shape,
    script: &str,
    run: Arc<Run>,
    budget: Budget,
    transcript: &Arc<Transcript>,
) -> Option<Ended> {
    let start = Instant::now();
    state.scripts += 1;
    let number = state.scripts;
    let engine = state.engine.as_mut()?;
    let before = engine.snapshot();
    let (stdout, stderr) = transcript.ends();
    let (status, stopped) = engine.run(script, stdout, stderr, run.clone(), budget);
    let time = start.elapsed();
    let changed = engine.changes(&before);
    let printed = transcript.take();
    let cut = printed
        .clamp(shape.limits.output_bytes as usize)
        .map(|clamped| Cut { clamped, kept: engine.keep_output(number, printed.text(), &run) });
    Some(Ended { status, stopped, changed, printed, cut, time })
}

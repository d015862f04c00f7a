//! What scripts keep of what the host gave them, and one flight for all who want the same: whoever comes first asks,
//! the others wait, and when the first gives up (its deadline) the next one asks.

use super::Asking;
use crate::{Budget, Bytes, Errno, Error, Reservation, Result, stream::pipe};
use hashbrown::HashMap;
use parking_lot::{Condvar, Mutex};
use sandshell_api::{BoxFuture, Scope};
use std::{
    any::Any,
    collections::VecDeque,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::{sync::Semaphore, task::AbortHandle};

/// A value that is being fetched, or is there.
pub(super) struct Flight<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

enum State<T> {
    Idle,
    Running,
    Done(T),
}

impl<T> Default for Flight<T> {
    fn default() -> Self {
        Flight { state: Mutex::new(State::Idle), changed: Condvar::new() }
    }
}

impl<T: Clone> Flight<T> {
    /// The value, if it is there.
    pub fn peek(&self) -> Option<T> {
        match &*self.state.lock() {
            State::Done(v) => Some(v.clone()),
            _ => None,
        }
    }

    /// The value; `fetch` runs when nobody else is at it. A value that `keep` refuses is not kept.
    pub fn get(
        &self,
        budget: &Budget,
        keep: impl FnOnce(&T) -> bool,
        fetch: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let mut state = self.state.lock();
        loop {
            match &*state {
                State::Done(v) => return Ok(v.clone()),
                State::Idle => break,
                State::Running => {
                    drop(state);
                    budget.check()?;
                    pipe::promote_deferred();
                    state = self.state.lock();
                    if matches!(*state, State::Running) {
                        self.changed.wait_for(&mut state, Duration::from_millis(20));
                    }
                }
            }
        }
        *state = State::Running;
        drop(state);
        let landing = Landing(self);
        let value = fetch()?;
        if keep(&value) {
            landing.done(value.clone());
        }
        Ok(value)
    }

    /// The value, once whoever is at it has it; `None` when nobody is.
    pub fn wait(&self, budget: &Budget) -> Result<Option<T>> {
        let mut state = self.state.lock();
        loop {
            match &*state {
                State::Done(v) => return Ok(Some(v.clone())),
                State::Idle => return Ok(None),
                State::Running => {
                    drop(state);
                    budget.check()?;
                    pipe::promote_deferred();
                    state = self.state.lock();
                    if matches!(*state, State::Running) {
                        self.changed.wait_for(&mut state, Duration::from_millis(20));
                    }
                }
            }
        }
    }

    /// Takes the flight if nobody has: for a task that will call [`Flight::finish`].
    fn begin(&self) -> bool {
        let mut state = self.state.lock();
        let idle = matches!(*state, State::Idle);
        if idle {
            *state = State::Running;
        }
        idle
    }

    /// Ends a flight that [`Flight::begin`] took; without a value the next one asks again.
    fn finish(&self, value: Option<T>) {
        *self.state.lock() = value.map_or(State::Idle, State::Done);
        self.changed.notify_all();
    }
}

impl<T: Clone + Send + 'static> Flight<T> {
    /// Fetches on the host's runtime, without waiting. Nothing happens when somebody is at it already; a failure
    /// leaves the flight to the next who asks.
    pub fn ahead(
        self: &Arc<Self>,
        asking: &Asking<'_>,
        fetch: impl FnOnce(Scope) -> BoxFuture<sandshell_api::Result<T>>,
    ) {
        let Some(host) = &asking.run.host else { return };
        let kept = &asking.run.kept;
        if !kept.may_start() || !self.begin() {
            return;
        }
        let (permits, future) = (kept.permits(asking.budget), fetch(asking.run.scope.clone()));
        let end = AheadEnd(self.clone());
        let task = host.start(async move {
            let _permit = permits.acquire_owned().await;
            if let Ok(value) = future.await {
                end.0.finish(Some(value));
            }
        });
        kept.started(task);
    }
}

/// Frees the flight for the next when its holder gives up.
struct Landing<'a, T: Clone>(&'a Flight<T>);

impl<T: Clone> Landing<'_, T> {
    fn done(self, value: T) {
        self.0.finish(Some(value));
    }
}

impl<T: Clone> Drop for Landing<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        if matches!(*state, State::Running) {
            *state = State::Idle;
        }
        drop(state);
        self.0.changed.notify_all();
    }
}

/// Contents by key, the oldest given up when they are too many bytes.
pub(super) struct Contents {
    inner: Mutex<Inner>,
    bound: u64,
}

#[derive(Default)]
struct Inner {
    flights: HashMap<Bytes, Arc<Flight<Bytes>>>,
    order: VecDeque<(Bytes, u64)>,
    bytes: u64,
    held: Option<Reservation>,
}

impl Contents {
    /// At most `bound` bytes; charged to the script when `held` is given.
    pub fn new(bound: u64, held: Option<Reservation>) -> Contents {
        Contents { inner: Mutex::new(Inner { held, ..Inner::default() }), bound }
    }

    fn flight(&self, key: &[u8]) -> Arc<Flight<Bytes>> {
        let mut inner = self.inner.lock();
        match inner.flights.get(key) {
            Some(f) => f.clone(),
            None => {
                let f = Arc::new(Flight::default());
                inner.flights.insert(Bytes::copy_from_slice(key), f.clone());
                f
            }
        }
    }

    /// The content, if it is there.
    pub fn peek(&self, key: &[u8]) -> Option<Bytes> {
        let flight = self.inner.lock().flights.get(key).cloned()?;
        flight.peek()
    }

    /// The content, fetched when it is not there. `Err` of the inner result is not kept.
    pub fn get(
        &self,
        asking: &Asking<'_>,
        key: &[u8],
        produce: impl FnOnce(Scope) -> BoxFuture<sandshell_api::Result<Bytes>>,
    ) -> Result<Result<Bytes, sandshell_api::Error>> {
        let flight = self.flight(key);
        let mut failed = None;
        let mut fetched = false;
        let content = flight.get(
            asking.budget,
            |_| true,
            || match asking.ask(produce)? {
                Ok(b) => {
                    fetched = true;
                    Ok(b)
                }
                Err(e) => {
                    failed = Some(e);
                    Err(Errno::EIO.into())
                }
            },
        );
        match (content, failed) {
            (_, Some(e)) => Ok(Err(e)),
            (Err(e), None) => Err(e),
            (Ok(content), None) => {
                if fetched {
                    self.keep(key, content.len() as u64)?;
                }
                Ok(Ok(content))
            }
        }
    }

    fn keep(&self, key: &[u8], len: u64) -> Result<()> {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        inner.order.push_back((Bytes::copy_from_slice(key), len));
        inner.bytes += len;
        while inner.bytes > self.bound
            && let Some((old, len)) = inner.order.pop_front()
        {
            inner.bytes -= len;
            inner.flights.remove(&old);
        }
        match &mut inner.held {
            Some(held) => held.set(inner.bytes),
            None => Ok(()),
        }
    }

    /// Fetches on the host's runtime, without waiting. Nothing happens when somebody is at it already.
    pub fn ahead(
        self: &Arc<Self>,
        asking: &Asking<'_>,
        key: &[u8],
        produce: impl FnOnce(Scope) -> BoxFuture<sandshell_api::Result<Bytes>>,
    ) {
        let Some(host) = &asking.run.host else { return };
        let kept = &asking.run.kept;
        let flight = self.flight(key);
        if !kept.may_start() || !flight.begin() {
            return;
        }
        let (permits, future) = (kept.permits(asking.budget), produce(asking.run.scope.clone()));
        let (contents, key) = (self.clone(), Bytes::copy_from_slice(key));
        let end = AheadEnd(flight);
        let task = host.start(async move {
            let _permit = permits.acquire_owned().await;
            if let Ok(content) = future.await
                && contents.keep(&key, content.len() as u64).is_ok()
            {
                end.0.finish(Some(content));
            }
        });
        kept.started(task);
    }
}

/// Frees the flight when the task ends without a value or is aborted.
struct AheadEnd<T: Clone>(Arc<Flight<T>>);

impl<T: Clone> Drop for AheadEnd<T> {
    fn drop(&mut self) {
        if self.0.peek().is_none() {
            self.0.finish(None);
        }
    }
}

/// What one script keeps of the mounts, until its last process is gone.
#[derive(Default)]
pub(crate) struct Kept {
    by_mount: Mutex<HashMap<u64, Arc<dyn Any + Send + Sync>>>,
    permits: OnceLock<Arc<Semaphore>>,
    tasks: Mutex<Vec<AbortHandle>>,
}

/// Reads that may be under way ahead of the script.
const AHEAD: usize = 256;

impl Kept {
    /// What the mount `id` keeps in this script.
    pub fn of<T: Send + Sync + 'static>(&self, id: u64, new: impl FnOnce() -> T) -> Arc<T> {
        let mut map = self.by_mount.lock();
        if let Some(Ok(t)) = map.get(&id).map(|t| t.clone().downcast::<T>()) {
            return t;
        }
        let t = Arc::new(new());
        map.insert(id, t.clone());
        t
    }

    /// Places for reads at once.
    fn permits(&self, budget: &Budget) -> Arc<Semaphore> {
        let n = budget.limits().host_reads.max(1) as usize;
        self.permits.get_or_init(|| Arc::new(Semaphore::new(n))).clone()
    }

    fn may_start(&self) -> bool {
        let mut tasks = self.tasks.lock();
        if tasks.len() >= AHEAD {
            tasks.retain(|t| !t.is_finished());
        }
        tasks.len() < AHEAD
    }

    fn started(&self, task: AbortHandle) {
        self.tasks.lock().push(task);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        for t in self.tasks.get_mut() {
            t.abort();
        }
    }
}

impl Asking<'_> {
    /// Runs one of the host's functions and waits for it, with no more of them at once than the limits allow. A stop
    /// of the script is the outer error; what the function failed with is the inner one.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        call: impl FnOnce(Scope) -> BoxFuture<sandshell_api::Result<T>>,
    ) -> Result<sandshell_api::Result<T>> {
        let Some(host) = &self.run.host else {
            return Ok(Err("the host has no runtime to read it with".into()));
        };
        let permits = self.run.kept.permits(self.budget);
        let future = call(self.run.scope.clone());
        let answer = host.wait(self.budget, async move {
            let _permit = permits.acquire_owned().await;
            future.await
        });
        match answer {
            Ok(r) => Ok(r),
            Err(Error::Os(_)) => Ok(Err("the host's function ended without an answer".into())),
            Err(stop) => Err(stop),
        }
    }
}

/// Whether the host's code says that there is no such thing.
pub(super) fn not_found(e: &sandshell_api::Error) -> bool {
    e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::NotFound)
}

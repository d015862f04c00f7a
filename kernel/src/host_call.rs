//! The one place where blocking code waits for the host's async code.

use crate::{Budget, Errno, Error, Result, stream::pipe};
use parking_lot::{Condvar, Mutex};
use std::{future::Future, sync::Arc, time::Duration};

/// A handle on the host's runtime. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Host(tokio::runtime::Handle);

impl Host {
    /// The runtime that `Session::run` was awaited on, or any other that stays alive.
    pub fn new(runtime: tokio::runtime::Handle) -> Host {
        Host(runtime)
    }

    /// Starts `future` on the host's runtime without waiting for it; the handle ends it early.
    pub fn start(&self, future: impl Future<Output = ()> + Send + 'static) -> tokio::task::AbortHandle {
        self.0.spawn(future).abort_handle()
    }

    /// Runs `future` on the host's runtime and waits for it, the deadline or a cancellation. Works with a
    /// current-thread runtime, as long as its thread is running it (not waiting in us). The future is dropped
    /// when the wait ends early. Hold no lock. A future that panics gives `EIO`.
    pub fn wait<T: Send + 'static>(
        &self,
        budget: &Budget,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T> {
        pipe::promote_deferred();
        let slot = Arc::new((Mutex::new(None), Condvar::new()));
        let done = Done(slot.clone());
        let task = self.0.spawn(async move {
            let value = future.await;
            *done.0.0.lock() = Some(Some(value));
        });
        let mut value = slot.0.lock();
        loop {
            if let Some(v) = value.take() {
                return v.ok_or(Error::Os(Errno::EIO));
            }
            if let Err(stop) = budget.check() {
                task.abort();
                return Err(stop);
            }
            slot.1.wait_for(&mut value, Duration::from_millis(20));
        }
    }
}

/// Tells the waiter, also when the future panicked or was dropped by its runtime.
struct Done<T>(Arc<(Mutex<Option<Option<T>>>, Condvar)>);

impl<T> Drop for Done<T> {
    fn drop(&mut self) {
        self.0.0.lock().get_or_insert(None);
        self.0.1.notify_all();
    }
}

//! A cancellation token that needs no runtime: readers and handlers can ask it or wait for it, and the tokens
//! derived from it are cancelled with it.

use std::{
    collections::HashMap,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

/// Tells that nobody waits for the result any more. Clones are the same token.
///
/// ```
/// use sandshell_api::Cancellation;
///
/// let chat = Cancellation::new();
/// let script = chat.child();
/// chat.cancel();
/// assert!(script.is_cancelled());
/// ```
#[derive(Clone, Default, Debug)]
pub struct Cancellation(Arc<Token>);

#[derive(Default, Debug)]
struct Token {
    cancelled: AtomicBool,
    waiting: Mutex<Waiting>,
    /// Keeps the way up alive: a parent knows its children weakly.
    _parent: Option<Arc<Token>>,
}

#[derive(Default, Debug)]
struct Waiting {
    wakers: HashMap<u64, Waker>,
    next: u64,
    children: Vec<Weak<Token>>,
}

impl Token {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cancellation {
    /// A token that is not cancelled.
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// A token that is cancelled with this one, and can be cancelled alone.
    pub fn child(&self) -> Cancellation {
        let child = Cancellation(Arc::new(Token { _parent: Some(self.0.clone()), ..Token::default() }));
        let mut waiting = self.0.waiting();
        if self.is_cancelled() {
            drop(waiting);
            child.cancel();
            return child;
        }
        if waiting.children.len() == waiting.children.capacity() {
            waiting.children.retain(|c| c.strong_count() > 0);
        }
        waiting.children.push(Arc::downgrade(&child.0));
        drop(waiting);
        child
    }

    /// Cancels this token and its children, and wakes whoever waits. Later calls do nothing.
    pub fn cancel(&self) {
        let mut tokens = vec![self.0.clone()];
        while let Some(token) = tokens.pop() {
            let mut waiting = token.waiting();
            if token.cancelled.swap(true, Ordering::AcqRel) {
                continue;
            }
            let wakers = std::mem::take(&mut waiting.wakers);
            tokens.extend(waiting.children.drain(..).filter_map(|c| c.upgrade()));
            drop(waiting);
            wakers.into_values().for_each(Waker::wake);
        }
    }

    /// Whether it is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Ends when the token is cancelled. Use it with `select!` to give up work nobody waits for.
    pub fn cancelled(&self) -> Cancelled {
        Cancelled { token: self.clone(), key: None }
    }
}

/// The future of [`Cancellation::cancelled`].
#[derive(Debug)]
pub struct Cancelled {
    token: Cancellation,
    key: Option<u64>,
}

impl Future for Cancelled {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let token = self.token.0.clone();
        let mut waiting = token.waiting();
        if token.cancelled.load(Ordering::Acquire) {
            return Poll::Ready(());
        }
        let key = *self.key.get_or_insert_with(|| {
            waiting.next += 1;
            waiting.next
        });
        waiting.wakers.insert(key, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.token.0.waiting().wakers.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Wake;

    struct Count(AtomicBool);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Release);
        }
    }

    #[test]
    fn whoever_waits_is_woken_also_through_a_parent() {
        let parent = Cancellation::new();
        let child = parent.child().child();
        let woken = Arc::new(Count(AtomicBool::new(false)));
        let waker = Waker::from(woken.clone());
        let mut future = Box::pin(child.cancelled());
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        drop(parent.child());
        parent.cancel();
        assert!(woken.0.load(Ordering::Acquire));
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready());
        assert!(parent.child().is_cancelled());
    }

    #[test]
    fn a_child_is_cancelled_alone() {
        let parent = Cancellation::new();
        parent.child().cancel();
        assert!(!parent.is_cancelled());
    }
}

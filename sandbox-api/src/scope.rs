//! Who a script runs for: the values that the host attaches to one run.

use crate::{Cancellation, Error};
use std::{
    any::{Any, TypeId, type_name},
    collections::HashMap,
    fmt,
    sync::Arc,
};

/// The typed values, identity and cancellation of one run. The host makes one per call of a tool; every reader and
/// command of that run is given it, so that one [`Sandbox`](crate::Sandbox) value serves many users at once.
/// Cloning is cheap.
///
/// ```
/// use sandshell_api::Scope;
///
/// struct User { name: String }
///
/// let scope = Scope::new().with(User { name: "ada".into() }).with_identity("user:ada");
/// assert_eq!(scope.get::<User>().unwrap().name, "ada");
/// assert_eq!(scope.identity(), Some("user:ada"));
/// assert!(scope.require::<u32>().is_err());
/// ```
#[derive(Clone, Default)]
pub struct Scope {
    shared: Arc<Shared>,
    cancellation: Cancellation,
}

#[derive(Clone, Default)]
struct Shared {
    values: HashMap<TypeId, (&'static str, Arc<dyn Any + Send + Sync>)>,
    identity: Option<Arc<str>>,
}

impl Scope {
    /// An empty scope: no values, no identity, never cancelled unless asked.
    pub fn new() -> Scope {
        Scope::default()
    }

    /// Attaches a value, to be found by its type. A second value of one type replaces the first.
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Scope {
        let values = &mut Arc::make_mut(&mut self.shared).values;
        values.insert(TypeId::of::<T>(), (type_name::<T>(), Arc::new(value)));
        self
    }

    /// Says whose data the readers give: cached mounts are shared between the runs of equal identities, and never
    /// between sessions of runs without one.
    pub fn with_identity(mut self, identity: impl Into<String>) -> Scope {
        Arc::make_mut(&mut self.shared).identity = Some(identity.into().into());
        self
    }

    /// Uses the host's own token: cancelling it stops the script.
    pub fn with_cancellation(mut self, cancellation: Cancellation) -> Scope {
        self.cancellation = cancellation;
        self
    }

    /// The attached value of this type.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.shared.values.get(&TypeId::of::<T>())?.1.downcast_ref()
    }

    /// The attached value of this type, or an error that names the type: for `?` in readers and handlers.
    pub fn require<T: Send + Sync + 'static>(&self) -> Result<&T, Error> {
        self.get().ok_or_else(|| format!("the host attached no {} to this run", type_name::<T>()).into())
    }

    /// The identity, if the host gave one.
    pub fn identity(&self) -> Option<&str> {
        self.shared.identity.as_deref()
    }

    /// The token of this run.
    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Ends when nobody waits for this run any more: deadline, a stopped turn, a dropped future.
    pub async fn cancelled(&self) {
        self.cancellation.cancelled().await;
    }

    /// Whether nobody waits for this run any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<_> = self.shared.values.values().map(|(name, _)| name).collect();
        f.debug_struct("Scope").field("values", &values).field("identity", &self.shared.identity).finish()
    }
}

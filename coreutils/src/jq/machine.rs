//! What a running filter needs: its environment, the outcome of a step, the budget, and the world outside.

use super::{
    ir::Node,
    syntax::Compiled,
    val::{self, Val, live_bytes},
};
use sandshell_kernel::{Budget, Error, Reservation};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// Why evaluation does not go on.
pub enum Stop {
    /// An error, which `try` catches.
    Error(Val),
    /// `break` to the label of this number.
    Break(u64),
    /// `halt` and `halt_error`: what to print, the exit status.
    Halt(Option<Val>, u8),
    /// The process is stopped, or its output is closed.
    Kernel(Error),
}

/// The outcome of an evaluation.
pub type Res<T> = Result<T, Box<Stop>>;
/// The outcome of passing outputs on.
pub type Flow = Res<()>;

impl From<Error> for Box<Stop> {
    fn from(e: Error) -> Self {
        Box::new(Stop::Kernel(e))
    }
}

/// An error with a message.
#[cold]
pub fn fail<T>(message: impl Into<String>) -> Res<T> {
    Err(error(message))
}

/// An error with a message, as a stop.
#[cold]
pub fn error(message: impl Into<String>) -> Box<Stop> {
    Box::new(Stop::Error(Val::from(message.into())))
}

/// What is bound: variables, labels and closure parameters, innermost first.
#[derive(Clone, Default)]
pub struct Env<'p>(Option<Rc<Step<'p>>>);

struct Step<'p> {
    bound: Bound<'p>,
    up: Env<'p>,
}

/// One binding.
#[derive(Clone)]
pub enum Bound<'p> {
    /// A variable.
    Val(Val),
    /// A label in force.
    Label(u64),
    /// A filter with the environment it is to be evaluated in.
    Closure(&'p Node, Env<'p>),
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        val::refund(size_of::<Self>() + 16);
        if stacker::remaining_stack().is_none_or(|n| n > 96 << 10) {
            return;
        }
        // Long chains of closures are freed without recursion.
        let mut heap = vec![std::mem::take(&mut self.up)];
        if let Bound::Closure(_, e) = &mut self.bound {
            heap.push(std::mem::take(e));
        }
        while let Some(env) = heap.pop() {
            let Some(Ok(mut step)) = env.0.map(Rc::try_unwrap) else { continue };
            heap.push(std::mem::take(&mut step.up));
            if let Bound::Closure(_, e) = &mut step.bound {
                heap.push(std::mem::take(e));
            }
        }
    }
}

impl<'p> Env<'p> {
    /// With one more binding.
    pub fn with(&self, bound: Bound<'p>) -> Env<'p> {
        val::charge(size_of::<Step<'_>>() + 16);
        Env(Some(Rc::new(Step { bound, up: self.clone() })))
    }

    /// With a variable.
    pub fn with_val(&self, v: Val) -> Env<'p> {
        self.with(Bound::Val(v))
    }

    /// The environment without the innermost `n` bindings.
    pub fn up(&self, n: usize) -> Env<'p> {
        let mut at = self;
        for _ in 0..n {
            match &at.0 {
                Some(s) => at = &s.up,
                None => break,
            }
        }
        at.clone()
    }

    /// The binding `n` steps up.
    #[inline]
    pub fn get(&self, n: usize) -> Option<&Bound<'p>> {
        let mut at = self.0.as_ref()?;
        for _ in 0..n {
            at = at.up.0.as_ref()?;
        }
        Some(&at.bound)
    }

    /// The variable `n` steps up.
    #[inline]
    pub fn var(&self, n: usize) -> Val {
        match self.get(n) {
            Some(Bound::Val(v)) => v.clone(),
            _ => Val::Null,
        }
    }
}

/// What filters see of the program around them.
pub trait Outside {
    /// The next input (`input`).
    fn input(&mut self) -> Res<Option<Val>>;
    /// The file that inputs come from.
    fn filename(&self) -> Option<Val>;
    /// How many lines have been read.
    fn line(&self) -> f64;
    /// Where the last input came from: `FILE:LINES`.
    fn place(&self) -> String;
    /// Writes to standard error.
    fn message(&mut self, text: &[u8]) -> Flow;
    /// The environment as an object.
    fn environment(&self) -> Val;
    /// The directories of modules.
    fn search_list(&self) -> Val;
    /// What the module of this name says of itself.
    fn module_meta(&mut self, name: &str) -> Res<Val>;
}

/// Steps between two looks at the budget.
const TICKS: u32 = 256;
/// Bytes of a further stack.
const STACK: usize = 2 << 20;
/// Further stacks at most, whatever the memory limit says.
const STACKS: u32 = 256;

/// A program while it runs.
pub struct Machine<'p> {
    /// The program.
    pub program: &'p Compiled,
    /// The world.
    pub outside: RefCell<Box<dyn Outside + 'p>>,
    /// Compiled regular expressions.
    pub regexes: super::regex::Cache,
    budget: Budget,
    held: RefCell<Reservation>,
    base: usize,
    ticks: Cell<u32>,
    ids: Cell<u64>,
    stacks: Cell<u32>,
}

impl<'p> Machine<'p> {
    /// A machine for `program`.
    pub fn new(program: &'p Compiled, budget: &Budget, outside: Box<dyn Outside + 'p>) -> Machine<'p> {
        Machine {
            program,
            outside: RefCell::new(outside),
            regexes: Default::default(),
            budget: budget.clone(),
            held: RefCell::new(budget.reservation()),
            base: live_bytes(),
            ticks: Cell::new(TICKS),
            ids: Cell::new(0),
            stacks: Cell::new(0),
        }
    }

    /// One turn of a loop.
    #[inline]
    pub fn step(&self) -> Flow {
        let left = self.ticks.get();
        if left > 0 {
            self.ticks.set(left - 1);
            return Ok(());
        }
        self.look(0)
    }

    #[cold]
    fn look(&self, more: usize) -> Flow {
        self.ticks.set(TICKS);
        self.budget.steps(TICKS)?;
        let live = live_bytes().saturating_sub(self.base) + more + self.stacks.get() as usize * STACK;
        Ok(self.held.borrow_mut().set(live as u64)?)
    }

    /// Makes sure that `more` bytes may be held, before they are allocated.
    pub fn reserve(&self, more: usize) -> Flow {
        if more < 4096 { self.step() } else { self.look(more) }
    }

    /// A number for a label.
    pub fn label(&self) -> u64 {
        self.ids.set(self.ids.get() + 1);
        self.ids.get()
    }

    /// Whether little is left of the stack.
    #[inline]
    pub fn short_of_stack(&self) -> bool {
        stacker::remaining_stack().is_none_or(|n| n < 192 << 10)
    }

    /// Runs `f` on a further stack, as long as there may be more.
    #[cold]
    pub fn on_new_stack<R>(&self, f: impl FnOnce() -> Res<R>) -> Res<R> {
        let n = self.stacks.get();
        if n >= STACKS {
            return Err(Box::new(Stop::Kernel(Error::Stop(sandshell_kernel::Stop::Memory))));
        }
        self.stacks.set(n + 1);
        self.look(0)?;
        let r = stacker::grow(STACK, f);
        self.stacks.set(n);
        r
    }
}

//! The errors of the kernel: an errno with the text that the C library prints for it, or a stop that ends the
//! whole script.

use std::fmt;

/// What kernel calls and programs return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call did not do its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// The call failed; the program reports it and goes on or ends as the real one does.
    Os(Errno),
    /// The process is being stopped (deadline, cancellation, a limit, a signal): propagate it at once.
    Stop(Stop),
}

/// Why a process is stopped from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The wall clock of the script ran out (status 124).
    Timeout,
    /// The caller dropped or cancelled the run (status 130).
    Cancelled,
    /// The memory limit of the script was reached.
    Memory,
    /// More output than even the kept copy may hold.
    Output,
    /// The step limit was reached.
    Steps,
    /// The process was killed by this signal (`kill`, `timeout`): status 128 + n.
    Signal(u8),
}

impl Stop {
    /// The exit status that a process stopped for this reason has.
    pub fn status(self) -> u8 {
        match self {
            Stop::Timeout => 124,
            Stop::Cancelled => 130,
            Stop::Memory | Stop::Output | Stop::Steps => 137,
            Stop::Signal(n) => 128 + n,
        }
    }
}

impl From<Errno> for Error {
    fn from(e: Errno) -> Self {
        Error::Os(e)
    }
}

impl From<Stop> for Error {
    fn from(s: Stop) -> Self {
        Error::Stop(s)
    }
}

impl From<Error> for std::io::Error {
    fn from(e: Error) -> Self {
        match e {
            Error::Os(e) => std::io::Error::from_raw_os_error(e as i32),
            Error::Stop(s) => std::io::Error::other(StopError(s)),
        }
    }
}

/// Carries a [`Stop`] through `std::io::Error`, so that Read/Write crates can be used.
#[derive(Debug)]
struct StopError(Stop);

impl fmt::Display for StopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for StopError {}

impl From<std::io::Error> for Error {
    /// The way back of the conversion above; kinds without an errno become `EIO`.
    fn from(e: std::io::Error) -> Self {
        if let Some(s) = e.get_ref().and_then(|r| r.downcast_ref::<StopError>()) {
            return Error::Stop(s.0);
        }
        Error::Os(Errno::from_io(&e))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Os(e) => e.fmt(f),
            Error::Stop(s) => write!(f, "stopped: {s:?}"),
        }
    }
}

impl std::error::Error for Error {}

macro_rules! errnos {
    ($($name:ident = $n:literal $text:literal),* $(,)?) => {
        /// A Linux error number. `Display` prints glibc's `strerror` text.
        #[allow(missing_docs)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        #[repr(i32)]
        pub enum Errno { $($name = $n),* }

        impl Errno {
            /// glibc's text, e.g. `No such file or directory`.
            pub fn text(self) -> &'static str {
                match self { $(Errno::$name => $text),* }
            }

            /// The errno of a number, if it is one that we know.
            pub fn from_raw(n: i32) -> Option<Errno> {
                match n { $($n => Some(Errno::$name),)* _ => None }
            }
        }
    };
}

errnos! {
    EPERM = 1 "Operation not permitted",
    ENOENT = 2 "No such file or directory",
    ESRCH = 3 "No such process",
    EINTR = 4 "Interrupted system call",
    EIO = 5 "Input/output error",
    ENXIO = 6 "No such device or address",
    E2BIG = 7 "Argument list too long",
    ENOEXEC = 8 "Exec format error",
    EBADF = 9 "Bad file descriptor",
    ECHILD = 10 "No child processes",
    EAGAIN = 11 "Resource temporarily unavailable",
    ENOMEM = 12 "Cannot allocate memory",
    EACCES = 13 "Permission denied",
    EFAULT = 14 "Bad address",
    EBUSY = 16 "Device or resource busy",
    EEXIST = 17 "File exists",
    EXDEV = 18 "Invalid cross-device link",
    ENODEV = 19 "No such device",
    ENOTDIR = 20 "Not a directory",
    EISDIR = 21 "Is a directory",
    EINVAL = 22 "Invalid argument",
    ENFILE = 23 "Too many open files in system",
    EMFILE = 24 "Too many open files",
    ENOTTY = 25 "Inappropriate ioctl for device",
    ETXTBSY = 26 "Text file busy",
    EFBIG = 27 "File too large",
    ENOSPC = 28 "No space left on device",
    ESPIPE = 29 "Illegal seek",
    EROFS = 30 "Read-only file system",
    EMLINK = 31 "Too many links",
    EPIPE = 32 "Broken pipe",
    EDOM = 33 "Numerical argument out of domain",
    ERANGE = 34 "Numerical result out of range",
    EDEADLK = 35 "Resource deadlock avoided",
    ENAMETOOLONG = 36 "File name too long",
    ENOSYS = 38 "Function not implemented",
    ENOTEMPTY = 39 "Directory not empty",
    ELOOP = 40 "Too many levels of symbolic links",
    EOVERFLOW = 75 "Value too large for defined data type",
    ENOTSUP = 95 "Operation not supported",
    ENETUNREACH = 101 "Network is unreachable",
    ETIMEDOUT = 110 "Connection timed out",
    ECONNREFUSED = 111 "Connection refused",
    ESTALE = 116 "Stale file handle",
    EDQUOT = 122 "Disk quota exceeded",
}

impl Errno {
    fn from_io(e: &std::io::Error) -> Errno {
        if let Some(known) = e.raw_os_error().and_then(Errno::from_raw) {
            return known;
        }
        use std::io::ErrorKind as K;
        match e.kind() {
            K::NotFound => Errno::ENOENT,
            K::PermissionDenied => Errno::EACCES,
            K::AlreadyExists => Errno::EEXIST,
            K::BrokenPipe => Errno::EPIPE,
            K::InvalidInput | K::InvalidData => Errno::EINVAL,
            _ => Errno::EIO,
        }
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Errno {}

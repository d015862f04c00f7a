//! What validation found.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How bad a [`Finding`] is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The sandbox works; something should be better.
    Warning,
    /// The host refuses the sandbox.
    Error,
}

/// One thing that validation found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// A stable short name, e.g. `mount-reserved`.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about: a mount, a command, a file, a limit.
    pub subject: String,
    /// What is wrong.
    pub reason: String,
    /// What to do.
    pub remedy: String,
}

impl Finding {
    /// The subject as a message shows it: an empty name is seen, and control characters do no harm.
    pub fn shown_subject(&self) -> String {
        match &self.subject[..] {
            "" => "\"\"".into(),
            s if s.chars().any(char::is_control) => s.escape_debug().to_string(),
            s => s.to_owned(),
        }
    }
}

/// All that validation found about one sandbox. `Display` prints it as text, serde as JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The function name of the sandbox.
    pub sandbox: String,
    /// What was found, in the order of the checks.
    pub findings: Vec<Finding>,
}

impl Report {
    /// An empty report.
    pub fn new(sandbox: impl Into<String>) -> Report {
        Report { sandbox: sandbox.into(), findings: Vec::new() }
    }

    /// Whether the host takes the sandbox: there is no error.
    pub fn is_ok(&self) -> bool {
        self.findings.iter().all(|f| f.severity != Severity::Error)
    }

    /// Whether nothing was found at all.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// The findings of this code.
    pub fn of(&self, code: &str) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |f| f.code == code)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(f, "{severity}[{}] {}: {}", self.code, self.shown_subject(), self.reason)?;
        write!(f, "    remedy: {}", self.remedy)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.findings.iter().filter(|f| f.severity == Severity::Error).count();
        let warnings = self.findings.len() - errors;
        let s = |n| if n == 1 { "" } else { "s" };
        match (errors, warnings) {
            (0, 0) => write!(f, "{}: ok", self.sandbox)?,
            (0, w) => write!(f, "{}: ok, {w} warning{}", self.sandbox, s(w))?,
            (e, w) => write!(f, "{}: refused, {e} error{}, {w} warning{}", self.sandbox, s(e), s(w))?,
        }
        for finding in &self.findings {
            write!(f, "\n  {}", finding.to_string().replace('\n', "\n  "))?;
        }
        Ok(())
    }
}

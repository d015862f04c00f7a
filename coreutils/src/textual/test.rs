//! `test` and `[` as programs (`env test`, `find -exec test`); the shell has its own.

use sandshell_kernel::{Files, Process, Program, Result, Status, file_test};
use sandshell_text::options::{Example, Spec};
use sandshell_text::test::{Tests, evaluate};

/// `test`
pub struct Test;

/// `[`
pub struct Bracket;

static TEST: Spec = Spec {
    name: "test",
    about: "Exit with the status determined by EXPRESSION.",
    synopsis: &["EXPRESSION", ""],
    options: &[],
    notes: "",
    version: "test (GNU coreutils) 9.1",
    examples: &[Example { script: "env test 2 -gt 1 && echo yes", output: "yes\n" }],
};

static BRACKET: Spec = Spec {
    name: "[",
    about: "Exit with the status determined by EXPRESSION.",
    synopsis: &["EXPRESSION ]", "]", "OPTION"],
    options: &[],
    notes: "An omitted EXPRESSION defaults to false.  Otherwise,\nEXPRESSION is true or false and sets exit status.",
    version: "[ (GNU coreutils) 9.1",
    examples: &[Example { script: "env [ -n x ] && echo yes", output: "yes\n" }],
};

struct OnFiles<'a>(&'a Files);

impl Tests for OnFiles<'_> {
    fn unary(&mut self, operator: u8, operand: &[u8]) -> bool {
        file_test::unary(self.0, operator, operand)
    }

    fn newer(&mut self, a: &[u8], b: &[u8]) -> bool {
        file_test::newer(self.0, a, b)
    }

    fn older(&mut self, a: &[u8], b: &[u8]) -> bool {
        file_test::older(self.0, a, b)
    }

    fn same(&mut self, a: &[u8], b: &[u8]) -> bool {
        file_test::same(self.0, a, b)
    }
}

fn run(process: &mut Process, bracket: bool) -> Result<Status> {
    let mut args = process.args.get(1..).unwrap_or_default().to_vec();
    if bracket {
        match &args[..] {
            [one] if &one[..] == b"--help" => {
                process.stdout.put(BRACKET.help().as_bytes())?;
                return Ok(Status::OK);
            }
            [one] if &one[..] == b"--version" => {
                process.stdout.put(BRACKET.version_text().as_bytes())?;
                return Ok(Status::OK);
            }
            [.., last] if &last[..] == b"]" => {
                args.pop();
            }
            _ => {
                process.error(format_args!("missing ‘]’"))?;
                return Ok(Status::USAGE);
            }
        }
    }
    match evaluate(&args, &mut OnFiles(&process.files)) {
        Ok(true) => Ok(Status::OK),
        Ok(false) => Ok(Status::FAILURE),
        Err(e) => {
            process.error(format_args!("{}", e.gnu()))?;
            Ok(Status::USAGE)
        }
    }
}

impl Program for Test {
    fn spec(&self) -> &'static Spec {
        &TEST
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        run(process, false)
    }
}

impl Program for Bracket {
    fn spec(&self) -> &'static Spec {
        &BRACKET
    }

    fn run(&self, process: &mut Process) -> Result<Status> {
        run(process, true)
    }
}

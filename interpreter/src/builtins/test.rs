//! `test` and `[`, and the file tests of `[[`.

use crate::session::{
    options::SET_OPTIONS,
    shell::{Flow, Shell, Unwind},
};
use bytes::Bytes;
use sandshell_kernel::file_test;
use sandshell_text::test::{Tests, evaluate};

/// What the expressions ask of the shell.
struct Asked<'a> {
    sh: &'a mut Shell,
    left: Option<Unwind>,
}

impl Tests for Asked<'_> {
    fn unary(&mut self, operator: u8, operand: &[u8]) -> bool {
        match letter(self.sh, operator, operand) {
            Ok(r) => r,
            Err(u) => {
                self.left = Some(u);
                false
            }
        }
    }

    fn newer(&mut self, a: &[u8], b: &[u8]) -> bool {
        file_test::newer(&self.sh.files, a, b)
    }

    fn older(&mut self, a: &[u8], b: &[u8]) -> bool {
        file_test::older(&self.sh.files, a, b)
    }

    fn same(&mut self, a: &[u8], b: &[u8]) -> bool {
        file_test::same(&self.sh.files, a, b)
    }
}

/// A unary test that is not `-n` or `-z`.
fn letter(sh: &mut Shell, operator: u8, operand: &[u8]) -> Flow<bool> {
    Ok(match operator {
        b'v' => sh.is_set(operand)?,
        b'o' => SET_OPTIONS.iter().any(|o| o.name.as_bytes() == operand && sh.options.on(o.bit)),
        b'R' => {
            let name = crate::syntax::names::known(operand);
            name.is_some_and(|n| {
                let slot = sh.vars.get(n);
                slot.has(crate::session::vars::attr::NAMEREF) && slot.is_set()
            })
        }
        l => file_test::unary(&sh.files, l, operand),
    })
}

/// A unary operator of `[[`; `None` for one that does not exist.
pub(crate) fn unary(sh: &mut Shell, op: &[u8], operand: &[u8]) -> Flow<Option<bool>> {
    match op {
        [b'-', l] => letter(sh, *l, operand).map(Some),
        _ => Ok(None),
    }
}

/// A binary file operator of `[[`.
pub(crate) fn files(sh: &mut Shell, op: &[u8], a: &[u8], b: &[u8]) -> Flow<Option<bool>> {
    Ok(match op {
        b"-nt" => Some(file_test::newer(&sh.files, a, b)),
        b"-ot" => Some(file_test::older(&sh.files, a, b)),
        b"-ef" => Some(file_test::same(&sh.files, a, b)),
        _ => None,
    })
}

pub fn test(sh: &mut Shell, args: &[Bytes]) -> Flow {
    run(sh, &args[1..])
}

pub fn bracket(sh: &mut Shell, args: &[Bytes]) -> Flow {
    match args.split_last() {
        Some((last, rest)) if !rest.is_empty() && &last[..] == b"]" => run(sh, &rest[1..]),
        _ => {
            sh.complain(&[b"missing `]'"]);
            Ok(2)
        }
    }
}

fn run(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut asked = Asked { sh, left: None };
    let result = evaluate(args, &mut asked);
    if let Some(u) = asked.left {
        return Err(u);
    }
    match result {
        Ok(true) => Ok(0),
        Ok(false) => Ok(1),
        Err(e) => {
            sh.complain(&[e.to_string().as_bytes()]);
            Ok(2)
        }
    }
}

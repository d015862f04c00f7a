//! `cd` and `pwd`.

use crate::session::{
    array::Scalar,
    options::{opt, shopt},
    shell::{Flow, Shell, os},
    special::known,
};
use bytes::Bytes;

const CD_USAGE: &str = "cd [-L|[-P [-e]] [-@]] [dir]";

pub fn cd(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut physical = sh.options.on(opt::PHYSICAL);
    let mut at = 1;
    while let Some(a) = args.get(at) {
        match &a[..] {
            b"--" => {
                at += 1;
                break;
            }
            [b'-', letters @ ..] if !letters.is_empty() => {
                for &l in letters {
                    match l {
                        b'P' => physical = true,
                        b'L' => physical = false,
                        b'e' | b'@' => {}
                        l => return sh.invalid_option(&[b'-', l], CD_USAGE),
                    }
                }
            }
            _ => break,
        }
        at += 1;
    }
    let operands = args.get(at..).unwrap_or(&[]);
    if operands.len() > 1 {
        sh.complain(&[b"too many arguments"]);
        return Ok(1);
    }
    let mut show = false;
    let dir = match operands.first() {
        None => match sh.scalar(known().home)? {
            Some(h) => h,
            None => {
                sh.complain(&[b"HOME not set"]);
                return Ok(1);
            }
        },
        Some(d) if &d[..] == b"-" => match sh.scalar(known().oldpwd)? {
            Some(o) => {
                show = true;
                o
            }
            None => {
                sh.complain(&[b"OLDPWD not set"]);
                return Ok(1);
            }
        },
        Some(d) => d.clone(),
    };
    if dir.is_empty() {
        return Ok(0);
    }
    let relative = !dir.starts_with(b"/")
        && !matches!(&dir[..], b"." | b"..")
        && !dir.starts_with(b"./")
        && !dir.starts_with(b"../");
    if relative && let Some(path) = sh.scalar(known().cdpath)? {
        for prefix in path.split(|&b| b == b':') {
            let full = match prefix {
                b"" | b"." => dir.clone(),
                p => crate::session::script::join(p, &dir),
            };
            if sh.files.stat_cheap(&full, true).is_ok_and(|(s, _)| s.is_dir()) {
                return change(sh, &full, physical, show || !matches!(prefix, b"" | b"."), &dir);
            }
        }
    }
    if sh.options.shopt(shopt::CDABLE_VARS)
        && !sh.files.exists(&dir)
        && let Some(value) = sh.lookup(&dir)
    {
        return change(sh, &value, physical, true, &dir);
    }
    change(sh, &dir, physical, show, &dir)
}

fn change(sh: &mut Shell, dir: &Bytes, physical: bool, show: bool, shown: &[u8]) -> Flow {
    let status = sh.change_directory(dir, physical, shown)?;
    if status == 0 && show {
        let cwd = sh.lookup(b"PWD").unwrap_or_default();
        return sh.write_out(&[&cwd[..], b"\n"].concat());
    }
    Ok(status)
}

impl Shell {
    /// Changes the directory and sets PWD and OLDPWD: 0, or 1 after a message.
    pub(crate) fn change_directory(&mut self, dir: &[u8], physical: bool, shown: &[u8]) -> Flow {
        let target = match physical {
            true => match os(self.files.real_path(dir))? {
                Ok(p) => p,
                Err(e) => {
                    self.complain(&[shown, b": ", e.text().as_bytes()]);
                    return Ok(1);
                }
            },
            false => Bytes::copy_from_slice(dir),
        };
        if let Err(e) = os(self.files.set_cwd(&target))? {
            self.complain(&[shown, b": ", e.text().as_bytes()]);
            return Ok(1);
        }
        let k = known();
        let old = self.scalar(k.pwd)?.unwrap_or_default();
        let new = self.files.cwd().clone();
        self.assign(k.oldpwd, None, Scalar::Str(old), false)?;
        self.assign(k.pwd, None, Scalar::Str(new), false)?;
        Ok(0)
    }
}

pub fn pwd(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut physical = sh.options.on(opt::PHYSICAL);
    for a in &args[1..] {
        match &a[..] {
            b"--" => break,
            [b'-', letters @ ..] if !letters.is_empty() => {
                for &l in letters {
                    match l {
                        b'P' => physical = true,
                        b'L' => physical = false,
                        l => return sh.invalid_option(&[b'-', l], "pwd [-LP]"),
                    }
                }
            }
            _ => break,
        }
    }
    let cwd = match physical {
        true => match os(sh.files.real_path(b"."))? {
            Ok(p) => p,
            Err(e) => {
                sh.complain(&[
                    b"error retrieving current directory: getcwd: cannot access parent directories: ",
                    e.text().as_bytes(),
                ]);
                return Ok(1);
            }
        },
        false => sh.files.cwd().clone(),
    };
    sh.write_out(&[&cwd[..], b"\n"].concat())
}

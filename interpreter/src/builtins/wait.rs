//! `wait`.

use crate::session::{
    array::Scalar,
    shell::{Flow, Shell, os},
};
use bytes::Bytes;
use sandshell_kernel::stream::pipe::promote_deferred;
use std::sync::atomic::Ordering::Relaxed;

const USAGE: &str = "wait [-fn] [-p var] [id ...]";

pub fn wait(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let (mut next, mut variable) = (false, None);
    let mut at = 1;
    while let Some([b'-', letters @ ..]) = args.get(at).map(|a| &a[..]) {
        if letters.is_empty() {
            break;
        }
        at += 1;
        if letters == b"-" {
            break;
        }
        for (i, &l) in letters.iter().enumerate() {
            match l {
                b'n' => next = true,
                b'f' => {}
                b'p' => {
                    variable = match letters[i + 1..].is_empty() {
                        false => Some(Bytes::copy_from_slice(&letters[i + 1..])),
                        true => {
                            at += 1;
                            args.get(at - 1).cloned()
                        }
                    };
                    if variable.is_none() {
                        sh.complain(&[b"-p: option requires an argument"]);
                        return sh.usage(USAGE);
                    }
                    break;
                }
                l => return sh.invalid_option(&[b'-', l], USAGE),
            }
        }
    }
    let ids = args.get(at..).unwrap_or(&[]);
    promote_deferred();
    if let Some(v) = &variable
        && let Some((name, None)) = crate::session::access::split_lvalue(v)
    {
        sh.unset_variable(crate::syntax::names::intern(name));
    }
    let result = match (next, ids) {
        (true, ids) => wait_next(sh, ids)?,
        (false, []) => {
            wait_all(sh)?;
            return Ok(0);
        }
        (false, ids) => {
            let mut last = (0, None);
            for id in ids {
                last = wait_one(sh, id)?;
            }
            last
        }
    };
    if let (Some(v), (_, Some(pid))) = (variable, result) {
        sh.assign_text(&v, Scalar::Int(i64::from(pid)))?;
    }
    Ok(result.0)
}

/// The job that an operand names; the message is told when there is none.
fn position(sh: &mut Shell, id: &[u8]) -> Result<Option<usize>, u8> {
    if id.first() == Some(&b'%') {
        return match sh.jobs.by_spec(id) {
            Some(at) => Ok(Some(at)),
            None => {
                sh.complain(&[id, b": no such job"]);
                Err(127)
            }
        };
    }
    match std::str::from_utf8(id).ok().and_then(|t| t.parse::<u32>().ok()) {
        Some(pid) => match sh.jobs.by_pid(pid) {
            Some(at) => Ok(Some(at)),
            None => {
                sh.complain(&[b"pid ", id, b" is not a child of this shell"]);
                Err(127)
            }
        },
        None => {
            sh.complain(&[b"`", id, b"': not a pid or valid job spec"]);
            Err(1)
        }
    }
}

/// A signal with a handler ends the waiting: its status.
fn interrupted(sh: &mut Shell) -> Flow<Option<u8>> {
    let pending = sh.signals.pending.load(Relaxed);
    if pending == 0 {
        return Ok(None);
    }
    let n = pending.trailing_zeros() as u8;
    sh.run_pending_signals()?;
    Ok(Some(128 + n))
}

fn wait_one(sh: &mut Shell, id: &[u8]) -> Flow<(u8, Option<u32>)> {
    let at = match position(sh, id) {
        Ok(Some(at)) => at,
        Ok(None) => return Ok((127, None)),
        Err(status) => return Ok((status, None)),
    };
    loop {
        let job = &mut sh.jobs.list[at];
        let pid = job.pid;
        if let Some(status) = job.wait_slice() {
            job.told = true;
            return Ok((status, Some(pid)));
        }
        os(sh.budget.check())?.ok();
        if let Some(status) = interrupted(sh)? {
            return Ok((status, None));
        }
    }
}

fn wait_all(sh: &mut Shell) -> Flow<()> {
    let last = sh.last_job;
    loop {
        let mut waiting =
            sh.jobs.list.iter_mut().filter(|j| !j.disowned && (!j.hidden || Some(j.pid) == last));
        let Some(job) = waiting.find_map(|j| j.poll().is_none().then_some(j)) else { break };
        job.wait_slice();
        os(sh.budget.check())?.ok();
        if interrupted(sh)?.is_some() {
            return Ok(());
        }
    }
    sh.jobs.list.retain(|j| j.done.is_none());
    Ok(())
}

/// `wait -n`: the next of the jobs (or of those named) that ends.
fn wait_next(sh: &mut Shell, ids: &[Bytes]) -> Flow<(u8, Option<u32>)> {
    let mut named = Vec::new();
    for id in ids {
        match position(sh, id) {
            Ok(Some(at)) => named.push(sh.jobs.list[at].pid),
            Ok(None) => {}
            Err(status) => return Ok((status, None)),
        }
    }
    loop {
        let mut any = false;
        for i in 0..sh.jobs.list.len() {
            let job = &mut sh.jobs.list[i];
            let counts = if named.is_empty() { !job.hidden && !job.told } else { named.contains(&job.pid) };
            if !counts {
                continue;
            }
            any = true;
            if let Some(status) = job.poll() {
                let pid = job.pid;
                sh.jobs.list.remove(i);
                return Ok((status, Some(pid)));
            }
        }
        if !any {
            return Ok((127, None));
        }
        let deadline = std::time::Instant::now() + std::time::Duration::from_millis(2);
        os(sh.budget.sleep_until(Some(deadline)))?.ok();
        if let Some(status) = interrupted(sh)? {
            return Ok((status, None));
        }
    }
}

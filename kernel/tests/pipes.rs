//! Pipes: run ahead on one thread, stream on several, end as Unix pipes do.

use sandshell_kernel::{
    Budget, Bytes, Errno, Error, Input, Limits, Output,
    stream::pipe::{CAPACITY, StageFn, pipe, run_stages},
    stream::{Access, Description, Fd},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread::ThreadId,
    time::Duration,
};

fn budget() -> Budget {
    Budget::new(Limits { wall_clock: Some(Duration::from_secs(20)), ..Limits::default() })
}

#[test]
fn a_small_pipeline_runs_on_the_calling_thread() {
    let b = budget();
    let (r, w) = pipe();
    let (b1, b2) = (b.clone(), b.clone());
    let stages: Vec<StageFn<(ThreadId, Vec<u8>)>> = vec![
        Box::new(move || {
            let mut out = Output::new(w, &b1);
            out.put(b"hello\nworld\n").unwrap();
            out.flush().unwrap();
            (std::thread::current().id(), vec![])
        }),
        Box::new(move || {
            let mut input = Input::new(r, &b2);
            (std::thread::current().id(), input.read_all().unwrap().to_vec())
        }),
    ];
    let results = run_stages(&b, stages);
    let me = std::thread::current().id();
    assert_eq!(results[0], Ok((me, vec![])));
    assert_eq!(results[1], Ok((me, b"hello\nworld\n".to_vec())));
}

#[test]
fn a_long_pipeline_streams_in_bounded_memory_and_a_closed_reader_stops_the_writer() {
    let b = budget();
    let (r, w) = pipe();
    let (b1, b2) = (b.clone(), b.clone());
    let written = Arc::new(AtomicUsize::new(0));
    let seen = written.clone();
    let stages: Vec<StageFn<Result<(), Error>>> = vec![
        Box::new(move || {
            let mut out = Output::new(w, &b1);
            loop {
                out.put(&[b'y'; 1000])?;
                written.fetch_add(1000, SeqCst);
            }
        }),
        Box::new(move || {
            let mut input = Input::new(r, &b2);
            let first = input.fill()?.len();
            assert!(first > 0);
            Ok(())
        }),
    ];
    let results = run_stages(&b, stages);
    assert_eq!(results[0], Ok(Err(Error::Os(Errno::EPIPE))));
    assert_eq!(results[1], Ok(Ok(())));
    assert!(seen.load(SeqCst) <= 3 * CAPACITY, "the writer ran {} bytes ahead", seen.load(SeqCst));
}

#[test]
fn an_endless_writer_without_output_is_stopped_by_the_deadline() {
    let b = Budget::new(Limits { wall_clock: Some(Duration::from_millis(50)), ..Limits::default() });
    let started = std::time::Instant::now();
    loop {
        if let Err(e) = b.step() {
            assert_eq!(e, Error::Stop(sandshell_kernel::Stop::Timeout));
            break;
        }
    }
    assert!(started.elapsed() < Duration::from_millis(250));
}

#[test]
fn a_reader_waiting_for_a_writer_is_stopped_by_the_deadline() {
    let b = Budget::new(Limits { wall_clock: Some(Duration::from_millis(50)), ..Limits::default() });
    let (r, _w) = pipe();
    let got = r.read(&b, 10);
    assert_eq!(got, Err(Error::Stop(sandshell_kernel::Stop::Timeout)));
}

#[test]
fn at_the_limit_of_stages_a_new_one_fails_as_fork_does_and_its_writer_gets_a_broken_pipe() {
    let b = Budget::new(Limits { stages: 0, ..Limits::default() });
    let (r, w) = pipe();
    let b1 = b.clone();
    let stages: Vec<StageFn<Result<(), Error>>> = vec![
        Box::new(move || {
            let mut out = Output::new(w, &b1);
            loop {
                out.put(&[0; 4096])?;
            }
        }),
        Box::new(move || {
            drop(r);
            Ok(())
        }),
    ];
    let results = run_stages(&b, stages);
    assert_eq!(results[0], Ok(Err(Error::Os(Errno::EPIPE))));
    assert_eq!(results[1], Err(Error::Os(Errno::EAGAIN)));
}

#[test]
fn a_stage_that_panics_on_its_thread_is_an_error_and_not_a_hang() {
    let b = budget();
    let (r, w) = pipe();
    let b1 = b.clone();
    let stages: Vec<StageFn<Result<(), Error>>> = vec![
        Box::new(move || {
            let mut out = Output::new(w, &b1);
            loop {
                out.put(&[0; 4096])?;
            }
        }),
        Box::new(move || {
            let _r = r;
            panic!("a fault of a program")
        }),
    ];
    let results = run_stages(&b, stages);
    assert_eq!(results[0], Ok(Err(Error::Os(Errno::EPIPE))));
    assert_eq!(results[1], Err(Error::Os(Errno::EIO)));
}

#[test]
fn lines_are_the_same_however_the_chunks_fall() {
    let b = budget();
    let text = b"one\ntwo\n\nthree and more\nlast".to_vec();
    for cut in 1..text.len() {
        let (r, w) = pipe();
        for piece in text.chunks(cut) {
            w.write(&b, Bytes::copy_from_slice(piece)).unwrap();
        }
        drop(w);
        let mut input = Input::new(r.clone(), &b);
        let mut lines = Vec::new();
        while let Some(l) = input.line(b'\n').unwrap() {
            lines.push((l.bytes.to_vec(), l.terminated));
        }
        let want: Vec<(Vec<u8>, bool)> =
            [("one", true), ("two", true), ("", true), ("three and more", true), ("last", false)]
                .map(|(s, t)| (s.as_bytes().to_vec(), t))
                .to_vec();
        assert_eq!(lines, want, "cut into {cut}");
    }
    for cut in 1..text.len() {
        let (r, w) = pipe();
        for piece in text.chunks(cut) {
            w.write(&b, Bytes::copy_from_slice(piece)).unwrap();
        }
        drop(w);
        let mut input = Input::new(r, &b);
        let mut all = Vec::new();
        while let Some(c) = input.next_lines(b'\n').unwrap() {
            assert!(c.ends_with(b"\n") || all.len() + c.len() == text.len(), "cut into {cut}");
            all.extend_from_slice(&c);
        }
        assert_eq!(all, text, "cut into {cut}");
    }
}

#[test]
fn a_buffer_comes_back_from_the_reader_to_be_filled_again() {
    let b = budget();
    let (r, w) = pipe();
    assert!(w.buffer().is_none());
    w.write(&b, Bytes::from(vec![1u8; 64 << 10])).unwrap();
    let mut input = Input::new(r, &b);
    while !input.fill().unwrap().is_empty() {
        let n = input.fill().unwrap().len();
        input.consume(n);
        if n > 0 && input.fd().ready() {
            continue;
        }
        w.write_slice(&b, b"x").unwrap();
        let _ = input.fill().unwrap();
        break;
    }
    assert!(w.buffer().is_some(), "a used chunk of 64 KiB is recycled");
}

#[test]
fn memory_is_refunded_when_its_owner_is_dropped() {
    let b = Budget::new(Limits { memory: 1000, ..Limits::default() });
    let held = b.reserve(900).unwrap();
    assert!(b.reserve(200).is_err());
    assert_eq!(b.memory().0, 900);
    drop(held);
    assert_eq!(b.memory().0, 0);
}

/// So many chunks of ten bytes, and then an end or an error.
struct Chunks {
    left: AtomicUsize,
    end: Option<Errno>,
}

impl Description for Chunks {
    fn read(&self, _: &Budget, _: usize) -> sandshell_kernel::Result<Bytes> {
        let before = self.left.fetch_update(SeqCst, SeqCst, |n| n.checked_sub(1));
        match (before, self.end) {
            (Ok(_), _) => Ok(Bytes::from_static(b"0123456789")),
            (Err(_), None) => Ok(Bytes::new()),
            (Err(_), Some(e)) => Err(e.into()),
        }
    }

    fn stat(&self, _: &Budget) -> sandshell_kernel::Result<sandshell_kernel::Stat> {
        Ok(sandshell_kernel::Stat::file())
    }

    fn access(&self) -> Access {
        Access::READ
    }
}

/// Carries a file into a pipe between some written text; the reader stops after `max` bytes. What the writer met,
/// what was read, and how many chunks were not.
fn carried(chunks: usize, end: Option<Errno>, max: usize) -> (Result<(), Error>, Vec<u8>, usize) {
    let b = budget();
    let (r, w) = pipe();
    let (b1, b2) = (b.clone(), b.clone());
    let source = Arc::new(Chunks { left: chunks.into(), end });
    let file: Fd = source.clone();
    let got = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let read = got.clone();
    let stages: Vec<StageFn<Result<(), Error>>> = vec![
        Box::new(move || {
            let mut out = Output::new(w, &b1);
            out.put(b"before ")?;
            assert!(out.carry(&mut Input::new(file, &b1))?);
            out.put(b" after")?;
            out.flush()
        }),
        Box::new(move || {
            let mut input = Input::new(r, &b2);
            while read.lock().len() < max {
                let Some(c) = input.next_chunk()? else { break };
                read.lock().extend_from_slice(&c);
            }
            Ok(())
        }),
    ];
    let result = run_stages(&b, stages).remove(0).unwrap();
    let all = got.lock().clone();
    (result, all, source.left.load(SeqCst))
}

#[test]
fn a_file_that_is_carried_comes_between_what_is_written_before_and_after() {
    let (result, all, left) = carried(3, None, usize::MAX);
    assert_eq!((result, left), (Ok(()), 0));
    assert_eq!(all, b"before 012345678901234567890123456789 after");
}

#[test]
fn carrying_ends_with_the_reader_and_the_writer_is_told_of_an_error_of_the_file() {
    let (result, all, left) = carried(1000, None, 10);
    assert_eq!((result, left), (Err(Errno::EPIPE.into()), 999));
    assert_eq!(all, b"before 0123456789");
    let (result, all, _) = carried(2, Some(Errno::EIO), usize::MAX);
    assert_eq!(result, Err(Errno::EIO.into()));
    assert_eq!(all, b"before 01234567890123456789");
}

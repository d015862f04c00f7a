//! The data of the workloads: made once per size, the same bytes every time.

use std::{
    fs,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

/// A small generator with a fixed seed, so that the data never changes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

const CITIES: [&str; 8] = ["Oslo", "Bergen", "Paris", "Rome", "Berlin", "Madrid", "Lisbon", "Vienna"];
const LEVELS: [&str; 6] = ["INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"];
const WORDS: [&str; 10] = ["fox", "dog", "cat", "api", "user", "order", "cart", "item", "page", "mail"];

/// Makes the data of `mb` megabytes a file below `dir`, unless it is there.
pub fn make(dir: &Path, mb: u64) -> std::io::Result<PathBuf> {
    let out = dir.join(format!("data-{mb}"));
    if out.join("done").exists() {
        return Ok(out);
    }
    fs::create_dir_all(&out)?;
    let bytes = mb << 20;
    let mut r = Random(0x5eed_5eed_5eed_5eed);
    let file = |name: &str| fs::File::create(out.join(name)).map(|f| BufWriter::with_capacity(1 << 20, f));
    let mut log = file("log.txt")?;
    let mut n = 0;
    while n < bytes {
        let line = format!(
            "2026-11-{:02} {:02}:{:02}:{:02} {} {} /v1/{}/{} {} user=u{} {}ms\n",
            1 + r.below(28),
            r.below(24),
            r.below(60),
            r.below(60),
            LEVELS[r.below(6) as usize],
            if r.below(3) == 0 { "POST" } else { "GET" },
            WORDS[r.below(10) as usize],
            r.below(1000),
            [200, 200, 200, 301, 404, 500, 503][r.below(7) as usize],
            r.below(5000),
            r.below(2000),
        );
        n += line.len() as u64;
        log.write_all(line.as_bytes())?;
    }
    let mut cols = file("cols.txt")?;
    n = 0;
    while n < bytes {
        let line = format!(
            "{}{} {} {}.{:02} {}\n",
            WORDS[r.below(10) as usize],
            r.below(500),
            r.below(100_000),
            r.below(1000),
            r.below(100),
            r.next()
        );
        n += line.len() as u64;
        cols.write_all(line.as_bytes())?;
    }
    let mut csv = file("data.csv")?;
    n = 0;
    while n < bytes {
        let line = format!(
            "{},name{},{},{},{}\n",
            r.below(10_000_000),
            r.below(50_000),
            CITIES[r.below(8) as usize],
            r.below(100_000),
            WORDS[r.below(10) as usize]
        );
        n += line.len() as u64;
        csv.write_all(line.as_bytes())?;
    }
    let mut json = file("data.jsonl")?;
    n = 0;
    while n < bytes {
        let line = format!(
            "{{\"id\":{},\"amount\":{},\"user\":{{\"name\":\"n{}\",\"city\":\"{}\"}},\"tags\":[\"{}\",\"{}\"]}}\n",
            r.below(10_000_000),
            r.below(100_000),
            r.below(50_000),
            CITIES[r.below(8) as usize],
            WORDS[r.below(10) as usize],
            WORDS[r.below(10) as usize],
        );
        n += line.len() as u64;
        json.write_all(line.as_bytes())?;
    }
    let mut nums = file("nums.txt")?;
    n = 0;
    while n < bytes / 2 {
        let line = format!("{}\n", r.below(1_000_000_000));
        n += line.len() as u64;
        nums.write_all(line.as_bytes())?;
    }
    let mut lines = file("lines.txt")?;
    for i in 0..100_000u64 {
        writeln!(lines, "line {} {} {}", WORDS[r.below(10) as usize], r.below(1000), i)?;
    }
    for w in [&mut log, &mut cols, &mut csv, &mut json, &mut nums, &mut lines] {
        w.flush()?;
    }
    fs::write(out.join("done"), "")?;
    Ok(out)
}

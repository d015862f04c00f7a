//! Binary formats by their first bytes.

use super::Found;
use sandshell_text::date::{self, Dialect, Moment, Zone};

fn be16(d: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(*d.get(at)?) << 8 | u32::from(*d.get(at + 1)?))
}

fn be32(d: &[u8], at: usize) -> Option<u32> {
    Some(be16(d, at)? << 16 | be16(d, at + 2)?)
}

fn le16(d: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(*d.get(at)?) | u32::from(*d.get(at + 1)?) << 8)
}

fn le32(d: &[u8], at: usize) -> Option<u32> {
    Some(le16(d, at)? | le16(d, at + 2)? << 16)
}

/// What begins like a known format.
pub(super) fn binary(d: &[u8]) -> Option<Found> {
    let starts = |m: &[u8]| d.starts_with(m);
    if starts(b"\x89PNG\r\n\x1a\n") {
        return Some(Found::binary(png(d).unwrap_or("PNG image data".into()), "image/png"));
    }
    if starts(b"GIF8") {
        let size = le16(d, 6).zip(le16(d, 8)).map_or(String::new(), |(w, h)| format!(", {w} x {h}"));
        let version = String::from_utf8_lossy(d.get(3..6)?).into_owned();
        return Some(Found::binary(format!("GIF image data, version {version}{size}"), "image/gif"));
    }
    if starts(b"\xff\xd8\xff") {
        return Some(Found::binary(jpeg(d), "image/jpeg"));
    }
    if starts(b"BM") && d.len() >= 30 && le32(d, 14) == Some(40) {
        let (w, h, bits) = (le32(d, 18)?, le32(d, 22)?, le16(d, 28)?);
        return Some(Found::binary(
            format!("PC bitmap, Windows 3.x format, {w} x {h} x {bits}"),
            "image/bmp",
        ));
    }
    if starts(b"RIFF") && d.len() >= 12 {
        return Some(match &d[8..12] {
            b"WAVE" => Found::binary("RIFF (little-endian) data, WAVE audio", "audio/x-wav"),
            b"WEBP" => Found::binary("RIFF (little-endian) data, Web/P image", "image/webp"),
            b"AVI " => Found::binary("RIFF (little-endian) data, AVI", "video/x-msvideo"),
            _ => Found::binary("RIFF (little-endian) data", "application/octet-stream"),
        });
    }
    if starts(b"\x1f\x8b") {
        return Some(Found::binary(gzip(d), "application/gzip"));
    }
    if starts(b"BZh") {
        let size = d
            .get(3)
            .filter(|b| b.is_ascii_digit())
            .map_or(String::new(), |b| format!(", block size = {}00k", char::from(*b)));
        return Some(Found::binary(format!("bzip2 compressed data{size}"), "application/x-bzip2"));
    }
    if starts(b"\xfd7zXZ\0") {
        let check = match d.get(7) {
            Some(0) => ", checksum NONE",
            Some(1) => ", checksum CRC32",
            Some(4) => ", checksum CRC64",
            Some(10) => ", checksum SHA-256",
            _ => ", checksum",
        };
        return Some(Found::binary(format!("XZ compressed data{check}"), "application/x-xz"));
    }
    if starts(b"\x28\xb5\x2f\xfd") {
        return Some(Found::binary(
            "Zstandard compressed data (v0.8+), Dictionary ID: None",
            "application/zstd",
        ));
    }
    if starts(b"7z\xbc\xaf\x27\x1c") {
        let (major, minor) = (d.get(6).unwrap_or(&0), d.get(7).unwrap_or(&0));
        return Some(Found::binary(
            format!("7-zip archive data, version {major}.{minor}"),
            "application/x-7z-compressed",
        ));
    }
    if starts(b"PK\x03\x04") {
        return Some(zip(d));
    }
    if starts(b"PK\x05\x06") {
        return Some(Found::binary("Zip archive data (empty)", "application/zip"));
    }
    if starts(b"SQLite format 3\0") {
        return Some(Found::binary(
            sqlite(d).unwrap_or("SQLite 3.x database".into()),
            "application/vnd.sqlite3",
        ));
    }
    if starts(b"%PDF-") {
        let end = d[5..].iter().take(8).take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        let version = String::from_utf8_lossy(&d[5..5 + end]).into_owned();
        let charset = if super::text::is_ascii(d) { "us-ascii" } else { "binary" };
        return Some(Found {
            text: format!("PDF document, version {version}"),
            mime: "application/pdf",
            charset,
        });
    }
    if starts(b"\x7fELF") {
        return Some(elf(d));
    }
    if starts(b"MZ") {
        return Some(Found::binary("MS-DOS executable", "application/x-dosexec"));
    }
    if starts(b"\xca\xfe\xba\xbe") && be16(d, 6).is_some_and(|v| v >= 45) {
        let (minor, major) = (be16(d, 4)?, be16(d, 6)?);
        return Some(Found::binary(
            format!("compiled Java class data, version {major}.{minor}"),
            "application/x-java-applet",
        ));
    }
    if starts(b"\0asm") {
        let v = le32(d, 4).unwrap_or(1);
        return Some(Found::binary(
            format!("WebAssembly (wasm) binary module version {v:#x} (MVP)"),
            "application/wasm",
        ));
    }
    if starts(b"PAR1") {
        return Some(Found::binary("Apache Parquet", "application/vnd.apache.parquet"));
    }
    if d.len() >= 262 && &d[257..262] == b"ustar" {
        let text = if &d[257..265] == b"ustar  \0" { "POSIX tar archive (GNU)" } else { "POSIX tar archive" };
        return Some(Found::binary(text, "application/x-tar"));
    }
    if starts(b"OggS") {
        return Some(Found::binary("Ogg data", "application/ogg"));
    }
    if starts(b"ID3") {
        return Some(Found::binary("Audio file with ID3 version 2", "audio/mpeg"));
    }
    if starts(b"fLaC") {
        return Some(Found::binary("FLAC audio bitstream data", "audio/flac"));
    }
    if d.len() >= 12 && &d[4..8] == b"ftyp" {
        return Some(Found::binary("ISO Media", "video/mp4"));
    }
    None
}

fn png(d: &[u8]) -> Option<String> {
    let (w, h, bits) = (be32(d, 16)?, be32(d, 20)?, d.get(24)?);
    let color = match d.get(25)? {
        0 => " grayscale",
        2 => "/color RGB",
        3 => " colormap",
        4 => " gray+alpha",
        6 => "/color RGBA",
        _ => "",
    };
    let lace = if *d.get(28)? == 0 { "non-interlaced" } else { "interlaced" };
    Some(format!("PNG image data, {w} x {h}, {bits}-bit{color}, {lace}"))
}

fn jpeg(d: &[u8]) -> String {
    let mut text = String::from("JPEG image data");
    if d.get(6..10) == Some(b"JFIF") {
        let n = |at: usize| d.get(at).copied().unwrap_or(0);
        text.push_str(&format!(", JFIF standard {}.{:02}", n(11), n(12)));
        let unit = match n(13) {
            1 => "resolution (DPI)",
            2 => "resolution (DPCM)",
            _ => "aspect ratio",
        };
        let (x, y) = (be16(d, 14).unwrap_or(0), be16(d, 16).unwrap_or(0));
        text.push_str(&format!(", {unit}, density {x}x{y}, segment length {}", be16(d, 4).unwrap_or(0)));
    } else if d.get(6..10) == Some(b"Exif") {
        text.push_str(", Exif standard");
    }
    // The frame header says the size.
    let mut at = 2;
    while d.get(at) == Some(&0xff) {
        let (Some(kind), Some(len)) = (d.get(at + 1), be16(d, at + 2)) else { break };
        if matches!(kind, 0xc0..=0xc3) {
            if let (Some(bits), Some(h), Some(w), Some(parts)) =
                (d.get(at + 4), be16(d, at + 5), be16(d, at + 7), d.get(at + 9))
            {
                let how = if *kind == 0xc2 { "progressive" } else { "baseline" };
                text.push_str(&format!(", {how}, precision {bits}, {w}x{h}, components {parts}"));
            }
            break;
        }
        at += 2 + len as usize;
    }
    text
}

fn gzip(d: &[u8]) -> String {
    let mut text = String::from("gzip compressed data");
    let flags = d.get(3).copied().unwrap_or(0);
    if flags & 8 != 0 && flags & 4 == 0 {
        let name = d.get(10..).unwrap_or_default().split(|&b| b == 0).next().unwrap_or_default();
        text.push_str(&format!(", was \"{}\"", String::from_utf8_lossy(name)));
    }
    if let Some(mtime) = le32(d, 4).filter(|t| *t != 0) {
        let mut when = Vec::new();
        let at = Moment { seconds: i64::from(mtime), nanos: 0 };
        date::format(b"%a %b %e %H:%M:%S %Y", at, &Zone::utc(), Dialect::Gnu, &mut when);
        text.push_str(&format!(", last modified: {}", String::from_utf8_lossy(&when)));
    }
    match d.get(8) {
        Some(2) => text.push_str(", max compression"),
        Some(4) => text.push_str(", max speed"),
        _ => {}
    }
    match d.get(9) {
        Some(0) => text.push_str(", from FAT filesystem (MS-DOS, OS/2, NT)"),
        Some(3) => text.push_str(", from Unix"),
        Some(255) => text.push_str(", from unknown"),
        _ => {}
    }
    if d.len() < super::LOOK
        && let Some(n) = d.len().checked_sub(4).and_then(|at| le32(d, at))
    {
        text.push_str(&format!(", original size modulo 2^32 {n}"));
    }
    text
}

fn zip(d: &[u8]) -> Found {
    let version = d.get(4).copied().unwrap_or(20);
    let method = match le16(d, 8) {
        Some(0) => ", compression method=store",
        Some(8) => ", compression method=deflate",
        _ => "",
    };
    let name_len = le16(d, 26).unwrap_or(0) as usize;
    let name = d.get(30..30 + name_len).unwrap_or_default();
    if name == b"[Content_Types].xml" || name.starts_with(b"_rels/") {
        let has = |t: &[u8]| memchr::memmem::find(d, t).is_some();
        for (dir, text, mime) in [
            (
                &b"word/"[..],
                "Microsoft Word 2007+",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            ),
            (
                b"xl/",
                "Microsoft Excel 2007+",
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            ),
            (
                b"ppt/",
                "Microsoft PowerPoint 2007+",
                "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            ),
        ] {
            if has(dir) {
                return Found::binary(text, mime);
            }
        }
        return Found::binary("Microsoft OOXML", "application/octet-stream");
    }
    if name.starts_with(b"META-INF/") {
        return Found::binary("Java archive data (JAR)", "application/java-archive");
    }
    let text = format!("Zip archive data, at least v{}.{} to extract{method}", version / 10, version % 10);
    Found::binary(text, "application/zip")
}

fn sqlite(d: &[u8]) -> Option<String> {
    let mut text = String::from("SQLite 3.x database");
    if let Some(id) = be32(d, 68).filter(|n| *n != 0) {
        text.push_str(&format!(", application id {id}"));
    }
    if let Some(v) = be32(d, 60).filter(|n| *n != 0) {
        text.push_str(&format!(", user version {v}"));
    }
    text.push_str(&format!(", last written using SQLite version {}", be32(d, 96)?));
    text.push_str(&format!(", file counter {}, database pages {}", be32(d, 24)?, be32(d, 28)?));
    if let Some(free) = be32(d, 36).filter(|n| *n != 0) {
        text.push_str(&format!(", 1st free page {}, free pages {free}", be32(d, 32)?));
    }
    let encoding = match be32(d, 56)? {
        1 => ", UTF-8",
        2 => ", UTF-16 little endian",
        3 => ", UTF-16 big endian",
        _ => "",
    };
    text.push_str(&format!(", cookie {:#x}, schema {}{encoding}", be32(d, 40)?, be32(d, 44)?));
    text.push_str(&format!(", version-valid-for {}", be32(d, 92)?));
    Some(text)
}

fn elf(d: &[u8]) -> Found {
    let bits = if d.get(4) == Some(&1) { "32-bit" } else { "64-bit" };
    let little = d.get(5) != Some(&2);
    let mut text = format!("ELF {bits} {}", if little { "LSB" } else { "MSB" });
    let n = |at| if little { le16(d, at) } else { be16(d, at) };
    let (kind, mime) = match n(16) {
        Some(1) => (" relocatable", "application/x-object"),
        Some(2) => (" executable", "application/x-executable"),
        Some(3) => (" shared object", "application/x-sharedlib"),
        Some(4) => (" core file", "application/x-coredump"),
        _ => ("", "application/octet-stream"),
    };
    text.push_str(kind);
    text.push_str(match n(18) {
        Some(3) => ", Intel 80386",
        Some(40) => ", ARM",
        Some(62) => ", x86-64",
        Some(183) => ", ARM aarch64",
        Some(243) => ", UCB RISC-V",
        _ => "",
    });
    if n(18).is_some() {
        text.push_str(", version 1 (SYSV)");
    }
    Found::binary(text, mime)
}

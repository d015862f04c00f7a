//! `df`: space of the mounts. What a session may write is the size of the disk.

use super::{misuse, sizes::Unit};
use sandshell_kernel::{Bytes, Process, Result, Status, vfs::MountInfo};
use sandshell_text::{
    options::{Opt, Parsed, Spec},
    quote,
};

program!(
    /// `df`
    Df,
    run,
    Spec {
        name: "df",
        about: "Show information about the file system on which each FILE resides,\nor all file systems by default.",
        synopsis: &["[OPTION]... [FILE]..."],
        options: &[
            Opt::new('a', "all", "include pseudo, duplicate, inaccessible file systems"),
            Opt::new('B', "block-size", "scale sizes by SIZE before printing them").value("SIZE"),
            Opt::new('h', "human-readable", "print sizes in powers of 1024 (e.g., 1023M)"),
            Opt::new('H', "si", "print sizes in powers of 1000 (e.g., 1.1G)"),
            Opt::new('i', "inodes", "list inode information instead of block usage"),
            Opt::short('k', "like --block-size=1K"),
            Opt::new('l', "local", "limit listing to local file systems"),
            Opt::long("no-sync", "do not invoke sync before getting usage info (default)"),
            Opt::long("output", "use the output format defined by FIELD_LIST, or print all fields if FIELD_LIST is omitted").optional("FIELD_LIST"),
            Opt::new('P', "portability", "use the POSIX output format"),
            Opt::long("sync", "invoke sync before getting usage info"),
            Opt::long("total", "elide all entries insignificant to available space, and produce a grand total"),
            Opt::new('t', "type", "limit listing to file systems of type TYPE").value("TYPE"),
            Opt::new('T', "print-type", "print file system type"),
            Opt::new('x', "exclude-type", "limit listing to file systems not of type TYPE").value("TYPE"),
            Opt::short('v', "(ignored)"),
        ],
        notes: "FIELD_LIST is a comma-separated list of columns to be included.  Valid\nfield names are: 'source', 'fstype', 'itotal', 'iused', 'iavail', 'ipcent',\n'size', 'used', 'avail', 'pcent', 'file' and 'target' (see info page).",
        version: "df (GNU coreutils) 9.1",
        examples: &[],
    }
);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Field {
    Source,
    Type,
    Size,
    Used,
    Available,
    Percent,
    Inodes,
    InodesUsed,
    InodesFree,
    InodesPercent,
    File,
    Target,
}

const FIELDS: &[(&str, Field)] = &[
    ("source", Field::Source),
    ("fstype", Field::Type),
    ("itotal", Field::Inodes),
    ("iused", Field::InodesUsed),
    ("iavail", Field::InodesFree),
    ("ipcent", Field::InodesPercent),
    ("size", Field::Size),
    ("used", Field::Used),
    ("avail", Field::Available),
    ("pcent", Field::Percent),
    ("file", Field::File),
    ("target", Field::Target),
];

/// One filesystem: numbers where they are known.
struct Row {
    source: String,
    kind: &'static str,
    target: String,
    file: String,
    bytes: Option<(u64, u64)>,
    files: Option<(u64, u64)>,
}

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed: Parsed = parse!(p, spec);
    let mut unit = Unit::of_env(&p.env, "DF_BLOCK_SIZE", 1024);
    let mut fields: Option<Vec<Field>> = None;
    for f in &parsed.options {
        let value = f.value.clone().unwrap_or_default();
        match f.id {
            "block-size" => match Unit::parse(&value) {
                Some(u) => unit = u,
                None => {
                    p.error(format_args!("invalid --block-size argument {}", quote::name_always(&value)))?;
                    return Ok(Status::FAILURE);
                }
            },
            "human-readable" => unit = Unit::Human(1024),
            "si" => unit = Unit::Human(1000),
            "k" => unit = Unit::Blocks(1024, String::new()),
            "output" => {
                let list = fields.get_or_insert_with(Vec::new);
                match f.value {
                    None => *list = FIELDS.iter().map(|(_, f)| *f).collect(),
                    Some(_) => {
                        for word in value.split(|&b| b == b',') {
                            match FIELDS.iter().find(|(w, _)| w.as_bytes() == word) {
                                Some((_, f)) => list.push(*f),
                                None => {
                                    let shown = quote::value(word);
                                    return misuse(p, format_args!("option --output: field {shown} unknown"));
                                }
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }
    if fields.is_some() {
        for (id, letter) in [("inodes", "-i"), ("portability", "-P"), ("print-type", "-T")] {
            if parsed.has(id) {
                return misuse(p, format_args!("options {letter} and --output are mutually exclusive"));
            }
        }
    }
    let fields = fields.unwrap_or_else(|| {
        let mut list = vec![Field::Source];
        if parsed.has("print-type") {
            list.push(Field::Type);
        }
        list.extend(match parsed.has("inodes") {
            true => [Field::Inodes, Field::InodesUsed, Field::InodesFree, Field::InodesPercent],
            false => [Field::Size, Field::Used, Field::Available, Field::Percent],
        });
        list.push(Field::Target);
        list
    });
    let mounts = p.files.mounts();
    let mut ok = true;
    let mut rows = Vec::new();
    if parsed.operands.is_empty() {
        for m in &mounts {
            let row = row(p, m, "-");
            if row.bytes.is_some()
                || parsed.has("all")
                || matches!(m.kind, "live" | "cached" | "lazy" | "host")
            {
                rows.push(row);
            }
        }
    }
    for file in &parsed.operands {
        let path = match p.files.real_path(file) {
            Ok(path) => path,
            Err(e) => {
                p.complain(format_args!("{}", quote::name(file)), e)?;
                ok = false;
                continue;
            }
        };
        let holds = |m: &&MountInfo| {
            let at: &[u8] = if m.path == "/" { b"" } else { &m.path };
            path.strip_prefix(at).is_some_and(|r| r.is_empty() || r[0] == b'/')
        };
        if let Some(m) = mounts.iter().filter(holds).max_by_key(|m| m.path.len()) {
            rows.push(row(p, m, &String::from_utf8_lossy(file)));
        }
    }
    let types = |id: &str| -> Vec<Bytes> {
        parsed.options.iter().filter(|f| f.id == id).filter_map(|f| f.value.clone()).collect()
    };
    let (only, not) = (types("type"), types("exclude-type"));
    rows.retain(|r| {
        let is = |list: &[Bytes]| list.iter().any(|t| t == r.kind);
        (only.is_empty() || is(&only)) && !is(&not)
    });
    if rows.is_empty() {
        if ok {
            p.error(format_args!("no file systems processed"))?;
        }
        return Ok(Status::FAILURE);
    }
    if parsed.has("total") {
        let add = |get: fn(&Row) -> Option<(u64, u64)>| {
            rows.iter().filter_map(get).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
        };
        let (bytes, files) = (add(|r| r.bytes), add(|r| r.files));
        rows.push(Row {
            source: "total".into(),
            kind: "-",
            target: "-".into(),
            file: "-".into(),
            bytes: Some(bytes),
            files: Some(files),
        });
    }
    print(p, &fields, &rows, &unit, parsed.has("portability"))?;
    Ok(if ok { Status::OK } else { Status::FAILURE })
}

fn row(p: &Process, m: &MountInfo, file: &str) -> Row {
    let target = String::from_utf8_lossy(&m.path).into_owned();
    let own = matches!(m.kind, "root" | "tmp" | "scratch");
    let space = p.files.statfs(&m.path).ok().filter(|_| own);
    let kind = match m.kind {
        "root" | "scratch" => "overlay",
        "tmp" => "tmpfs",
        kind => kind,
    };
    Row {
        source: if kind == "overlay" || kind == "tmpfs" { kind.into() } else { m.kind.into() },
        kind,
        target,
        file: file.into(),
        bytes: space.map(|s| (s.bytes, s.bytes_used)),
        files: space.map(|s| (s.files, s.files_used)),
    }
}

fn print(p: &mut Process, fields: &[Field], rows: &[Row], unit: &Unit, posix: bool) -> Result<()> {
    let header = |f: Field| -> String {
        match f {
            Field::Source => "Filesystem".into(),
            Field::Type => "Type".into(),
            Field::Size => match unit {
                Unit::Human(_) => "Size".into(),
                Unit::Blocks(n, _) if posix => format!("{n}-blocks"),
                Unit::Blocks(n, _) => format!("{}-blocks", block_name(*n)),
            },
            Field::Used => "Used".into(),
            Field::Available => {
                if matches!(unit, Unit::Human(_)) && !posix { "Avail" } else { "Available" }.into()
            }
            Field::Percent => if posix { "Capacity" } else { "Use%" }.into(),
            Field::Inodes => "Inodes".into(),
            Field::InodesUsed => "IUsed".into(),
            Field::InodesFree => "IFree".into(),
            Field::InodesPercent => "IUse%".into(),
            Field::File => "File".into(),
            Field::Target => "Mounted on".into(),
        }
    };
    let size = |n: Option<u64>| n.map_or("-".into(), |n| unit.show(n));
    let count = |n: Option<u64>| match (n, unit) {
        (None, _) => "-".into(),
        (Some(n), Unit::Human(base)) => sandshell_text::number::human(n, *base),
        (Some(n), _) => n.to_string(),
    };
    let percent = |n: Option<(u64, u64)>| match n {
        Some((all, used)) if all > 0 => format!("{}%", (u128::from(used) * 100).div_ceil(u128::from(all))),
        _ => "-".into(),
    };
    let mut table: Vec<Vec<String>> = vec![fields.iter().map(|f| header(*f)).collect()];
    for r in rows {
        let cell = |f: &Field| match f {
            Field::Source => r.source.clone(),
            Field::Type => r.kind.into(),
            Field::Size => size(r.bytes.map(|b| b.0)),
            Field::Used => size(r.bytes.map(|b| b.1)),
            Field::Available => size(r.bytes.map(|b| b.0 - b.1)),
            Field::Percent => percent(r.bytes),
            Field::Inodes => count(r.files.map(|b| b.0)),
            Field::InodesUsed => count(r.files.map(|b| b.1)),
            Field::InodesFree => count(r.files.map(|b| b.0 - b.1)),
            Field::InodesPercent => percent(r.files),
            Field::File => r.file.clone(),
            Field::Target => r.target.clone(),
        };
        table.push(fields.iter().map(cell).collect());
    }
    let least = |f: Field| match f {
        Field::Source => 14,
        Field::Type => 4,
        Field::Size
        | Field::Used
        | Field::Available
        | Field::Inodes
        | Field::InodesUsed
        | Field::InodesFree => 5,
        Field::Percent | Field::InodesPercent => 4,
        Field::File | Field::Target => 0,
    };
    let width =
        |c: usize| table.iter().map(|r| r[c].chars().count()).max().unwrap_or(0).max(least(fields[c]));
    let widths: Vec<usize> = (0..fields.len()).map(width).collect();
    for row in &table {
        let mut line = String::new();
        for (c, cell) in row.iter().enumerate() {
            if c > 0 {
                line.push(' ');
            }
            let left = matches!(fields[c], Field::Source | Field::Type | Field::File | Field::Target);
            let w = widths[c];
            match left {
                true if c + 1 == row.len() => line.push_str(cell),
                true => line.push_str(&format!("{cell:<w$}")),
                false => line.push_str(&format!("{cell:>w$}")),
            }
        }
        line.push('\n');
        p.stdout.put(line.as_bytes())?;
    }
    Ok(())
}

/// `1K`, `1M`, `512B`
fn block_name(n: u64) -> String {
    for (power, unit) in [(4, 'T'), (3, 'G'), (2, 'M'), (1, 'K')] {
        let size = 1024u64.pow(power);
        if n.is_multiple_of(size) {
            return format!("{}{unit}", n / size);
        }
    }
    for (power, unit) in [(3, "GB"), (2, "MB"), (1, "kB")] {
        let size = 1000u64.pow(power);
        if n.is_multiple_of(size) {
            return format!("{}{unit}", n / size);
        }
    }
    format!("{n}B")
}

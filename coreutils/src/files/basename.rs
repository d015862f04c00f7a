//! `basename`: the last part of a path, without a suffix.

use super::{base, extra_operand, line_end, missing_operand};
use sandshell_kernel::{Process, Result, Status};
use sandshell_text::options::{Example, Opt, Spec};

program!(
    /// `basename`
    Basename,
    run,
    Spec {
        name: "basename",
        about: "Print NAME with any leading directory components removed.\nIf specified, also remove a trailing SUFFIX.",
        synopsis: &["NAME [SUFFIX]", "OPTION... NAME..."],
        options: &[
            Opt::new('a', "multiple", "support multiple arguments and treat each as a NAME"),
            Opt::new('s', "suffix", "remove a trailing SUFFIX; implies -a").value("SUFFIX"),
            Opt::new('z', "zero", "end each output line with NUL, not newline"),
        ],
        notes: "",
        version: "basename (GNU coreutils) 9.1",
        examples: &[Example { script: "basename /usr/bin/sort rt", output: "so\n" }],
    }
);

fn run(p: &mut Process, spec: &'static Spec) -> Result<Status> {
    let parsed = parse!(p, spec);
    let end = line_end(&parsed);
    let many = parsed.has("multiple") || parsed.has("suffix");
    let (names, suffix) = match &parsed.operands[..] {
        [] => return missing_operand(p),
        all if many => (all, parsed.last("suffix").cloned().unwrap_or_default()),
        [name] => (std::slice::from_ref(name), Default::default()),
        [name, suffix] => (std::slice::from_ref(name), suffix.clone()),
        [_, _, extra, ..] => return extra_operand(p, extra),
    };
    for name in names {
        let name = base(name);
        let short = name.strip_suffix(&suffix[..]).filter(|s| !s.is_empty() && name != b"/");
        p.stdout.put(short.unwrap_or(name))?;
        p.stdout.byte(end)?;
    }
    Ok(Status::OK)
}

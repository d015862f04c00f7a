//! `help`: what each builtin and reserved word is for.

use super::options::Options;
use crate::session::shell::{Flow, Shell};
use bytes::Bytes;
use sandshell_text::glob::{Glob, GlobFlags};

const USAGE: &str = "help [-dms] [pattern ...]";

/// A topic: its name, how it is written, what it does.
pub(super) struct Topic(pub &'static str, &'static str, &'static str);

/// All topics, in the order of the list.
#[rustfmt::skip]
pub(super) static TOPICS: &[Topic] = &[
    Topic("%", "job_spec [&]", "Resume job in foreground."),
    Topic("(( ... ))", "(( expression ))", "Evaluate arithmetic expression."),
    Topic(".", ". filename [arguments]", "Execute commands from a file in the current shell."),
    Topic(":", ":", "Null command."),
    Topic("[", "[ arg... ]", "Evaluate conditional expression."),
    Topic("[[ ... ]]", "[[ expression ]]", "Execute conditional command."),
    Topic("alias", "alias [-p] [name[=value] ... ]", "Define or display aliases."),
    Topic("bg", "bg [job_spec ...]", "Move jobs to the background."),
    Topic("bind", "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]", "Set Readline key bindings and variables."),
    Topic("break", "break [n]", "Exit for, while, or until loops."),
    Topic("builtin", "builtin [shell-builtin [arg ...]]", "Execute shell builtins."),
    Topic("caller", "caller [expr]", "Return the context of the current subroutine call."),
    Topic("case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac", "Execute commands based on pattern matching."),
    Topic("cd", "cd [-L|[-P [-e]] [-@]] [dir]", "Change the shell working directory."),
    Topic("command", "command [-pVv] command [arg ...]", "Execute a simple command or display information about commands."),
    Topic("compgen", "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]", "Display possible completions depending on the options."),
    Topic("complete", "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]", "Specify how arguments are to be completed by Readline."),
    Topic("compopt", "compopt [-o|+o option] [-DEI] [name ...]", "Modify or display completion options."),
    Topic("continue", "continue [n]", "Resume for, while, or until loops."),
    Topic("coproc", "coproc [NAME] command [redirections]", "Create a coprocess named NAME."),
    Topic("declare", "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]", "Set variable values and attributes."),
    Topic("dirs", "dirs [-clpv] [+N] [-N]", "Display directory stack."),
    Topic("disown", "disown [-h] [-ar] [jobspec ... | pid ...]", "Remove jobs from current shell."),
    Topic("echo", "echo [-neE] [arg ...]", "Write arguments to the standard output."),
    Topic("enable", "enable [-a] [-dnps] [-f filename] [name ...]", "Enable and disable shell builtins."),
    Topic("eval", "eval [arg ...]", "Execute arguments as a shell command."),
    Topic("exec", "exec [-cl] [-a name] [command [argument ...]] [redirection ...]", "Replace the shell with the given command."),
    Topic("exit", "exit [n]", "Exit the shell."),
    Topic("export", "export [-fn] [name[=value] ...] or export -p", "Set export attribute for shell variables."),
    Topic("false", "false", "Return an unsuccessful result."),
    Topic("fc", "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]", "Display or execute commands from the history list."),
    Topic("fg", "fg [job_spec]", "Move job to the foreground."),
    Topic("for", "for NAME [in WORDS ... ] ; do COMMANDS; done", "Execute commands for each member in a list."),
    Topic("for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done", "Arithmetic for loop."),
    Topic("function", "function name { COMMANDS ; } or name () { COMMANDS ; }", "Define shell function."),
    Topic("getopts", "getopts optstring name [arg ...]", "Parse option arguments."),
    Topic("hash", "hash [-lr] [-p pathname] [-dt] [name ...]", "Remember or display program locations."),
    Topic("help", "help [-dms] [pattern ...]", "Display information about builtin commands."),
    Topic("history", "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]", "Display or manipulate the history list."),
    Topic("if", "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi", "Execute commands based on conditional."),
    Topic("jobs", "jobs [-lnprs] [jobspec ...] or jobs -x command [args]", "Display status of jobs."),
    Topic("kill", "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]", "Send a signal to a job."),
    Topic("let", "let arg [arg ...]", "Evaluate arithmetic expressions."),
    Topic("local", "local [option] name[=value] ...", "Define local variables."),
    Topic("logout", "logout [n]", "Exit a login shell."),
    Topic("mapfile", "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]", "Read lines from the standard input into an indexed array variable."),
    Topic("popd", "popd [-n] [+N | -N]", "Remove directories from stack."),
    Topic("printf", "printf [-v var] format [arguments]", "Formats and prints ARGUMENTS under control of the FORMAT."),
    Topic("pushd", "pushd [-n] [+N | -N | dir]", "Add directories to stack."),
    Topic("pwd", "pwd [-LP]", "Print the name of the current working directory."),
    Topic("read", "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]", "Read a line from the standard input and split it into fields."),
    Topic("readarray", "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]", "Read lines from a file into an array variable."),
    Topic("readonly", "readonly [-aAf] [name[=value] ...] or readonly -p", "Mark shell variables as unchangeable."),
    Topic("return", "return [n]", "Return from a shell function."),
    Topic("select", "select NAME [in WORDS ... ;] do COMMANDS; done", "Select words from a list and execute commands."),
    Topic("set", "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]", "Set or unset values of shell options and positional parameters."),
    Topic("shift", "shift [n]", "Shift positional parameters."),
    Topic("shopt", "shopt [-pqsu] [-o] [optname ...]", "Set and unset shell options."),
    Topic("source", "source filename [arguments]", "Execute commands from a file in the current shell."),
    Topic("suspend", "suspend [-f]", "Suspend shell execution."),
    Topic("test", "test [expr]", "Evaluate conditional expression."),
    Topic("time", "time [-p] pipeline", "Report time consumed by pipeline's execution."),
    Topic("times", "times", "Display process times."),
    Topic("trap", "trap [-lp] [[arg] signal_spec ...]", "Trap signals and other events."),
    Topic("true", "true", "Return a successful result."),
    Topic("type", "type [-afptP] name [name ...]", "Display information about command type."),
    Topic("typeset", "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]", "Set variable values and attributes."),
    Topic("ulimit", "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]", "Modify shell resource limits."),
    Topic("umask", "umask [-p] [-S] [mode]", "Display or set file mode mask."),
    Topic("unalias", "unalias [-a] name [name ...]", "Remove each NAME from the list of defined aliases."),
    Topic("unset", "unset [-f] [-v] [-n] [name ...]", "Unset values and attributes of shell variables and functions."),
    Topic("until", "until COMMANDS; do COMMANDS-2; done", "Execute commands as long as a test does not succeed."),
    Topic("variables", "variables - Names and meanings of some shell variables", "Common shell variable names and usage."),
    Topic("wait", "wait [-fn] [-p var] [id ...]", "Wait for job completion and return exit status."),
    Topic("while", "while COMMANDS; do COMMANDS-2; done", "Execute commands as long as a test succeeds."),
    Topic("{ ... }", "{ COMMANDS ; }", "Group commands as a unit."),
];

/// Which form of help is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Full,
    Short,
    Synopsis,
    Page,
}

pub fn help(sh: &mut Shell, args: &[Bytes]) -> Flow {
    let mut options = Options::new(args, "dms", USAGE);
    let mut form = Form::Full;
    loop {
        match options.next(sh) {
            Ok(Some((b'd', _))) => form = Form::Short,
            Ok(Some((b'm', _))) => form = Form::Page,
            Ok(Some(_)) => form = Form::Synopsis,
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let patterns = options.operands();
    if patterns.is_empty() {
        return overview(sh);
    }
    let mut out = Vec::new();
    if patterns.len() == 1 && patterns[0].iter().any(|b| matches!(b, b'*' | b'?' | b'[')) {
        out.extend_from_slice(&[b"Shell commands matching keyword `", &patterns[0][..], b"'\n\n"].concat());
    }
    let mut found = false;
    for pattern in patterns {
        let glob = Glob::new(pattern, GlobFlags::default());
        let exact = TOPICS.iter().any(|t| t.0.as_bytes() == &pattern[..]);
        for t in TOPICS {
            // A name is itself; else what begins like it.
            let hit = match exact {
                true => t.0.as_bytes() == &pattern[..],
                false => glob.matches(t.0.as_bytes()) || t.0.as_bytes().starts_with(pattern),
            };
            if hit {
                found = true;
                out.extend_from_slice(text(t, form).as_bytes());
            }
        }
    }
    if !found {
        let last = &patterns[patterns.len() - 1];
        sh.complain(&[
            b"no help topics match `",
            last,
            b"'.  Try `help help' or `man -k ",
            last,
            b"' or `info ",
            last,
            b"'.",
        ]);
        return Ok(1);
    }
    sh.write_out(&out)
}

fn text(Topic(name, synopsis, about): &Topic, form: Form) -> String {
    match form {
        Form::Short => format!("{name} - {about}\n"),
        Form::Synopsis => format!("{name}: {synopsis}\n"),
        Form::Full => format!("{name}: {synopsis}\n    {about}\n"),
        Form::Page => format!(
            "NAME\n    {name} - {about}\n\nSYNOPSIS\n    {synopsis}\n\nDESCRIPTION\n    {about}\n\nSEE ALSO\n    bash(1)\n\n"
        ),
    }
}

/// All topics in two columns; a star marks what `enable -n` turned off.
fn overview(sh: &mut Shell) -> Flow {
    let version = sh.lookup(b"BASH_VERSION").unwrap_or_default();
    let mut out = format!(
        "GNU bash, version {} (x86_64-pc-linux-gnu)\n\
         These shell commands are defined internally.  Type `help' to see this list.\n\
         Type `help name' to find out more about the function `name'.\n\n\
         A star (*) next to a name means that the command is disabled.\n\n",
        String::from_utf8_lossy(&version)
    );
    let cell = |t: &Topic| {
        let off = sh.disabled.as_ref().is_some_and(|d| d.contains(t.0.as_bytes()));
        let mut cell = format!("{}{}", if off { '*' } else { ' ' }, t.1);
        if cell.len() > 39 {
            cell.truncate(38);
            cell.push('>');
        }
        cell
    };
    let rows = TOPICS.len().div_ceil(2);
    for (i, left) in TOPICS[..rows].iter().enumerate() {
        match TOPICS.get(rows + i) {
            Some(right) => out += &format!("{:<40}{}\n", cell(left), cell(right)),
            None => out += &format!("{}\n", cell(left)),
        }
    }
    sh.write_out(out.as_bytes())
}

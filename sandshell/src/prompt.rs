//! A prompt with line editing and history that reads one complete command at a time.

use rustyline::{DefaultEditor, error::ReadlineError};
use sandshell_interpreter::syntax::{ParseState, Parser};
use std::{io, path::PathBuf};

/// Reads commands from a person.
pub struct Prompt {
    editor: DefaultEditor,
    history: Option<PathBuf>,
}

impl Prompt {
    /// A prompt that keeps its history in a file, if one is given.
    pub fn new(history: Option<PathBuf>) -> io::Result<Prompt> {
        let mut editor = DefaultEditor::new().map_err(io::Error::other)?;
        if let Some(path) = &history {
            // A first start has none yet.
            let _ = editor.load_history(path);
        }
        Ok(Prompt { editor, history })
    }

    /// The next complete command, which may have several lines; `None` at the end of input. Ctrl-C drops what was
    /// typed and begins anew.
    pub fn read(&mut self, prompt: &str) -> io::Result<Option<String>> {
        let mut text = String::new();
        loop {
            let shown = if text.is_empty() { prompt } else { "> " };
            match self.editor.readline(shown) {
                Ok(line) => {
                    text.push_str(&line);
                    text.push('\n');
                }
                Err(ReadlineError::Interrupted) => {
                    text.clear();
                    continue;
                }
                Err(ReadlineError::Eof) if text.is_empty() => return Ok(None),
                Err(ReadlineError::Eof) => return Ok(Some(text)),
                Err(e) => return Err(io::Error::other(e)),
            }
            if text.trim().is_empty() {
                text.clear();
            } else if is_complete(&text) {
                let _ = self.editor.add_history_entry(text.trim_end());
                return Ok(Some(text));
            }
        }
    }
}

impl Drop for Prompt {
    fn drop(&mut self) {
        if let Some(path) = &self.history {
            let saved = path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(ReadlineError::Io);
            if let Err(e) = saved.and_then(|()| self.editor.save_history(path)) {
                eprintln!("sandshell: {}: {e}", path.display());
            }
        }
    }
}

/// Whether a command needs no further lines; a wrong one does not either.
fn is_complete(text: &str) -> bool {
    if text.ends_with("\\\n") {
        return false;
    }
    let mut parser = Parser::new(text.to_owned().into(), 1);
    loop {
        match parser.next_command(&ParseState::default()) {
            Ok(None) => return true,
            // A here-document without its end is only warned of.
            Ok(Some(unit)) if !unit.warnings.is_empty() => return false,
            Ok(Some(_)) => {}
            Err(e) => return !e.at_end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_complete;

    #[test]
    fn a_command_is_complete_when_bash_would_run_it() {
        for text in
            ["echo 1\n", "for x in 1 2; do echo $x; done\n", "cat <<E\nx\nE\n", "echo )\n", "f() { :; }\n"]
        {
            assert!(is_complete(text), "{text}");
        }
        for text in ["echo 'a\n", "for x in 1; do\n", "cat <<E\nx\n", "echo \\\n", "a &&\n", "$(\n", "{ x\n"]
        {
            assert!(!is_complete(text), "{text}");
        }
    }
}

//! `import` and `include`: where modules lie, and the variables known from outside.

use super::{
    args::all_values,
    machine::{Res, fail},
    syntax::{Module, Surroundings},
    val::{Members, Val},
};
use sandshell_kernel::{Bytes, Files};

/// Finds modules below the directories of `-L`.
pub struct Library {
    /// The filesystem.
    pub files: Files,
    /// The directories.
    pub dirs: Vec<Bytes>,
    /// `$ENV`
    pub environment: Val,
    /// Variables of the command line, `$ARGS` among them.
    pub named: Members,
}

impl Library {
    fn read(&self, path: &str) -> Option<Bytes> {
        self.files.open_read(path.as_bytes()).and_then(|mut i| i.read_all()).ok()
    }

    fn candidates(&self, path: &str, extension: &str, search: Option<&str>) -> Vec<String> {
        let last = path.rsplit('/').next().unwrap_or(path);
        let mut roots: Vec<String> = Vec::new();
        if let Some(s) = search {
            roots.push(s.to_string());
        }
        roots.extend(self.dirs.iter().map(|d| String::from_utf8_lossy(d).into_owned()));
        let mut out = Vec::new();
        for r in roots {
            out.push(format!("{r}/{path}.{extension}"));
            out.push(format!("{r}/{path}/{last}.{extension}"));
        }
        out
    }

    fn find(&self, path: &str, extension: &str, search: Option<&str>) -> Option<Bytes> {
        self.candidates(path, extension, search).iter().find_map(|c| self.read(c))
    }

    /// `modulemeta`
    pub fn meta(&self, name: &str) -> Res<Val> {
        let Some(text) = self.find(name, "jq", None) else {
            return fail(format!("module not found: {name}"));
        };
        match super::syntax::module_meta(&text) {
            Some(v) => Ok(v),
            None => fail(format!("{name}: not a module")),
        }
    }
}

impl Surroundings for Library {
    fn module(&mut self, path: &str, data: bool, search: Option<&str>) -> Result<Module, String> {
        let extension = if data { "json" } else { "jq" };
        let Some(text) = self.find(path, extension, search) else {
            return Err(format!("module not found: {path}"));
        };
        if !data {
            return Ok(Module::Code(text.to_vec()));
        }
        match all_values(&text) {
            Ok(values) => Ok(Module::Data(values.into())),
            Err(why) => Err(format!("{path}.json: {why}")),
        }
    }

    fn global(&mut self, name: &str) -> Option<Val> {
        match name {
            "ENV" => Some(self.environment.clone()),
            _ => self.named.get(name.as_bytes()).cloned(),
        }
    }
}

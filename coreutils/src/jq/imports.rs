//! `import`, `include` and `module` at the head of a program.

use super::{
    ir::{Format, Func, Node},
    lexer::Token,
    syntax::{Bind, Fatal, Module, Parsed, Parser, Scope, constant},
    val::{Members, Val},
};
use std::rc::Rc;

impl Parser<'_, '_> {
    pub(super) fn directives(&mut self) -> Parsed<()> {
        if self.accept_word("module") {
            self.postfix()?;
            self.expect(";")?;
        }
        while self.word("import") || self.word("include") {
            let include = self.word("include");
            self.advance();
            let at = self.start;
            let path = self.constant_string()?;
            let mut name = String::new();
            let mut data = false;
            if !include {
                self.expect_word("as")?;
                match self.token.clone() {
                    Token::Ident(n) => name = n,
                    Token::Binding(n) => {
                        name = n;
                        data = true;
                    }
                    _ => return self.unexpected(),
                }
                self.advance();
            }
            let mut search = None;
            if !self.is(";") {
                let meta = self.postfix()?;
                if let Some(Val::Obj(o)) = constant(&meta) {
                    if let Some(Val::Str(s)) = o.get(b"search") {
                        search = Some(s.text().to_string());
                    }
                } else {
                    self.fault("Module metadata must be constant", at);
                    return Err(Fatal);
                }
            }
            self.expect(";")?;
            let mut dep = Members::with_capacity(3);
            if !include {
                dep.insert("as".into(), name.as_str().into());
            }
            dep.insert("is_data".into(), data.into());
            dep.insert("relpath".into(), path.as_str().into());
            self.c.deps.push(dep.into());
            self.import(&path, &name, data, search.as_deref())?;
        }
        Ok(())
    }

    pub(super) fn import(&mut self, path: &str, name: &str, data: bool, search: Option<&str>) -> Parsed<()> {
        match self.c.around.module(path, data, search) {
            Err(message) => {
                self.c.errors.push(format!("{message}\n"));
                Err(Fatal)
            }
            Ok(Module::Data(v)) => {
                // A constant: `$name` and `$name::name`.
                for n in [name.to_string(), format!("{name}::{name}")] {
                    let id = self.c.funcs.len();
                    self.c.funcs.push(Func { body: Some(Rc::new(Node::lit(v.clone()))), values: Vec::new() });
                    self.bind(Bind::Func(format!("${n}"), 0, id));
                }
                Ok(())
            }
            Ok(Module::Code(text)) => {
                if self.c.modules.len() > 64 || self.c.modules.iter().any(|m| m == path) {
                    self.c.errors.push(format!("module {path} includes itself\n"));
                    return Err(Fatal);
                }
                self.c.modules.push(path.to_string());
                let depth = std::mem::replace(&mut self.c.depth, 0);
                let from = self.c.scopes.len();
                self.bind(Bind::Wall);
                let nesting = self.nesting;
                let mut p = Parser::new(self.c, &text, path);
                p.nesting = nesting;
                p.advance();
                p.directives()?;
                let own = p.c.scopes.len();
                while p.word("def") {
                    p.definition(false)?;
                }
                if p.token != Token::End {
                    return p.unexpected();
                }
                let defined: Vec<Scope> = self.c.scopes.drain(own..).collect();
                self.unbind(from, depth);
                self.c.modules.pop();
                for s in defined {
                    if let Bind::Func(n, arity, id) = s.bind {
                        let n = if name.is_empty() { n } else { format!("{name}::{n}") };
                        // Its environment is the empty one, whatever is bound here.
                        self.c.scopes.push(Scope { bind: Bind::Func(n, arity, id), depth: 0 });
                    }
                }
                Ok(())
            }
        }
    }

    pub(super) fn constant_string(&mut self) -> Parsed<String> {
        if self.token != Token::Quote {
            return self.unexpected();
        }
        let at = self.start;
        let n = self.string(Format::Text)?;
        match constant(&n) {
            Some(Val::Str(s)) => Ok(s.text().to_string()),
            _ => {
                self.fault("Import path must be constant", at);
                Err(Fatal)
            }
        }
    }
}

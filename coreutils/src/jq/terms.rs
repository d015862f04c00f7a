//! The grammar of terms: literals, strings, objects, indexing, control structures.

use super::{
    ir::{Format, Node, Op, Part},
    lexer::{self, KEYWORDS, Token},
    syntax::{Bind, Fatal, Parsed, Parser, Scope, index, join, text_of},
    val::{Str, Val},
};

impl Parser<'_, '_> {
    pub(super) fn postfix(&mut self) -> Parsed<Node> {
        let mut t = self.term()?;
        loop {
            match &self.token {
                Token::Field(name) => {
                    let name = name.as_str().into();
                    self.advance();
                    t = Node::new(Op::Field(Box::new(t), name));
                }
                Token::Op(".") => {
                    let next = lexer::token(self.text, lexer::skip_space(self.text, self.at)).0;
                    match next {
                        Token::Quote => {
                            self.advance();
                            let key = self.string(Format::Text)?;
                            t = index(t, key);
                        }
                        Token::Op("[") => self.advance(),
                        _ => return self.unexpected_field(),
                    }
                }
                Token::Op("[") => t = self.brackets(t)?,
                Token::Op("?") => {
                    self.advance();
                    t = Node::new(Op::Try(Box::new(t), None));
                }
                Token::Ident(w) if w == "as" => return Ok(t),
                _ => return Ok(t),
            }
        }
    }

    pub(super) fn unexpected_field<T>(&mut self) -> Parsed<T> {
        self.advance();
        self.unexpected()
    }

    pub(super) fn brackets(&mut self, t: Node) -> Parsed<Node> {
        self.advance();
        if self.accept("]") {
            return Ok(Node::new(Op::Iter(Box::new(t))));
        }
        if self.accept(":") {
            let to = self.pipe()?;
            self.expect("]")?;
            return Ok(Node::new(Op::Slice(Box::new(t), None, Some(Box::new(to)))));
        }
        let from = self.pipe()?;
        if self.accept(":") {
            let to = if self.is("]") { None } else { Some(Box::new(self.pipe()?)) };
            self.expect("]")?;
            return Ok(Node::new(Op::Slice(Box::new(t), Some(Box::new(from)), to)));
        }
        self.expect("]")?;
        Ok(index(t, from))
    }

    pub(super) fn term(&mut self) -> Parsed<Node> {
        match self.token.clone() {
            Token::Number(n) => {
                self.advance();
                Ok(Node::lit(n.0))
            }
            Token::Quote => self.string(Format::Text),
            Token::Format(name) => {
                self.advance();
                let format = Format::named(&name);
                if self.token == Token::Quote {
                    return self.string(format);
                }
                Ok(Node::new(Op::Format(format)))
            }
            Token::Field(name) => {
                self.advance();
                Ok(Node::new(Op::Field(Node::boxed(Op::Id), name.as_str().into())))
            }
            Token::Binding(name) => {
                let at = self.start;
                self.advance();
                Ok(self.binding(&name, at))
            }
            Token::Ident(name) => self.named(&name),
            Token::Op(op) => self.punctuated(op),
            Token::Invalid | Token::End => self.unexpected(),
        }
    }

    pub(super) fn binding(&mut self, name: &str, at: usize) -> Node {
        let function = format!("${name}");
        let data = self.c.scopes.iter().rev().find_map(|s| match &s.bind {
            Bind::Func(n, 0, id) if *n == function => Some(*id),
            _ => None,
        });
        match data.and_then(|id| self.c.funcs[id].body.clone()) {
            Some(body) => match &body.op {
                Op::Lit(v) => Node::lit(v.clone()),
                _ => Node::id(),
            },
            None => self.variable(name, at),
        }
    }

    pub(super) fn punctuated(&mut self, op: &'static str) -> Parsed<Node> {
        match op {
            "." => {
                self.advance();
                match &self.token {
                    Token::Quote => {
                        let key = self.string(Format::Text)?;
                        Ok(index(Node::id(), key))
                    }
                    Token::Op("[") => self.brackets(Node::id()),
                    _ => Ok(Node::id()),
                }
            }
            ".." => {
                self.advance();
                Ok(Node::new(Op::Recurse(None)))
            }
            "(" => {
                self.advance();
                let inner = self.pipe()?;
                self.expect(")")?;
                Ok(inner)
            }
            "[" => {
                self.advance();
                if self.accept("]") {
                    return Ok(Node::lit(Vec::new()));
                }
                let inner = self.pipe()?;
                self.expect("]")?;
                Ok(Node::new(Op::Array(Box::new(inner))))
            }
            "{" => self.object(),
            "-" => self.unary(),
            _ => self.unexpected(),
        }
    }

    pub(super) fn named(&mut self, name: &str) -> Parsed<Node> {
        let at = self.start;
        match name {
            "if" => self.conditional(at),
            "try" => {
                self.advance();
                let body = self.nest(Self::try_operand)?;
                let handler = match self.accept_word("catch") {
                    true => Some(Box::new(self.nest(Self::try_operand)?)),
                    false => None,
                };
                Ok(Node::new(Op::Try(Box::new(body), handler)))
            }
            "reduce" | "foreach" => self.fold(name == "reduce"),
            "label" | "def" => self.nest(Self::pipe_here),
            "break" => {
                self.advance();
                match self.token.clone() {
                    Token::Binding(l) => {
                        self.advance();
                        Ok(self.break_to(&l, at))
                    }
                    _ => {
                        self.fault("break requires a label to break to", at);
                        Ok(Node::id())
                    }
                }
            }
            "__loc__" => self.unexpected(),
            _ if KEYWORDS.contains(&name) => self.unexpected(),
            _ => {
                self.advance();
                let mut args = Vec::new();
                if self.accept("(") {
                    loop {
                        args.push(self.pipe()?);
                        if !self.accept(";") {
                            break;
                        }
                    }
                    self.expect(")")?;
                }
                match (name, args.is_empty()) {
                    ("true", true) => Ok(Node::lit(true)),
                    ("false", true) => Ok(Node::lit(false)),
                    ("null", true) => Ok(Node::lit(Val::Null)),
                    _ => self.call(name, args, at),
                }
            }
        }
    }

    pub(super) fn try_operand(&mut self) -> Parsed<Node> {
        if self.is("-") {
            return self.unary();
        }
        self.postfix()
    }

    pub(super) fn conditional(&mut self, at: usize) -> Parsed<Node> {
        self.advance();
        let r = self.conditional_rest();
        if r.is_err() && self.token == Token::End {
            self.fault("Possibly unterminated 'if' statement", at);
        }
        r
    }

    pub(super) fn conditional_rest(&mut self) -> Parsed<Node> {
        let cond = self.pipe()?;
        self.expect_word("then")?;
        let yes = self.pipe()?;
        let no = if self.word("elif") {
            self.advance();
            self.nest(Self::conditional_rest)?
        } else if self.accept_word("else") {
            let no = self.pipe()?;
            self.expect_word("end")?;
            no
        } else {
            self.expect_word("end")?;
            Node::id()
        };
        Ok(Node::new(Op::If(Box::new(cond), Box::new(yes), Box::new(no))))
    }

    pub(super) fn fold(&mut self, reduce: bool) -> Parsed<Node> {
        self.advance();
        let source = Box::new(self.postfix()?);
        self.expect_word("as")?;
        let (scopes, depth) = self.mark();
        let pattern = self.one_pattern()?;
        self.expect("(")?;
        // The start value does not see the variables, but stands where they are bound: they are hidden for it.
        let hidden: Vec<Scope> = self.c.scopes.drain(scopes..).collect();
        let inner = std::mem::replace(&mut self.c.depth, depth);
        let init = Box::new(self.pipe()?);
        self.c.depth = inner;
        self.c.scopes.extend(hidden);
        self.expect(";")?;
        let update = Box::new(self.pipe()?);
        let mut extract = None;
        if !reduce && self.accept(";") {
            extract = Some(Box::new(self.pipe()?));
        }
        self.expect(")")?;
        self.unbind(scopes, depth);
        let op = match reduce {
            true => Op::Reduce(source, pattern, init, update),
            false => Op::Foreach(source, pattern, init, update, extract),
        };
        Ok(Node::new(op))
    }

    pub(super) fn object(&mut self) -> Parsed<Node> {
        self.advance();
        let mut members = Vec::new();
        if self.accept("}") {
            return Ok(Node::lit(Val::object([])));
        }
        loop {
            members.push(self.member()?);
            if self.accept("}") {
                break;
            }
            self.expect(",")?;
            // A comma may end the list.
            if self.accept("}") {
                break;
            }
        }
        Ok(Node::new(Op::Object(members)))
    }

    pub(super) fn member(&mut self) -> Parsed<(Node, Node)> {
        let at = self.start;
        let (key, short) = match self.token.clone() {
            Token::Ident(n) => {
                self.advance();
                let field = Node::new(Op::Field(Node::boxed(Op::Id), n.as_str().into()));
                (Node::lit(n.as_str()), Some(field))
            }
            Token::Op(n @ ("and" | "or")) => {
                self.advance();
                let field = Node::new(Op::Field(Node::boxed(Op::Id), n.into()));
                (Node::lit(n), Some(field))
            }
            Token::Binding(n) => {
                self.advance();
                let value = self.binding(&n, at);
                return Ok((Node::lit(n.as_str()), value));
            }
            Token::Number(n) => {
                let v = n.0;
                self.fault(&format!("Object keys must be strings: {}", text_of(&v)), at);
                return Err(Fatal);
            }
            Token::Format(f) => {
                self.advance();
                let format = Format::named(&f);
                let (from, end, start, token) = (self.at, self.end, self.start, self.token.clone());
                if token != Token::Quote {
                    return self.unexpected();
                }
                let key = self.string(format.clone())?;
                let short = if self.is(":") {
                    None
                } else {
                    (self.at, self.end, self.start, self.token) = (from, end, start, token);
                    let again = self.string(format)?;
                    Some(index(Node::id(), again))
                };
                (key, short)
            }
            Token::Quote => {
                let (from, end, start, token) = (self.at, self.end, self.start, self.token.clone());
                let key = self.string(Format::Text)?;
                // `{"a b"}` is `{"a b": .["a b"]}`: the string is read again as the index.
                let short = if self.is(":") {
                    None
                } else {
                    (self.at, self.end, self.start, self.token) = (from, end, start, token);
                    let again = self.string(Format::Text)?;
                    Some(index(Node::id(), again))
                };
                (key, short)
            }
            Token::Op("(") => {
                self.advance();
                let inside = self.start;
                let key = self.pipe()?;
                self.expect(")")?;
                if let Op::Lit(v) = &key.op
                    && !matches!(v, Val::Str(_))
                {
                    let message = format!("Cannot use {} ({}) as object key", v.kind(), text_of(v));
                    self.fault(&message, inside.saturating_sub(1));
                }
                (key, None)
            }
            _ => return self.unexpected(),
        };
        if self.accept(":") {
            let value = self.nest(Self::member_value)?;
            return Ok((key, value));
        }
        match short {
            Some(s) => Ok((key, s)),
            None => self.unexpected(),
        }
    }

    /// A member's value: terms, and pipes of terms.
    pub(super) fn member_value(&mut self) -> Parsed<Node> {
        let mut left = match self.is("-") {
            true => self.unary()?,
            false => self.postfix()?,
        };
        // `{a: 1 + 2}`, `{a: .b // 3}` and `{a: . as $x | …}` are taken as later versions do.
        if self.word("as") {
            self.advance();
            let (scopes, depth) = self.mark();
            let patterns = self.patterns()?;
            self.expect("|")?;
            let body = self.nest(Self::member_value)?;
            self.unbind(scopes, depth);
            left = Node::new(Op::As(Box::new(left), patterns, Box::new(body)));
        }
        for level in (0..7).rev() {
            left = self.binary_rest(level, left)?;
        }
        if self.accept("|") {
            let right = self.nest(Self::member_value)?;
            return Ok(join(left, right));
        }
        Ok(left)
    }

    /// A string, whose opening quote is the current token.
    pub(super) fn string(&mut self, format: Format) -> Parsed<Node> {
        let open = self.start;
        let mut i = self.at;
        let mut parts = Vec::new();
        let mut literal = Vec::new();
        loop {
            match self.text.get(i) {
                None => {
                    self.token = Token::End;
                    self.c.errors.clear();
                    let at = self.text.len().saturating_sub(1);
                    self.fault(
                        "syntax error, unexpected end of file, expecting QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END (Unix shell quoting issues?)",
                        at,
                    );
                    return Err(Fatal);
                }
                Some(b'"') => break,
                Some(b'\\') if self.text.get(i + 1) == Some(&b'(') => {
                    if !literal.is_empty() {
                        parts.push(Part::Text(Str::lossy(&std::mem::take(&mut literal))));
                    }
                    self.at = i + 2;
                    self.advance();
                    let filter = self.pipe()?;
                    if !self.is(")") {
                        return self.unexpected();
                    }
                    i = self.at;
                    parts.push(Part::Filter(filter));
                }
                Some(b'\\') => {
                    let mut end = i;
                    while self.text.get(end) == Some(&b'\\') && self.text.get(end + 1) != Some(&b'(') {
                        end += match self.text.get(end + 1) {
                            Some(b'u') => 6,
                            _ => 2,
                        };
                    }
                    let end = end.min(self.text.len());
                    if !super::json::unescape(&self.text[i..end], &mut literal) {
                        let run = String::from_utf8_lossy(&self.text[i..end]).into_owned();
                        let column = run.len() + 2;
                        self.fault(
                            &format!("Invalid escape at line 1, column {column} (while parsing '\"{run}\"')"),
                            i,
                        );
                    }
                    i = end;
                }
                Some(b) => {
                    literal.push(*b);
                    i += 1;
                }
            }
        }
        self.at = i + 1;
        self.start = open;
        self.advance();
        if parts.is_empty() {
            return Ok(Node::lit(Val::Str(Str::lossy(&literal))));
        }
        if !literal.is_empty() {
            parts.push(Part::Text(Str::lossy(&literal)));
        }
        Ok(Node::new(Op::Text(format, parts)))
    }
}

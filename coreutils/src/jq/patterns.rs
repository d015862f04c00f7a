//! The grammar of destructuring patterns.

use super::{
    ir::{Format, Node, Pattern, Shape},
    lexer::Token,
    syntax::{Bind, Parsed, Parser},
};

impl Parser<'_, '_> {
    /// `p ?// q …`: the variables of all are bound, those that a pattern lacks to null.
    pub(super) fn patterns(&mut self) -> Parsed<Vec<Pattern>> {
        let mut names = Vec::new();
        let mut shapes = vec![self.pattern(&mut names)?];
        while self.accept("?//") {
            shapes.push(self.pattern(&mut names)?);
        }
        let vars = names.len();
        for n in names {
            self.bind(Bind::Var(n));
        }
        Ok(shapes
            .into_iter()
            .map(|shape| Pattern { plain: vars == 1 && matches!(shape, Shape::Var(0)), shape, vars })
            .collect())
    }

    pub(super) fn one_pattern(&mut self) -> Parsed<Pattern> {
        let mut all = self.patterns()?;
        match (all.pop(), all.is_empty()) {
            (Some(p), true) => Ok(p),
            _ => self.unexpected(),
        }
    }

    pub(super) fn name(&mut self, names: &mut Vec<String>, n: &str) -> usize {
        names.iter().position(|m| m == n).unwrap_or_else(|| {
            names.push(n.to_string());
            names.len() - 1
        })
    }

    pub(super) fn pattern(&mut self, names: &mut Vec<String>) -> Parsed<Shape> {
        if let Token::Binding(n) = self.token.clone() {
            self.advance();
            return Ok(Shape::Var(self.name(names, &n)));
        }
        if self.accept("[") {
            let mut parts = Vec::new();
            loop {
                parts.push(self.nest(|p| p.pattern(names))?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("]")?;
            return Ok(Shape::Array(parts));
        }
        self.expect("{")?;
        let mut members = Vec::new();
        loop {
            let (var, key) = match self.token.clone() {
                Token::Binding(n) => {
                    self.advance();
                    (Some(self.name(names, &n)), Node::lit(n.as_str()))
                }
                Token::Ident(n) => {
                    self.advance();
                    (None, Node::lit(n.as_str()))
                }
                Token::Op(n @ ("and" | "or")) => {
                    self.advance();
                    (None, Node::lit(n))
                }
                Token::Quote => (None, self.string(Format::Text)?),
                Token::Op("(") => {
                    self.advance();
                    let key = self.pipe()?;
                    self.expect(")")?;
                    (None, key)
                }
                _ => return self.unexpected(),
            };
            let inner = match self.accept(":") {
                true => Some(self.nest(|p| p.pattern(names))?),
                false if var.is_some() => None,
                false => return self.unexpected(),
            };
            members.push((var, key, inner));
            if !self.accept(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Shape::Object(members))
    }
}

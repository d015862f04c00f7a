//! Which members of an input the program can look at, so that the parser can pass over the others.

use super::{
    ir::{Node, Op, Part},
    json::Need,
    syntax::Compiled,
    val::Str,
};

/// A value on its way through the program: a place in the input, or something computed of what is needed anyway.
type Place = Option<Vec<Str>>;

/// Members of members that are needed.
#[derive(Default)]
struct Trie {
    all: bool,
    members: Vec<(Box<[u8]>, Trie)>,
}

impl Trie {
    fn mark(&mut self, place: &Place) {
        let Some(path) = place else { return };
        let mut at = self;
        for name in path {
            let i = match at.members.iter().position(|m| *m.0 == *name.bytes()) {
                Some(i) => i,
                None => {
                    at.members.push((name.bytes().into(), Trie::default()));
                    at.members.len() - 1
                }
            };
            at = &mut at.members[i].1;
        }
        at.all = true;
    }

    fn need(self) -> Need {
        if self.all {
            return Need::All;
        }
        Need::Fields(self.members.into_iter().map(|(n, t)| (n, t.need())).collect())
    }
}

/// What `program` needs of each input.
pub fn of(program: &Compiled) -> Need {
    if program.reads {
        return Need::All;
    }
    let mut needed = Trie::default();
    let outputs = walk(&program.main, &Some(Vec::new()), &mut needed);
    outputs.iter().for_each(|o| needed.mark(o));
    // A member list too long to be searched for every member is no gain.
    match needed.need() {
        Need::Fields(f) if f.len() > 24 => Need::All,
        need => need,
    }
}

/// The places that the outputs of `node` have when its input is at `at`.
fn walk(node: &Node, at: &Place, needed: &mut Trie) -> Vec<Place> {
    let all = |n: &Node, needed: &mut Trie| {
        let outputs = walk(n, at, needed);
        outputs.iter().for_each(|o| needed.mark(o));
    };
    match &node.op {
        Op::Id => vec![at.clone()],
        Op::Lit(_) | Op::Var(_) => vec![None],
        Op::Empty => Vec::new(),
        Op::Field(t, name) => {
            let mut places = walk(t, at, needed);
            for p in places.iter_mut().flatten() {
                p.push(name.clone());
            }
            places
        }
        Op::Pipe(a, b) => {
            let middle = walk(a, at, needed);
            middle.iter().flat_map(|p| walk(b, p, needed)).collect()
        }
        Op::Comma(a, b) => {
            let mut places = walk(a, at, needed);
            places.extend(walk(b, at, needed));
            places
        }
        Op::Alt(a, b) => {
            all(a, needed);
            let mut places = walk(a, at, needed);
            places.extend(walk(b, at, needed));
            places
        }
        Op::Select(c) => {
            all(c, needed);
            vec![at.clone()]
        }
        Op::If(c, a, b) => {
            all(c, needed);
            let mut places = walk(a, at, needed);
            places.extend(walk(b, at, needed));
            places
        }
        Op::Try(a, handler) => {
            let mut places = walk(a, at, needed);
            if let Some(h) = handler {
                places.extend(walk(h, &None, needed));
            }
            places
        }
        Op::Neg(a) => {
            all(a, needed);
            vec![None]
        }
        Op::Bin(_, a, b) | Op::And(a, b) | Op::Or(a, b) => {
            all(a, needed);
            all(b, needed);
            vec![None]
        }
        Op::Object(members) => {
            for (k, v) in members {
                all(k, needed);
                all(v, needed);
            }
            vec![None]
        }
        Op::Array(f) => {
            all(f, needed);
            vec![None]
        }
        Op::Text(_, parts) => {
            for p in parts {
                if let Part::Filter(f) = p {
                    all(f, needed);
                }
            }
            vec![None]
        }
        _ => {
            needed.mark(at);
            vec![None]
        }
    }
}

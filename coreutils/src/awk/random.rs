//! `rand()`: the additive feedback generator of BSD's random(3) with 63 words of state, behind a Bays-Durham shuffle
//! of 512 places, as gawk has it; so a seed gives gawk's numbers.

const WORDS: usize = 63;
const PLACES: usize = 512;

/// The generator.
#[derive(Debug)]
pub struct Random {
    words: [u32; WORDS],
    /// Where the next word is made; its partner is one step behind.
    at: usize,
    shuffle: Vec<u32>,
    last: u32,
}

impl Random {
    /// The sequence of a seed; 1 is that of a program that never calls srand().
    pub fn new(seed: u32) -> Random {
        let mut words = [0; WORDS];
        words[0] = seed;
        for i in 1..WORDS {
            // Park and Miller's minimal standard generator.
            let x = match words[i - 1] as i32 {
                0 => 123_459_876,
                x => i64::from(x),
            };
            let (high, low) = (x / 127_773, x % 127_773);
            let next = 16_807 * low - 2_836 * high;
            words[i] = (if next < 0 { next + 0x7fff_ffff } else { next }) as u32;
        }
        let mut r = Random { words, at: 1, shuffle: Vec::new(), last: 0 };
        for _ in 0..10 * WORDS {
            r.shuffled();
        }
        r
    }

    fn step(&mut self) -> u32 {
        let behind = if self.at == 0 { WORDS - 1 } else { self.at - 1 };
        self.words[self.at] = self.words[self.at].wrapping_add(self.words[behind]);
        let word = self.words[self.at] >> 1;
        self.at = (self.at + 1) % WORDS;
        word
    }

    fn shuffled(&mut self) -> f64 {
        if self.shuffle.is_empty() {
            self.shuffle = (0..PLACES).map(|_| self.step()).collect();
            self.last = self.step();
        }
        let new = self.step();
        let place = &mut self.shuffle[self.last as usize % PLACES];
        self.last = std::mem::replace(place, new);
        f64::from(self.last)
    }

    /// A number in [0, 1).
    pub fn next(&mut self) -> f64 {
        const RANGE: f64 = 2_147_483_648.0;
        loop {
            let (a, b) = (self.shuffled(), self.shuffled());
            let n = 0.5 + (a / RANGE + b) / RANGE - 0.5;
            if n != 1.0 {
                return n;
            }
        }
    }
}

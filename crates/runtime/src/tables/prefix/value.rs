//! Values read from their most significant bit on.

/// How many bits a node of a trie decides.
pub(super) const STRIDE: u32 = 6;

/// A value read from its most significant bit on.
pub(super) trait Value: Copy {
    /// The 64 bits that follow the first `depth` ones, zero behind the last.
    fn window(self, depth: u32) -> u64;

    /// The bits that a node decides which has `depth` bits above it.
    #[inline]
    fn step(self, depth: u32) -> usize {
        (self.window(depth) >> (64 - STRIDE)) as usize
    }
}

/// A value of at most 64 bits, shifted so that the first one is the most significant.
#[derive(Clone, Copy)]
pub(super) struct Narrow(u64);

impl Narrow {
    #[inline]
    pub(super) fn new(word: u64, width: u32) -> Self {
        Self(word.unbounded_shl(64 - width))
    }
}

impl Value for Narrow {
    #[inline]
    fn window(self, depth: u32) -> u64 {
        self.0.unbounded_shl(depth)
    }
}

/// The same of 65 to 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Double(u128);

impl Double {
    #[inline]
    pub(super) fn new(low: u64, high: u64, width: u32) -> Self {
        Self((u128::from(high) << 64 | u128::from(low)) << (128 - width))
    }
}

impl Value for Double {
    #[inline]
    fn window(self, depth: u32) -> u64 {
        (self.0.unbounded_shl(depth) >> 64) as u64
    }
}

/// A value in words, the lowest one first.
#[derive(Clone, Copy)]
pub(super) struct Wide<'w> {
    words: &'w [u64],
    width: u32,
}

impl<'w> Wide<'w> {
    #[inline]
    pub(super) fn new(words: &'w [u64], width: u32) -> Self {
        Self { words, width }
    }
}

impl Value for Wide<'_> {
    #[inline]
    fn window(self, depth: u32) -> u64 {
        match self.width.saturating_sub(depth) {
            0 => 0,
            rest @ 1..64 => self.words[0] << (64 - rest),
            rest => {
                let (at, shift) = ((rest - 64) as usize / 64, (rest - 64) % 64);
                let low = self.words[at] >> shift;
                if shift == 0 { low } else { low | self.words[at + 1] << (64 - shift) }
            }
        }
    }
}

/// A value in words, the highest one first, shifted so that its first bit is the first word's most significant.
#[derive(Clone, Copy)]
pub(super) struct Aligned<'w>(pub(super) &'w [u64]);

impl Value for Aligned<'_> {
    #[inline]
    fn window(self, depth: u32) -> u64 {
        let (at, shift) = (depth as usize / 64, depth % 64);
        let word = |at: usize| self.0.get(at).copied().unwrap_or(0);
        word(at) << shift | word(at + 1).unbounded_shr(64 - shift)
    }
}

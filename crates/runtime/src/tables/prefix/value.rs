//! Access to the bits of values from the most significant one on.

/// The number of bits that a node of a trie decides.
pub(super) const STRIDE: u32 = 6;

/// A value whose bits are numbered from the most significant one.
pub(super) trait Value: Copy {
    /// Returns the 64 bits that follow the first `depth` ones; zero after the last bit.
    fn window(self, depth: u32) -> u64;

    /// Returns the bits that a node with `depth` bits above it decides.
    #[inline]
    fn step(self, depth: u32) -> usize {
        (self.window(depth) >> (64 - STRIDE)) as usize
    }
}

/// A value of at most 64 bits, shifted so that its first bit is the most significant one of the word.
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

/// A value of 65 to 128 bits, shifted so that its first bit is the most significant one.
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

/// A value in words, the least significant one first.
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

/// A value in words, the most significant one first, shifted so that its first bit is the most significant one of the
/// first word.
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

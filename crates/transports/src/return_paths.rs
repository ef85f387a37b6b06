//! By which paths a receiver answers.

use serde::{Deserialize, Serialize};

/// So many paths are remembered.
const KEPT: usize = 4;

/// The paths by which packets of a message came last.
///
/// An answer to one packet goes back by the path of that packet, and what answers no single packet (pulls, credit) goes
/// by one of these in turn. So a receiver uses paths that its sender uses, which are those that the sender knows to be
/// good; and where a path is dead on the way back alone, its answers are missed, and the sender suspects it like one that
/// is dead on the way there.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ReturnPaths {
    paths: [u16; KEPT],
    /// How many of them are known, from the first on.
    known: u8,
    /// Which one is replaced next, once all are known.
    oldest: u8,
    /// Which one is taken next.
    turn: u8,
}

impl ReturnPaths {
    /// A packet came by a path.
    pub fn came(&mut self, path: u16) {
        if usize::from(self.known) < KEPT {
            self.paths[usize::from(self.known)] = path;
            self.known += 1;
        } else {
            self.paths[usize::from(self.oldest)] = path;
            self.oldest = (self.oldest + 1) % KEPT as u8;
        }
    }

    /// The path for an answer to no single packet; 0 if nothing has come.
    pub fn take(&mut self) -> u16 {
        if self.known == 0 {
            return 0;
        }
        self.turn = (self.turn + 1) % self.known;
        self.paths[usize::from(self.turn)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_take_turns_among_the_paths_that_came_last() {
        let mut paths = ReturnPaths::default();
        assert_eq!(paths.take(), 0);
        paths.came(7);
        assert_eq!([paths.take(), paths.take()], [7, 7]);
        for path in [1, 2, 3, 4, 5] {
            paths.came(path);
        }
        let mut taken: Vec<u16> = (0..4).map(|_| paths.take()).collect();
        taken.sort_unstable();
        assert_eq!(taken, [2, 3, 4, 5], "7 and 1 are too long ago");
    }
}

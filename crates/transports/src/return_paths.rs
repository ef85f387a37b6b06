//! The paths by which a receiver answers.

use serde::{Deserialize, Serialize};

/// The number of paths that are remembered.
const KEPT: usize = 4;

/// The paths by which the most recent packets of a message arrived.
///
/// The answer to a packet goes back on the path of that packet, and what answers no single packet (pulls, credit) takes
/// these paths in turn. A receiver thus uses the paths of its sender, which the sender considers good. If a path is
/// dead in the return direction only, its answers are lost, and the sender suspects it like one that is dead in the
/// forward direction.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ReturnPaths {
    paths: [u16; KEPT],
    /// The number of known paths, which are the first entries.
    known: u8,
    /// The index of the entry to replace next, once all are known.
    oldest: u8,
    /// The index of the entry that was taken last.
    turn: u8,
}

impl ReturnPaths {
    /// Records the path of an arriving packet.
    pub fn came(&mut self, path: u16) {
        if usize::from(self.known) < KEPT {
            self.paths[usize::from(self.known)] = path;
            self.known += 1;
        } else {
            self.paths[usize::from(self.oldest)] = path;
            self.oldest = (self.oldest + 1) % KEPT as u8;
        }
    }

    /// Returns the path for a packet that answers no single packet; 0 if nothing has arrived.
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
    fn answers_rotate_over_the_most_recent_paths() {
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

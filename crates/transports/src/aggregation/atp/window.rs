//! The window of a worker (section 3.7).

use serde::{Deserialize, Serialize};

/// Packets in an MTU of 1,500 bytes.
const MTU: u32 = 5;

/// The number of packets that may be without an answer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Window {
    size: u32,
    threshold: u32,
    /// The growth that is not a whole packet yet, in parts of `size`.
    rest: u32,
    largest: u32,
    /// The fragment up to which one reduction counts: the same congestion marks all packets that were under way.
    reduced_to: u64,
}

impl Window {
    pub fn new(initial: u32, largest: u32) -> Self {
        Self { size: initial, threshold: largest, rest: 0, largest, reduced_to: 0 }
    }

    pub fn size(&self) -> u32 {
        self.size
    }

    /// Grows for an answer: by one MTU below the threshold, and by one MTU a window above.
    pub fn grow(&mut self) {
        if self.size < self.threshold {
            self.size += MTU;
        } else {
            self.rest += MTU;
            self.size += self.rest / self.size;
            self.rest %= self.size;
        }
        self.size = self.size.min(self.largest);
    }

    /// Halves the window if it has not been halved for packets of the same time: `fragment` is the one whose answer tells of
    /// congestion or loss, and `next` the first that has not been sent.
    pub fn halve(&mut self, fragment: u64, next: u64) {
        if fragment >= self.reduced_to {
            self.size = (self.size / 2).max(1);
            self.threshold = self.size;
            self.rest = 0;
            self.reduced_to = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_by_an_mtu_for_each_answer_and_then_for_each_window() {
        let mut window = Window::new(200, 1000);
        (0..10).for_each(|_| window.grow());
        assert_eq!(window.size(), 250);
        window.halve(7, 300);
        assert_eq!(window.size(), 125, "halved");
        window.halve(299, 310);
        assert_eq!(window.size(), 125, "once a window");
        (0..125).for_each(|_| window.grow());
        assert_eq!(window.size(), 130, "one MTU a window");
        window.halve(300, 400);
        assert_eq!(window.size(), 65);
        for fragment in 0..100 {
            window.halve(1000 * fragment, 1000 * fragment);
        }
        assert_eq!(window.size(), 1);
        (0..1_000_000).for_each(|_| window.grow());
        assert_eq!(window.size(), 1000);
    }
}

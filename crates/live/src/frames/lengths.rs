//! How long frames may be for what lies behind an interface, as far as its refusals say.
//!
//! The kernel throws a frame away both if a queue behind the interface is full and if the other end takes none so long, as that
//! of a veth pair with a smaller MTU does, and answers both alike (ENOBUFS). The first passes, and frames wait for it; the second
//! does not, and frames that waited for it would keep all others from leaving.

use node::Reason;

use crate::reasons;

/// The most times that a frame is tried which is thrown away each time. Between two the driver waits 100 us.
const MOST_ATTEMPTS: u32 = 64;

/// What is known of the lengths that pass. They are those of frames in bytes, or of the longest segment if a frame is cut.
#[derive(Debug, Default)]
pub struct Lengths {
    /// The longest that has passed.
    passes: u64,
    /// A length from which on frames are not waited for.
    fails: Option<u64>,
    /// The number of attempts for the frame at the front.
    attempts: u32,
}

/// What is to be done with a frame that was thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It is tried again later.
    Wait,
    /// A shorter frame is tried. If that passes, the frame is tried once more, and is too long if it fails again.
    TryShorter,
    /// It is given up.
    GiveUp(Reason),
}

impl Lengths {
    /// Learns that a frame has passed.
    pub fn has_passed(&mut self, length: u64) {
        self.attempts = 0;
        self.passes = self.passes.max(length);
        self.fails = self.fails.filter(|fails| length < *fails);
    }

    /// Learns that a frame was thrown away, and returns what to do with it.
    pub fn has_failed(&mut self, length: u64) -> Next {
        if self.fails.is_some_and(|fails| length >= fails) {
            return Next::GiveUp(reasons::TOO_LONG);
        }
        self.attempts += 1;
        match self.attempts {
            1 => Next::Wait,
            ..MOST_ATTEMPTS => Next::TryShorter,
            _ => {
                let reason = if length > self.passes { reasons::TOO_LONG } else { reasons::INTERFACE_FULL };
                self.is_too_long(length);
                Next::GiveUp(reason)
            }
        }
    }

    /// Learns that a frame fails where shorter ones pass. From now on frames so long are not waited for, until one passes.
    pub fn is_too_long(&mut self, length: u64) {
        self.attempts = 0;
        self.passes = self.passes.min(length.saturating_sub(1));
        self.fails = Some(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_never_passes_is_given_up_and_the_next_so_long_at_once() {
        let mut lengths = Lengths::default();
        lengths.has_passed(60);
        assert_eq!(lengths.has_failed(1514), Next::Wait);
        let tries = (0..1000).take_while(|_| lengths.has_failed(1514) == Next::TryShorter).count();
        assert_eq!(tries as u32, MOST_ATTEMPTS - 2);
        assert_eq!(lengths.has_failed(1514), Next::GiveUp(reasons::TOO_LONG));
        assert_eq!(lengths.has_failed(1513), Next::Wait, "it may pass");
    }

    #[test]
    fn a_length_that_has_passed_before_is_not_called_too_long_and_counts_again_when_one_passes() {
        let mut lengths = Lengths::default();
        lengths.has_passed(1514);
        let gives_up = (0..1000).find_map(|_| match lengths.has_failed(1000) {
            Next::GiveUp(reason) => Some(reason),
            _ => None,
        });
        assert_eq!(gives_up, Some(reasons::INTERFACE_FULL));
        assert_eq!(lengths.has_failed(1200), Next::GiveUp(reasons::TOO_LONG), "the queue is not waited for again");
        lengths.has_passed(999);
        assert_eq!(lengths.has_failed(1000), Next::GiveUp(reasons::TOO_LONG));
        lengths.has_passed(1000);
        assert_eq!(lengths.has_failed(1000), Next::Wait);
    }
}

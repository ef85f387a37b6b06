//! Asking again and again for a while before the driver sleeps.

use basis::Duration;

/// The most times in a row that the driver goes to sleep without asking again before.
const MOST_SKIPPED: u32 = 255;
/// The system is asked once for so many times that interfaces are.
const ASKED_BETWEEN: u32 = 64;
/// The clock is read once for so many times that interfaces are asked: reading it takes longer than asking some of them.
const ASKED_PER_READING: u32 = 8;

/// The number of successes in a row after which a sleep soon is not expected.
const MANY_SUCCESSES: u32 = 64;

/// Decides whether to spin before a sleep. Waking a thread takes some microseconds, which spinning saves where frames come
/// in quick succession. Where it fails, because nothing comes, or because whoever would send it needs the very core, it
/// is tried ever more rarely.
#[derive(Debug, Default)]
pub struct Spin {
    longest: Duration,
    /// The number of sleeps before which the driver does not spin: from now on, and after the last failure.
    skips: u32,
    skipped: u32,
    /// The number of times that interfaces were asked.
    asked: u32,
    /// The number of times in a row that something happened while the driver span.
    successes: u32,
}

impl Spin {
    pub fn new(longest: Duration) -> Self {
        Self { longest, ..Self::default() }
    }

    /// Returns for how long to spin before the next sleep, if at all.
    pub fn before_sleep(&mut self) -> Option<Duration> {
        if self.skips > 0 {
            self.skips -= 1;
            return None;
        }
        (self.longest > Duration::ZERO).then_some(self.longest)
    }

    /// Counts that interfaces are asked whether frames have arrived. Returns true if the system is to be asked as well, which knows
    /// of everything else: calling it each time would delay frames that arrive in the meantime.
    pub fn asks_system(&mut self) -> bool {
        self.asked = self.asked.wrapping_add(1);
        self.asked.is_multiple_of(ASKED_BETWEEN)
    }

    /// Returns true if the clock is to be read now.
    pub fn reads_clock(&self) -> bool {
        self.asked.is_multiple_of(ASKED_PER_READING)
    }

    /// Returns true if spinning has succeeded for so long that interfaces need not tell of packets until the next sleep.
    pub fn goes_well(&self) -> bool {
        self.successes >= MANY_SUCCESSES
    }

    /// Learns whether something happened while the driver span.
    pub fn has_ended(&mut self, successfully: bool) {
        self.successes = if successfully { self.successes.saturating_add(1) } else { 0 };
        self.skipped = if successfully { self.skipped / 4 } else { (self.skipped * 2 + 1).min(MOST_SKIPPED) };
        self.skips = self.skipped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spins_of(spin: &mut Spin, sleeps: u32, successfully: bool) -> u32 {
        let mut spins = 0;
        for _ in 0..sleeps {
            if spin.before_sleep().is_some() {
                spins += 1;
                spin.has_ended(successfully);
            }
        }
        spins
    }

    #[test]
    fn what_fails_is_tried_rarely_and_what_succeeds_always() {
        let mut spin = Spin::new(Duration::from_microseconds(30));
        assert_eq!(spins_of(&mut spin, 1000, true), 1000);
        let failures = spins_of(&mut spin, 10_000, false);
        assert!((30..60).contains(&failures), "{failures}");
        // Once it succeeds again, it is soon tried every time.
        assert!(spins_of(&mut spin, 1000, true) > 600);
        assert_eq!(spins_of(&mut spin, 1000, true), 1000);
    }

    #[test]
    fn nobody_spins_who_does_not_ask_for_it() {
        assert_eq!(Spin::default().before_sleep(), None);
    }
}

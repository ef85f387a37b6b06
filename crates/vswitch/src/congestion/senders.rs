//! Guests as senders, of which those that congest others are slowed.

use basis::{Duration, Instant};

/// The time over which the rate of a guest is measured, and after which a slowed one becomes faster again.
const STEP: Duration = Duration::from_microseconds(10_000);
/// The time without a notice after which a guest is no longer slowed.
const QUIET: Duration = Duration::from_microseconds(500_000);
/// The lowest rate to which a guest is slowed, in bytes per second.
const SLOWEST: u64 = 125_000;
/// The bytes that a slowed guest may send ahead of its rate.
const AHEAD: i64 = 131_072;
const SECOND: u128 = 1_000_000_000_000;

/// The rates of guests, by the positions of their vNICs.
#[derive(Debug, Default)]
pub struct Senders {
    senders: Vec<Sender>,
}

#[derive(Clone, Debug, Default)]
struct Sender {
    /// The beginning of the present step, and the bytes in it.
    began: Instant,
    bytes: u64,
    /// The rate in the last step, in bytes per second.
    rate: u64,
    slowed: Option<Slowed>,
}

/// A guest that is slowed.
#[derive(Clone, Debug)]
struct Slowed {
    /// The rate that it is slowed to, in bytes per second.
    rate: u64,
    /// The bytes that it may send now; below zero after a long packet.
    tokens: i64,
    /// The time up to which tokens were given, that of the last notice, and that of the last change of the rate.
    given: Instant,
    noticed: Instant,
    changed: Instant,
}

impl Senders {
    fn of(&mut self, vnic: u32) -> &mut Sender {
        let vnic = vnic as usize;
        if self.senders.len() <= vnic {
            self.senders.resize(vnic + 1, Sender::default());
        }
        &mut self.senders[vnic]
    }

    /// Records bytes that a guest sends. Returns false if it is slowed, and they are more than it may send.
    pub fn sends(&mut self, now: Instant, vnic: u32, bytes: u64) -> bool {
        let sender = self.of(vnic);
        let elapsed = now.since(sender.began);
        if elapsed >= STEP {
            sender.rate = per_second(sender.bytes, elapsed);
            (sender.began, sender.bytes) = (now, 0);
        }
        sender.bytes += bytes;
        let Some(slowed) = &mut sender.slowed else { return true };
        if now.since(slowed.noticed) >= QUIET {
            sender.slowed = None;
            return true;
        }
        if now.since(slowed.changed) >= STEP {
            slowed.rate += slowed.rate / 8;
            slowed.changed = now;
        }
        slowed.give(now);
        let may_send = slowed.tokens > 0;
        if may_send {
            // A packet is shorter than 2^63 bytes.
            slowed.tokens -= bytes as i64;
        }
        may_send
    }

    /// Returns the time before which a guest may send nothing, if it is slowed and has sent ahead of its rate.
    pub fn not_before(&self, vnic: u32) -> Option<Instant> {
        let slowed = self.senders.get(vnic as usize)?.slowed.as_ref().filter(|slowed| slowed.tokens <= 0)?;
        let missing = u128::from(slowed.tokens.unsigned_abs() + 1) * SECOND / u128::from(slowed.rate);
        Some(slowed.given + Duration::from_picoseconds(u64::try_from(missing).unwrap_or(u64::MAX)).min(QUIET))
    }

    /// Slows a guest to half of its rate, but not more often than once in a step. Returns true if it was not slowed before.
    pub fn slow(&mut self, now: Instant, vnic: u32) -> bool {
        let sender = self.of(vnic);
        match &mut sender.slowed {
            Some(slowed) => {
                slowed.give(now);
                if now.since(slowed.noticed) >= STEP {
                    slowed.rate = (slowed.rate / 2).max(SLOWEST);
                    slowed.changed = now;
                    slowed.noticed = now;
                }
                false
            }
            None => {
                let present = per_second(sender.bytes, now.since(sender.began).max(STEP));
                let rate = (sender.rate.max(present) / 2).max(SLOWEST);
                sender.slowed = Some(Slowed { rate, tokens: 0, given: now, noticed: now, changed: now });
                true
            }
        }
    }
}

impl Slowed {
    fn give(&mut self, now: Instant) {
        let elapsed = u128::from(now.since(self.given).picoseconds());
        let tokens = elapsed * u128::from(self.rate) / SECOND;
        if tokens > 0 {
            self.tokens = self.tokens.saturating_add(i64::try_from(tokens).unwrap_or(i64::MAX)).min(AHEAD);
            self.given = now;
        }
    }
}

fn per_second(bytes: u64, time: Duration) -> u64 {
    u64::try_from(u128::from(bytes) * SECOND / u128::from(time.picoseconds())).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a packet of 1,000 bytes every 10 us (100 MB/s) for so many milliseconds, and returns how many pass.
    fn passed(senders: &mut Senders, from: u64, milliseconds: u64) -> u64 {
        let times = (0..milliseconds * 100)
            .map(|number| Instant::ZERO + Duration::from_microseconds(from * 1000 + number * 10));
        times.filter(|now| senders.sends(*now, 0, 1000)).count() as u64
    }

    #[test]
    fn a_sender_is_halved_by_each_notice_and_recovers() {
        let at = |milliseconds: u64| Instant::ZERO + Duration::from_microseconds(milliseconds * 1000);
        let mut senders = Senders::default();
        assert_eq!(passed(&mut senders, 0, 20), 2000, "nobody is slowed");
        assert!(senders.slow(at(20), 0) && !senders.slow(at(20), 0), "one notice in a step counts");
        let half = passed(&mut senders, 20, 10);
        assert!((490..=510).contains(&half), "{half} of 1,000");
        assert!(!senders.slow(at(30), 0));
        let quarter = passed(&mut senders, 30, 10);
        assert!((240..=290).contains(&quarter), "{quarter} of 1,000");
        // An eighth more every 10 ms, up to all of it.
        passed(&mut senders, 40, 300);
        assert_eq!(passed(&mut senders, 340, 10), 1000);
        assert_eq!(passed(&mut senders, 600, 10), 1000);
        assert!(senders.slow(at(610), 0), "that is another beginning");
    }

    #[test]
    fn a_slowed_sender_waits_until_it_may_send_again() {
        let mut senders = Senders::default();
        assert_eq!(passed(&mut senders, 0, 20), 2000);
        let at = |microseconds: u64| Instant::ZERO + Duration::from_microseconds(microseconds);
        senders.slow(at(20_000), 0);
        assert!(senders.sends(at(20_100), 0, 60_000), "half of 100 MB/s for 100 us are 5,000 bytes");
        let again = senders.not_before(0).expect("it has sent ahead");
        assert!(again > at(21_199) && again < at(21_201), "{again:?}");
        assert!(!senders.sends(at(21_190), 0, 1000));
        assert!(senders.sends(again + Duration::from_microseconds(1), 0, 1000));
    }

    #[test]
    fn no_sender_is_stopped() {
        let mut senders = Senders::default();
        for milliseconds in (0..1000).step_by(10) {
            senders.slow(Instant::ZERO + Duration::from_microseconds(milliseconds * 1000), 0);
        }
        let now = Instant::ZERO + Duration::from_microseconds(1_008_000);
        assert!(senders.sends(now, 0, 1500));
    }
}

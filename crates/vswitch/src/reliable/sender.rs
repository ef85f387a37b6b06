//! The sending end of a reliable tunnel: packets are kept until they are acknowledged, and sent again on another path.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use transports::parts::{RoundTrip, Suspects, Window, contains};
use wire::Packet;

use super::PATHS;
use super::frame::{Numbered, set_path, wrap};
use crate::configuration::MacAddress;

/// The most packets that are kept, and the most bytes of them. If there are more, the oldest is given up.
const MOST_KEPT: usize = 1024;
const MOST_BYTES: usize = 2 << 20;
/// The most times that a packet is sent.
const MOST_TIMES: u8 = 5;
/// The timeout before the first round-trip time is known, the least margin beyond it, in which an acknowledgement may wait, and the
/// longest timeout.
const FIRST_TIMEOUT: Duration = Duration::from_microseconds(20_000);
const MARGIN: Duration = Duration::from_microseconds(2000);
const LONGEST_TIMEOUT: Duration = Duration::from_microseconds(200_000);
/// The least time by which packets may overtake each other without one being taken for lost (RFC 8985, section 6.2).
const LEAST_REORDERING: Duration = Duration::from_microseconds(100);
/// The number of timeouts after each other after which the other switch is taken for gone.
const MOST_TIMEOUTS: u8 = 6;

/// A packet that is kept until it is acknowledged.
#[derive(Debug)]
struct Kept {
    frame: Packet,
    path: u8,
    times: u8,
}

/// The sending end of a tunnel.
#[derive(Debug)]
pub struct Sender {
    number: u32,
    window: Window,
    /// What is kept, from the sequence number `first` on; `None` for what is acknowledged or given up.
    kept: VecDeque<Option<Kept>>,
    first: u32,
    bytes: usize,
    round_trip: RoundTrip,
    suspects: Suspects,
    timeouts: u8,
    timer: Option<Instant>,
    /// The time at which the packet was sent that was sent last of those that have arrived.
    newest: Instant,
}

impl Sender {
    /// A sender that has sent nothing, with a number that no earlier one of this tunnel has.
    pub fn new(number: u32) -> Self {
        Self {
            number,
            window: Window::new(u32::MAX),
            kept: VecDeque::new(),
            first: 0,
            bytes: 0,
            round_trip: RoundTrip::default(),
            suspects: Suspects::default(),
            timeouts: 0,
            timer: None,
            newest: Instant::ZERO,
        }
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    pub fn kept(&self) -> usize {
        self.kept.iter().flatten().count()
    }

    pub fn round_trip(&self) -> Option<Duration> {
        self.round_trip.mean()
    }

    pub fn suspected(&self) -> usize {
        self.suspects.of(0).len()
    }

    /// Returns true if the other switch has answered nothing for so long that it is taken for gone.
    pub fn is_alone(&self) -> bool {
        self.timeouts >= MOST_TIMEOUTS
    }

    /// Returns the path at or behind this one that is not suspected, or this one if all are.
    fn usable(&self, path: u8) -> u8 {
        let suspects = self.suspects.of(0);
        let mut all = (0..PATHS).map(|step| (path + step) % PATHS);
        all.find(|path| !contains(suspects, u16::from(*path))).unwrap_or(path % PATHS)
    }

    /// Gives a packet a number and keeps a copy. Returns its path, and how many others were given up for it.
    pub fn send(&mut self, now: Instant, gateway: MacAddress, packet: &mut Packet, hash: u64) -> (u8, u64) {
        if self.window.next_new() == u32::MAX {
            *self = Self::new(self.number.wrapping_add(1));
        }
        let (sequence, path) = (self.window.next_new(), self.usable((hash % u64::from(PATHS)) as u8));
        wrap(packet, gateway, Numbered { sender: self.number, sequence, path });
        self.window.sent(now, sequence, u16::from(path));
        self.bytes += packet.len();
        self.kept.push_back(Some(Kept { frame: packet.clone(), path, times: 1 }));
        let mut given_up = 0;
        while self.kept.len() > MOST_KEPT || self.bytes > MOST_BYTES {
            given_up += u64::from(self.forget(self.first));
            self.pass_over();
        }
        if self.timer.is_none() {
            self.timer = Some(now + self.timeout());
        }
        (path, given_up)
    }

    /// Returns the time within which an answer is expected. It doubles with each timeout.
    fn timeout(&self) -> Duration {
        let first = self.round_trip.timeout(MARGIN).unwrap_or(FIRST_TIMEOUT);
        first.times(1 << self.timeouts.min(16)).min(LONGEST_TIMEOUT)
    }

    fn entry(&mut self, sequence: u32) -> Option<&mut Option<Kept>> {
        self.kept.get_mut(sequence.checked_sub(self.first)? as usize)
    }

    /// Forgets a packet, and returns whether it was kept.
    fn forget(&mut self, sequence: u32) -> bool {
        self.window.acknowledge(sequence);
        let Some(kept) = self.entry(sequence).and_then(Option::take) else { return false };
        self.bytes -= kept.frame.len();
        true
    }

    fn pass_over(&mut self) {
        while self.kept.front().is_some_and(Option::is_none) {
            self.kept.pop_front();
            self.first += 1;
        }
    }

    /// Records which packets have arrived.
    pub fn acknowledged(&mut self, now: Instant, number: u32, ranges: &[(u32, u32)]) {
        if number != self.number {
            return;
        }
        let mut is_progress = false;
        for &(start, end) in ranges {
            for sequence in start.max(self.first)..end.min(self.window.next_new()) {
                let round_trip = self.window.round_trip(now, sequence);
                let Some(kept) = self.entry(sequence).and_then(Option::take) else { continue };
                self.bytes -= kept.frame.len();
                if let Some(round_trip) = round_trip {
                    self.round_trip.measured(round_trip);
                    let sent = Instant::from_picoseconds(now.picoseconds() - round_trip.picoseconds());
                    self.newest = self.newest.max(sent);
                }
                self.suspects.alive(0, u16::from(kept.path));
                self.window.acknowledge(sequence);
                is_progress = true;
            }
        }
        self.pass_over();
        if is_progress {
            self.timeouts = 0;
            self.timer = (!self.kept.is_empty()).then(|| now + self.timeout());
        }
        // What was sent long enough before something that has arrived is lost (RFC 8985, section 6.2).
        let quarter = self.round_trip.mean().map_or(0, |mean| mean.picoseconds() / 4);
        let reordering = Duration::from_picoseconds(quarter).max(LEAST_REORDERING);
        while let Some(flight) = self.window.oldest_flight().filter(|flight| flight.at + reordering < self.newest) {
            self.lost(now, flight.sequence, flight.path);
        }
    }

    fn lost(&mut self, now: Instant, sequence: u32, path: u16) {
        self.suspects.lost(now, 0, path, LONGEST_TIMEOUT);
        self.window.resend(sequence);
    }

    /// Returns the time at which something is to be done.
    pub fn deadline(&self) -> Option<Instant> {
        if self.window.waiting() > 0 { Some(Instant::ZERO) } else { self.timer }
    }

    /// Sends again what is to be sent again, each on another path. Returns how many were, and how many were given up.
    pub fn tend(&mut self, now: Instant, out: &mut dyn FnMut(Packet, u8)) -> (u64, u64) {
        if self.timer.is_some_and(|timer| timer <= now) {
            self.timer = None;
            if let Some(flight) = self.window.oldest_flight() {
                self.timeouts = self.timeouts.saturating_add(1);
                self.lost(now, flight.sequence, flight.path);
                self.timer = Some(now + self.timeout());
            }
        }
        let (mut again, mut given_up) = (0, 0);
        while let Some(sequence) = self.window.take_retransmission() {
            let before = self.entry(sequence).and_then(|entry| entry.as_ref()).map(|kept| (kept.path, kept.times));
            let Some((path, times)) = before else { continue };
            if times >= MOST_TIMES {
                // What was taken from the window goes back before it is forgotten.
                self.window.sent(now, sequence, u16::from(path));
                given_up += u64::from(self.forget(sequence));
                continue;
            }
            let path = self.usable(path + 1);
            if let Some(Some(kept)) = self.entry(sequence) {
                set_path(&mut kept.frame, path);
                (kept.path, kept.times) = (path, times + 1);
                let frame = kept.frame.clone();
                self.window.sent(now, sequence, u16::from(path));
                again += 1;
                out(frame, path);
            }
        }
        self.pass_over();
        if self.kept.is_empty() {
            self.timer = None;
        }
        (again, given_up)
    }
}

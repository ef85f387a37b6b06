//! The Ethernet addresses of neighbours on the underlay, and the packets that wait for them.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use basis::{Duration, Instant};
use wire::Packet;

use crate::configuration::MacAddress;
use crate::policy::Origin;

/// The time for which a neighbour is taken to be where it was (RFC 4861, section 10: REACHABLE_TIME).
const REACHABLE: Duration = Duration::from_microseconds(30_000_000);
/// The time between two questions (RFC 4861: RETRANS_TIMER; RFC 1122, section 2.3.2.1: at most one a second of ARP).
const BETWEEN_QUESTIONS: Duration = Duration::from_microseconds(1_000_000);
/// The questions without an answer after which a neighbour is not there (RFC 4861: MAX_MULTICAST_SOLICIT, MAX_UNICAST_SOLICIT).
const MOST_QUESTIONS: u32 = 3;
/// The most packets that wait for one neighbour; the oldest goes when another one comes (RFC 4861, section 7.2.2).
const MOST_WAITING: usize = 16;
/// The most neighbours that are known or asked for, so that nobody fills the memory by addresses that nobody has.
const MOST: usize = 4096;

/// A neighbour: the position of the path that leads to it, and its address.
pub type Neighbour = (usize, IpAddr);

/// A packet that waits, with the place that it came from.
#[derive(Debug)]
pub struct Waiting {
    pub packet: Packet,
    pub origin: Option<Origin>,
}

/// A question for the Ethernet address of a neighbour: to that which it had, or to everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    pub neighbour: Neighbour,
    pub to: Option<MacAddress>,
}

impl State {
    fn unknown(now: Instant) -> Self {
        Self { mac: None, fresh_until: now, asks_at: None, questions: 0, waiting: VecDeque::new() }
    }
}

/// The neighbours that are known, or asked for.
#[derive(Debug, Default)]
pub struct Neighbours {
    known: BTreeMap<Neighbour, State>,
    /// The time of the next question, or an earlier one.
    next: Option<Instant>,
}

/// What is known of a neighbour.
#[derive(Debug)]
struct State {
    mac: Option<MacAddress>,
    /// The time until which nobody needs to ask again.
    fresh_until: Instant,
    /// The time of the next question, or of giving up, while an answer is awaited.
    asks_at: Option<Instant>,
    /// The questions that were not answered.
    questions: u32,
    waiting: VecDeque<Waiting>,
}

/// As many neighbours are known or asked for as there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

impl Neighbours {
    /// Returns the Ethernet address to which a packet for a neighbour goes; `None` if it is to wait ([`Self::hold`]). If nobody
    /// knows, or the neighbour was not heard of for a while, it is asked for by the next call of [`Self::due`].
    pub fn mac_for_packet(&mut self, now: Instant, neighbour: Neighbour) -> Result<Option<MacAddress>, TooMany> {
        if !self.known.contains_key(&neighbour) && self.known.len() >= MOST {
            self.known.retain(|_, state| state.asks_at.is_some() || state.fresh_until > now);
            if self.known.len() >= MOST {
                return Err(TooMany);
            }
        }
        let state = self.known.entry(neighbour).or_insert_with(|| State::unknown(now));
        if state.fresh_until <= now && state.asks_at.is_none() {
            (state.asks_at, state.questions) = (Some(now), 0);
            self.next = Some(now);
        }
        Ok(state.mac)
    }

    /// Lets a packet wait for a neighbour that is asked for. Returns the one that has waited longest if there is no room for both.
    pub fn hold(&mut self, neighbour: Neighbour, waiting: Waiting) -> Option<Waiting> {
        let Some(state) = self.known.get_mut(&neighbour) else { return Some(waiting) };
        let oldest = if state.waiting.len() >= MOST_WAITING { state.waiting.pop_front() } else { None };
        state.waiting.push_back(waiting);
        oldest
    }

    /// Adds a neighbour that somebody else asks for.
    pub fn add(&mut self, now: Instant, neighbour: Neighbour) {
        self.known.entry(neighbour).or_insert_with(|| State::unknown(now));
    }

    /// Records that a neighbour has an Ethernet address, if anybody wants to know, and returns the packets that have waited for
    /// it. `is_answer` says that it has answered, so that packets reach it; otherwise it has only been heard of.
    pub fn heard(&mut self, now: Instant, neighbour: Neighbour, mac: MacAddress, is_answer: bool) -> VecDeque<Waiting> {
        let Some(state) = self.known.get_mut(&neighbour) else { return VecDeque::new() };
        state.mac = Some(mac);
        if is_answer {
            (state.fresh_until, state.asks_at, state.questions) = (now + REACHABLE, None, 0);
        }
        std::mem::take(&mut state.waiting)
    }

    /// Returns the Ethernet address of a neighbour, if it is known.
    pub fn mac(&self, neighbour: &Neighbour) -> Option<MacAddress> {
        self.known.get(neighbour)?.mac
    }

    /// Appends the questions that are to be asked now, and the packets that have waited in vain: a neighbour that does not answer
    /// where it was is asked for everywhere, and then given up.
    pub fn due(&mut self, now: Instant, questions: &mut Vec<Question>, in_vain: &mut Vec<Waiting>) {
        if self.next.is_none_or(|next| next > now) {
            return;
        }
        let mut next: Option<Instant> = None;
        self.known.retain(|&neighbour, state| {
            let Some(at) = state.asks_at else { return true };
            if at <= now {
                if state.questions >= MOST_QUESTIONS {
                    if state.mac.take().is_none() {
                        in_vain.extend(state.waiting.drain(..));
                        return false;
                    }
                    state.questions = 0;
                }
                state.questions += 1;
                state.asks_at = Some(now + BETWEEN_QUESTIONS);
                questions.push(Question { neighbour, to: state.mac });
            }
            next = next.into_iter().chain(state.asks_at).min();
            true
        });
        self.next = next;
    }

    /// Returns the time of the next call of [`Self::due`].
    pub fn next(&self) -> Option<Instant> {
        self.next
    }

    /// Returns the number of packets that wait.
    pub fn held(&self) -> u64 {
        self.known.values().map(|state| state.waiting.len() as u64).sum()
    }

    /// Forgets all neighbours on paths that are not there any more, renames the others, and returns the packets that waited for
    /// forgotten ones.
    pub fn rename(&mut self, renamed: impl Fn(usize) -> Option<usize>) -> Vec<Waiting> {
        let mut in_vain = Vec::new();
        for ((path, address), state) in std::mem::take(&mut self.known) {
            match renamed(path) {
                Some(path) => _ = self.known.insert((path, address), state),
                None => in_vain.extend(state.waiting),
            }
        }
        in_vain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEIGHBOUR: Neighbour = (0, IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2)));
    const MAC: MacAddress = [2, 0, 0, 0, 0, 9];

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_microseconds(1_000_000 * seconds)
    }

    /// The number of questions that are due, each with whether it goes to everybody, and of packets that have waited in vain.
    fn due(neighbours: &mut Neighbours, now: Instant) -> (Vec<bool>, usize) {
        let (mut questions, mut in_vain) = (Vec::new(), Vec::new());
        neighbours.due(now, &mut questions, &mut in_vain);
        (questions.into_iter().map(|question| question.to.is_none()).collect(), in_vain.len())
    }

    /// Sends a packet to the neighbour. Returns its Ethernet address, or else the number of the packet that goes for it.
    fn send(neighbours: &mut Neighbours, now: Instant, number: u8) -> Result<MacAddress, Option<u8>> {
        match neighbours.mac_for_packet(now, NEIGHBOUR).expect("there is room") {
            Some(mac) => Ok(mac),
            None => {
                let waiting = Waiting { packet: Packet::of_bytes(&[number; 60]), origin: None };
                Err(neighbours.hold(NEIGHBOUR, waiting).map(|waiting| waiting.packet.head.bytes()[0]))
            }
        }
    }

    #[test]
    fn packets_wait_until_a_neighbour_answers() {
        let mut neighbours = Neighbours::default();
        for number in 0..=MOST_WAITING as u8 {
            let oldest = (usize::from(number) == MOST_WAITING).then_some(0);
            assert_eq!(send(&mut neighbours, at(0), number), Err(oldest));
        }
        assert_eq!((due(&mut neighbours, at(0)), neighbours.next()), ((vec![true], 0), Some(at(1))));
        assert_eq!(neighbours.held(), MOST_WAITING as u64);
        assert_eq!(neighbours.heard(at(0), NEIGHBOUR, MAC, true).len(), MOST_WAITING);
        assert_eq!(send(&mut neighbours, at(29), 0), Ok(MAC));
        assert_eq!(due(&mut neighbours, at(29)), (vec![], 0));
    }

    #[test]
    fn a_neighbour_that_is_not_there_is_asked_for_three_times() {
        let mut neighbours = Neighbours::default();
        assert_eq!(send(&mut neighbours, at(0), 0), Err(None));
        for second in 0..3 {
            assert_eq!(due(&mut neighbours, at(second)), (vec![true], 0));
        }
        assert_eq!((due(&mut neighbours, at(3)), neighbours.next()), ((vec![], 1), None));
    }

    #[test]
    fn a_neighbour_that_was_not_heard_of_is_asked_where_it_was_and_then_everywhere() {
        let mut neighbours = Neighbours::default();
        assert_eq!(send(&mut neighbours, at(0), 0), Err(None));
        neighbours.heard(at(0), NEIGHBOUR, MAC, true);
        assert_eq!(send(&mut neighbours, at(30), 0), Ok(MAC), "meanwhile it is used");
        for second in 30..33 {
            assert_eq!(due(&mut neighbours, at(second)), (vec![false], 0));
        }
        assert_eq!(due(&mut neighbours, at(33)), (vec![true], 0));
        assert_eq!(send(&mut neighbours, at(33), 0), Err(None));
        assert_eq!(due(&mut neighbours, at(34)), (vec![true], 0));
        assert_eq!(neighbours.heard(at(34), NEIGHBOUR, MAC, true).len(), 1);
    }

    #[test]
    fn nobody_fills_the_memory() {
        let mut neighbours = Neighbours::default();
        let neighbour = |number: u32| (0, IpAddr::V4(std::net::Ipv4Addr::from_bits(number)));
        for number in 0..MOST as u32 {
            assert_eq!(neighbours.mac_for_packet(at(0), neighbour(number)), Ok(None));
        }
        assert_eq!(neighbours.mac_for_packet(at(0), NEIGHBOUR), Err(TooMany));
        neighbours.heard(at(0), neighbour(7), MAC, true);
        assert_eq!(neighbours.mac_for_packet(at(31), NEIGHBOUR), Ok(None), "one is not used any more");
    }
}

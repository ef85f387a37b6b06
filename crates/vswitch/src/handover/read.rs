//! Reading sessions. Nothing is believed that could not be: positions, times and counts are compared with each other.

use std::net::IpAddr;

use basis::Instant;
use wire::protocol;

use super::layout::{
    DOUBTS, FROM_ENDPOINT, FROM_VNIC, HALF_FLAGS, MAGIC, SEEN, STOPPED, TUNNEL_FLAGS, TUNNELS, VERSION, checksum,
};
use super::tunnels::{END_OF_SEQUENCE, MOST_RANGES};
use super::{
    HandedNumbers, HandedOrigin, HandedSession, HandedTunnel, HandedWindow, Handover, HandoverError, WINDOW_WORDS,
};
use crate::configuration::address;
use crate::encryption::Window;
use crate::session::{Count, FlagCounts, FlowKey, Half, Seen, TcpState};

/// Reads sessions of any version up to the present one.
///
/// # Errors
/// The reason, if they are of a newer version or damaged; then none of them is taken.
pub fn read(bytes: &[u8]) -> Result<Handover, HandoverError> {
    let mut input = Input(bytes.strip_prefix(&MAGIC).ok_or(HandoverError::NotSessions)?);
    let version = u16::from_be_bytes(input.take()?);
    if !(1..=VERSION).contains(&version) {
        return Err(HandoverError::Version(version));
    }
    let (content, sum) =
        bytes.split_last_chunk::<4>().map(|(content, sum)| (content, *sum)).ok_or(HandoverError::Length)?;
    if checksum(content) != u32::from_be_bytes(sum) {
        return Err(HandoverError::Checksum);
    }
    let mut input = Input(content.get(MAGIC.len() + 2..).ok_or(HandoverError::Length)?);
    let now = input.time()?;
    let count = u32::from_be_bytes(input.take()?);
    let vnics = (0..count).map(|_| input.name()).collect::<Result<Vec<String>, _>>()?;
    let count = u32::from_be_bytes(input.take()?);
    let session = |_| {
        let length = u16::from_be_bytes(input.take()?);
        let mut record = Input(input.bytes(length.into())?);
        let session = record.session(version, now, vnics.len())?;
        // A version says exactly which fields a session has.
        if record.0.is_empty() { Ok(session) } else { Err(HandoverError::Length) }
    };
    let sessions = (0..count).map(session).collect::<Result<Vec<_>, _>>()?;
    let mut handover = Handover { now, vnics, sessions, ..Handover::default() };
    if version >= TUNNELS {
        handover.windows = input.all(Input::window)?;
        handover.numbers = input.all(Input::numbers)?;
        handover.tunnels = input.all(Input::tunnel)?;
    }
    if input.0.is_empty() { Ok(handover) } else { Err(HandoverError::Length) }
}

/// Reads the keys of a session.
///
/// # Errors
/// The reason, if they cannot be those of one session.
pub(crate) fn read_keys(bytes: &[u8]) -> Result<[FlowKey; 2], HandoverError> {
    let mut input = Input(bytes);
    let keys = input.keys()?;
    if input.0.is_empty() { Ok(keys) } else { Err(HandoverError::Length) }
}

/// What is still to be read.
struct Input<'a>(&'a [u8]);

/// Returns an error unless something holds of a field.
fn must(holds: bool, field: &'static str) -> Result<(), HandoverError> {
    if holds { Ok(()) } else { Err(HandoverError::Field(field)) }
}

impl<'a> Input<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], HandoverError> {
        let (first, rest) = self.0.split_at_checked(count).ok_or(HandoverError::Length)?;
        self.0 = rest;
        Ok(first)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], HandoverError> {
        let (first, rest) = self.0.split_first_chunk().ok_or(HandoverError::Length)?;
        self.0 = rest;
        Ok(*first)
    }

    fn byte(&mut self) -> Result<u8, HandoverError> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn word(&mut self) -> Result<u32, HandoverError> {
        self.take().map(u32::from_be_bytes)
    }

    fn long(&mut self) -> Result<u64, HandoverError> {
        self.take().map(u64::from_be_bytes)
    }

    /// Reads a number, and so many of something.
    fn all<T>(&mut self, one: impl Fn(&mut Self) -> Result<T, HandoverError>) -> Result<Vec<T>, HandoverError> {
        (0..self.word()?).map(|_| one(self)).collect()
    }

    fn time(&mut self) -> Result<Instant, HandoverError> {
        Ok(Instant::from_picoseconds(self.long()?))
    }

    fn count(&mut self) -> Result<Count, HandoverError> {
        let (packets, bytes) = (self.long()?, self.long()?);
        Ok(Count { packets, bytes })
    }

    fn name(&mut self) -> Result<String, HandoverError> {
        let length = u16::from_be_bytes(self.take()?);
        let name = str::from_utf8(self.bytes(length.into())?);
        name.map(str::to_owned).map_err(|_| HandoverError::Field("the name of a vNIC is no text"))
    }

    fn key(&mut self) -> Result<FlowKey, HandoverError> {
        let addresses: [IpAddr; 2] = [self.take()?, self.take()?].map(|bytes| address(u128::from_be_bytes(bytes)));
        let is_of_one_version = addresses[0].is_ipv4() == addresses[1].is_ipv4();
        must(is_of_one_version, "a key has addresses of different versions of IP")?;
        let (scope, ports) = (self.word()?, self.word()?);
        Ok(FlowKey::new(scope >> 8, addresses, scope as u8, [(ports >> 16) as u16, ports as u16]))
    }

    fn keys(&mut self) -> Result<[FlowKey; 2], HandoverError> {
        let [key, back] = [self.key()?, self.key()?];
        // A session of ICMP begins with a query, and what comes back are answers.
        let is_of_icmp = matches!(key.protocol(), protocol::ICMP | protocol::ICMPV6);
        let keys = [key, if is_of_icmp { back.answer() } else { back }];
        must(keys[0] != keys[1], "both keys of a session are the same")?;
        must(keys[0].protocol() == keys[1].protocol(), "the keys of a session have different protocols")?;
        Ok(keys)
    }

    fn session(&mut self, version: u16, now: Instant, vnics: usize) -> Result<HandedSession, HandoverError> {
        let keys = self.keys()?;
        let (origin, place) = (self.byte()?, u128::from_be_bytes(self.take()?));
        let origin = match origin {
            FROM_VNIC => {
                let position = u32::try_from(place).ok().filter(|position| (*position as usize) < vnics);
                HandedOrigin::Vnic(position.ok_or(HandoverError::Field("a session began at a vNIC without a name"))?)
            }
            FROM_ENDPOINT => HandedOrigin::Endpoint(place),
            _ => return Err(HandoverError::Field("a session has an origin that is none")),
        };
        let vni = self.word()?;
        must(vni == keys[0].vni(), "a session has the key of another VPC")?;
        let counts = [self.count()?, self.count()?];
        let times = [self.time()?, self.time()?];
        must(times[0] <= times[1] && times[1] <= now, "a session has times in a wrong order")?;
        let reset = self.byte()?;
        let most = if version >= DOUBTS { 0b11 } else { 0b1 };
        must(reset <= most, "a connection is neither reset nor not")?;
        let [is_reset, is_in_doubt] = [0b1, 0b10].map(|flag| reset & flag != 0);
        let tcp = TcpState { halves: [self.half()?, self.half()?], is_reset, is_in_doubt };
        let mut seen = [Seen::default(); 2];
        if version >= SEEN {
            for (seen, counted) in seen.iter_mut().zip(counts) {
                *seen = self.seen(version, counted, now)?;
            }
        }
        Ok(HandedSession { keys, origin, vni, counts, times, tcp, seen })
    }

    fn half(&mut self) -> Result<Half, HandoverError> {
        let flags = self.byte()?;
        must(flags & !HALF_FLAGS == 0, "a connection has flags that are none")?;
        let has = |bit: u8| flags >> bit & 1 == 1;
        let (end, acknowledged, window, scale) = (self.word()?, self.word()?, self.word()?, self.byte()?);
        // RFC 7323, section 2.3.
        must(scale <= 14, "a window has a shift above 14")?;
        let [is_known, has_syn, has_fin, is_open, is_shut] = [0, 1, 2, 3, 4].map(has);
        Ok(Half { is_known, has_syn, has_fin, is_open, is_shut, end, acknowledged, window, scale })
    }

    fn seen(&mut self, version: u16, counted: Count, now: Instant) -> Result<Seen, HandoverError> {
        let [syn, fin, rst] = [self.take()?, self.take()?, self.take()?].map(u16::from_be_bytes);
        let (round_trip, logged) = (self.word()?, self.count()?);
        let stopped = if version >= STOPPED { self.count()? } else { Count::default() };
        let times = [self.time()?, self.time()?];
        let is_less = logged.packets <= counted.packets && logged.bytes <= counted.bytes;
        must(is_less, "the flow log has more packets than there were")?;
        must(times.iter().all(|time| *time <= now), "a packet came later than now")?;
        Ok(Seen::of(FlagCounts { syn, fin, rst }, round_trip, [logged, stopped], times))
    }

    fn window(&mut self) -> Result<HandedWindow, HandoverError> {
        let (peer, vni, index) = (u128::from_be_bytes(self.take()?), self.word()?, self.word()?);
        let (fingerprint, greatest) = (self.take()?, self.long()?);
        let mut seen = [0; WINDOW_WORDS];
        for word in &mut seen {
            *word = self.long()?;
        }
        must(Window::of(greatest, seen).is_some(), "a window ends at no number that has come")?;
        Ok(HandedWindow { peer, vni, index, fingerprint, greatest, seen })
    }

    fn numbers(&mut self) -> Result<HandedNumbers, HandoverError> {
        let (vni, index, fingerprint) = (self.word()?, self.word()?, self.take()?);
        Ok(HandedNumbers { vni, index, fingerprint, next: self.long()?, sent: self.long()? })
    }

    fn tunnel(&mut self) -> Result<HandedTunnel, HandoverError> {
        let (vni, endpoint, flags) = (self.word()?, u128::from_be_bytes(self.take()?), self.byte()?);
        must(flags & !TUNNEL_FLAGS == 0, "a tunnel has flags that are none")?;
        let [is_answered, has_sender, had_another] = [0, 1, 2].map(|bit: u8| flags >> bit & 1 == 1);
        let mut sender = |is_there: bool| {
            let number = self.word()?;
            must(is_there || number == 0, "a tunnel has the number of no sender")?;
            Ok(is_there.then_some(number))
        };
        let senders = [sender(has_sender)?, sender(had_another)?];
        must(has_sender || !had_another, "a tunnel has an earlier sender and no present one")?;
        let count = u16::from_be_bytes(self.take()?);
        must(has_sender == (count > 0), "a tunnel has packets of no sender, or a sender of none")?;
        must(usize::from(count) <= MOST_RANGES, "a tunnel has too many ranges")?;
        let mut ranges: Vec<(u64, u64)> = Vec::with_capacity(count.into());
        for _ in 0..count {
            let (start, end) = (self.long()?, self.long()?);
            let is_behind = ranges.last().is_none_or(|(_, before)| *before < start);
            must(is_behind && start < end && end <= END_OF_SEQUENCE, "the ranges of a tunnel are in a wrong order")?;
            ranges.push((start, end));
        }
        Ok(HandedTunnel { vni, endpoint, is_answered, senders, ranges })
    }
}

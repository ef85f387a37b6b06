//! The state of a TCP connection as somebody in the middle sees it.
//!
//! A connection is *opening* until both ends have sent a SYN and each SYN is acknowledged, which allows simultaneous opens
//! (RFC 9293, section 3.5; RFC 5382, REQ-2); *established*; *closing* once one end has sent a FIN; *closed* when both FINs
//! are acknowledged; and *reset* after a RST that its receiver accepts. A RST that its receiver may answer with a challenge instead
//! (RFC 5961, section 3.2) makes it *closing* until another segment shows that it goes on.

use serde::{Deserialize, Serialize};
use wire::Tcp;
use wire::tcp::{Options, flag};

/// The phase of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TcpPhase {
    /// Not both ends have sent a SYN that was acknowledged.
    Opening,
    /// Both ends can send.
    Established,
    /// At least one end has sent a FIN, or a RST that the other one may not have accepted.
    Closing,
    /// Both ends have sent a FIN that was acknowledged.
    Closed,
    /// An end has sent a RST that the other one accepts.
    Reset,
}

/// The state of a TCP connection, with one half for the packets of each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpState {
    pub(crate) halves: [Half; 2],
    pub(crate) is_reset: bool,
    /// Whether the last segment was a RST that its receiver may have answered with a challenge.
    pub(crate) is_in_doubt: bool,
}

/// The state of one end, as far as its segments show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Half {
    /// Whether anything was seen from this end, so that `end` and `acknowledged` mean something.
    pub is_known: bool,
    pub has_syn: bool,
    pub has_fin: bool,
    /// Whether the SYN was acknowledged, and whether the FIN was.
    pub is_open: bool,
    pub is_shut: bool,
    /// The sequence number after everything that the end has sent.
    pub end: u32,
    /// The acknowledgement number that the end has sent last.
    pub acknowledged: u32,
    /// The window that the end has offered last, in bytes.
    pub window: u32,
    /// The shift of windows in segments without SYN (RFC 7323, section 2.2).
    pub scale: u8,
}

/// The judgement of somebody in the middle on a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// The segment belongs to the connection, and goes on.
    Accepted,
    /// The segment is a RST outside the window of its receiver, which would not accept it either (RFC 5961, section 3.2).
    ResetOutOfWindow,
}

/// The fields of a segment on which the state depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The flags; see [`wire::tcp::flag`].
    pub flags: u8,
    /// The sequence number of the first byte.
    pub sequence: u32,
    /// The acknowledgement number; meaningful with the flag ACK.
    pub acknowledgement: u32,
    /// The window as it stands in the header.
    pub window: u16,
    /// The number of bytes of payload.
    pub payload: u32,
    /// The shift of the option for window scaling (RFC 7323), in segments with SYN.
    pub scale: Option<u8>,
}

impl Segment {
    /// Reads a segment whose header begins with `header` and that has so many bytes of payload. Returns `None` if the header
    /// is cut off or inconsistent.
    pub fn read(header: &[u8], payload: u32) -> Option<Self> {
        let fields = Tcp::new(header)?;
        let options = header.get(Tcp::<&[u8]>::LENGTH..fields.header_length())?;
        let flags = fields.flags();
        let is_syn = flags & flag::SYN != 0;
        // A shift above 14 counts as 14 (RFC 7323, section 2.3).
        let scale = Options::parse(options).and_then(|options| options.window_scale).map(|shift| shift.min(14));
        Some(Self {
            flags,
            sequence: fields.sequence(),
            acknowledgement: fields.acknowledgement(),
            window: fields.window(),
            payload,
            scale: scale.filter(|_| is_syn),
        })
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns the sequence number after the segment: SYN and FIN count as a byte each.
    pub(super) fn end(&self) -> u32 {
        let flags = u32::from(self.has(flag::SYN)) + u32::from(self.has(flag::FIN));
        self.sequence.wrapping_add(self.payload).wrapping_add(flags)
    }
}

impl TcpState {
    /// The state of a connection that is established, and of which nothing was seen.
    pub(crate) fn of_unseen() -> Self {
        let half = Half { has_syn: true, is_open: true, ..Half::default() };
        Self { halves: [half; 2], ..Self::default() }
    }

    /// Returns the phase of the connection.
    pub fn phase(&self) -> TcpPhase {
        let all = |holds: fn(&Half) -> bool| self.halves.iter().all(holds);
        if self.is_reset {
            TcpPhase::Reset
        } else if all(|half| half.is_shut) {
            TcpPhase::Closed
        } else if self.halves.iter().any(|half| half.has_fin) {
            TcpPhase::Closing
        } else if !all(|half| half.is_open) {
            TcpPhase::Opening
        } else if self.is_in_doubt {
            TcpPhase::Closing
        } else {
            TcpPhase::Established
        }
    }

    /// Returns the sequence number behind everything that a direction has sent, if anything was seen of it.
    pub(super) fn end(&self, direction: usize) -> Option<u32> {
        let half = &self.halves[direction];
        half.is_known.then_some(half.end)
    }

    /// Records a segment of the direction 0 or 1.
    ///
    /// # Panics
    /// If there is no such direction.
    pub fn segment(&mut self, direction: usize, segment: &Segment) -> Judged {
        if segment.has(flag::RST) {
            return self.reset(direction, segment);
        }
        // Nobody sends anything but RSTs on a connection that is over, if it was not on its way before; that is answered with a RST.
        self.is_in_doubt = false;
        let [from, to] = halves_of(&mut self.halves, direction);
        if segment.has(flag::SYN) {
            // A SYN on a connection that is over begins another one with the same ports (RFC 9293, section 3.10.7.4).
            from.scale = segment.scale.unwrap_or(0);
            from.has_syn = true;
            (from.end, from.is_known) = (segment.end(), true);
        } else if !from.is_known || is_before(from.end, segment.end()) {
            // A connection whose beginning was not seen begins where it is.
            (from.end, from.is_known) = (segment.end(), true);
        }
        from.has_fin |= segment.has(flag::FIN);
        let shift = if segment.has(flag::SYN) { 0 } else { from.scale };
        from.window = u32::from(segment.window) << shift;
        if segment.has(flag::ACK) {
            from.acknowledged = segment.acknowledgement;
            if to.is_known && !is_before(to.end, segment.acknowledgement) {
                to.is_open |= to.has_syn;
                to.is_shut |= to.has_fin && segment.acknowledgement == to.end;
            }
        }
        Judged::Accepted
    }

    /// Records a RST, unless its receiver would not accept it: it must lie in the window (RFC 9293, section 3.10.7.4), or answer the
    /// SYN that it refuses. The receiver ends the connection if the RST has the very number that it expects, and sends a challenge
    /// otherwise (RFC 5961, section 3.2). That number is not known here while data is not acknowledged, so that the connection may be over,
    /// and is kept for as long as one that closes (RFC 7857, section 2.2).
    fn reset(&mut self, direction: usize, segment: &Segment) -> Judged {
        let [from, to] = halves_of(&mut self.halves, direction);
        let is_answer = !from.has_syn && segment.has(flag::ACK) && segment.acknowledgement == to.end;
        // What the receiver expects next, and how much it takes. An end that has acknowledged nothing expects whatever its
        // peer has sent. Of a connection whose beginning was not seen, and of whose receiver nothing was, nobody knows better than that.
        let next = match to.acknowledged {
            0 => from.is_known.then_some(from.end),
            acknowledged => Some(acknowledged),
        };
        let offset = next.map(|next| segment.sequence.wrapping_sub(next));
        let is_in_window = offset.map_or(!to.is_known, |offset| offset == 0 || offset < to.window);
        if !(is_answer || is_in_window) {
            return Judged::ResetOutOfWindow;
        }
        let is_expected = is_answer || offset.is_none_or(|offset| offset == 0);
        self.is_reset |= is_expected;
        self.is_in_doubt = !is_expected;
        Judged::Accepted
    }

    /// Returns true if a segment opens a connection that may take the place of this one, which is over.
    pub fn is_replaced_by(&self, segment: &Segment) -> bool {
        let is_first = segment.has(flag::SYN) && !segment.has(flag::ACK);
        is_first && matches!(self.phase(), TcpPhase::Closed | TcpPhase::Reset)
    }
}

/// Returns the half of a direction and the other one.
fn halves_of(halves: &mut [Half; 2], direction: usize) -> [&mut Half; 2] {
    let [first, second] = halves;
    if direction == 0 { [first, second] } else { [second, first] }
}

/// Returns true if a sequence number lies before another one (RFC 9293, section 3.4).
pub(super) fn is_before(one: u32, other: u32) -> bool {
    (other.wrapping_sub(one) as i32) > 0
}

#[cfg(test)]
mod tests {
    use flag::{ACK, FIN, RST, SYN};

    use super::*;

    /// Records segments, each with its direction, flags, sequence and acknowledgement number and payload, and returns the
    /// phase after each.
    fn phases(segments: &[(usize, u8, u32, u32, u32)]) -> Vec<TcpPhase> {
        let mut state = TcpState::default();
        let phase = |&(direction, flags, sequence, acknowledgement, payload): &(usize, u8, u32, u32, u32)| {
            state.segment(direction, &segment(flags, sequence, acknowledgement, payload));
            state.phase()
        };
        segments.iter().map(phase).collect()
    }

    fn segment(flags: u8, sequence: u32, acknowledgement: u32, payload: u32) -> Segment {
        Segment { flags, sequence, acknowledgement, window: 1000, payload, scale: None }
    }

    use TcpPhase::{Closed, Closing, Established, Opening, Reset};

    #[test]
    fn a_handshake_opens_and_two_fins_close() {
        let first = u32::MAX - 1;
        let told = phases(&[
            (0, SYN, first, 0, 0),
            (1, SYN | ACK, 70, first.wrapping_add(1), 0),
            (0, ACK, first.wrapping_add(1), 71, 10),
            (1, ACK | FIN, 71, 9, 5),
            (0, ACK, 9, 77, 3),
            (0, ACK | FIN, 12, 77, 0),
            (1, ACK, 77, 13, 0),
        ]);
        assert_eq!(told, [Opening, Opening, Established, Closing, Closing, Closing, Closed]);
    }

    #[test]
    fn both_ends_may_open_at_once() {
        let told =
            phases(&[(0, SYN, 10, 0, 0), (1, SYN, 20, 0, 0), (0, SYN | ACK, 10, 21, 0), (1, SYN | ACK, 20, 11, 0)]);
        assert_eq!(told, [Opening, Opening, Opening, Established]);
    }

    #[test]
    fn one_end_may_go_on_after_the_other_has_closed() {
        let told = phases(&[
            (0, SYN, 10, 0, 0),
            (1, SYN | ACK, 20, 11, 0),
            (0, ACK | FIN, 11, 21, 0),
            (1, ACK, 21, 12, 500),
            (0, ACK, 12, 521, 0),
            (1, ACK | FIN, 521, 12, 0),
            (0, ACK, 12, 522, 0),
        ]);
        assert_eq!(told, [Opening, Opening, Closing, Closing, Closing, Closing, Closed]);
    }

    #[test]
    fn a_fin_that_is_lost_behind_the_switch_is_not_taken_for_acknowledged() {
        let told = phases(&[
            (0, SYN, 10, 0, 0),
            (1, SYN | ACK, 20, 11, 0),
            (0, ACK, 11, 21, 100),
            (0, ACK | FIN, 111, 21, 0),
            (1, ACK, 21, 11, 0),
            (1, ACK | FIN, 21, 111, 0),
            (0, ACK, 112, 22, 0),
        ]);
        assert_eq!(told.last(), Some(&Closing));
    }

    #[test]
    fn a_reset_counts_in_the_window_only() {
        let mut open = TcpState::default();
        for (direction, flags, sequence, acknowledgement) in [(0, SYN, 10, 0), (1, SYN | ACK, 20, 11), (0, ACK, 11, 21)]
        {
            open.segment(direction, &segment(flags, sequence, acknowledgement, 0));
        }
        for (sequence, judged, phase) in [
            (21, Judged::Accepted, Reset),
            (21 + 1, Judged::Accepted, Closing),
            (21 + 999, Judged::Accepted, Closing),
            (21 + 1000, Judged::ResetOutOfWindow, Established),
            (20, Judged::ResetOutOfWindow, Established),
        ] {
            let mut state = open;
            assert_eq!(state.segment(1, &segment(RST, sequence, 0, 0)), judged, "{sequence}");
            assert_eq!(state.phase(), phase, "{sequence}");
        }
    }

    /// A RST that somebody else had made up, and that its receiver had only challenged, ended the session of a living connection.
    #[test]
    fn a_connection_that_goes_on_was_not_reset() {
        let mut open = TcpState::default();
        for (direction, flags, sequence, acknowledgement) in [(0, SYN, 10, 0), (1, SYN | ACK, 20, 11), (0, ACK, 11, 21)]
        {
            open.segment(direction, &segment(flags, sequence, acknowledgement, 0));
        }
        open.segment(1, &segment(RST, 500, 0, 0));
        assert_eq!(open.phase(), Closing);
        let (mut challenged, mut sent, mut over) = (open, open, open);
        challenged.segment(0, &segment(ACK, 11, 21, 0));
        sent.segment(1, &segment(ACK, 21, 11, 100));
        assert_eq!([challenged.phase(), sent.phase()], [Established; 2]);
        // Whoever has sent it answers the challenge with another one (RFC 5961, section 3.2).
        challenged.segment(1, &segment(RST, 21, 0, 0));
        over.segment(1, &segment(RST, 21, 0, 0));
        assert_eq!([challenged.phase(), over.phase()], [Reset; 2]);
    }

    /// Without this, a guest whose connection the other end does not have any more never heard of it.
    #[test]
    fn a_reset_answers_a_segment_of_the_middle() {
        let mut state = TcpState::default();
        state.segment(0, &segment(ACK, 10, 500, 20));
        assert_eq!(state.segment(1, &segment(RST, 499, 0, 0)), Judged::ResetOutOfWindow);
        assert_eq!(state.segment(1, &segment(RST, 500, 0, 0)), Judged::Accepted);
        assert_eq!(state.phase(), Reset);
        // The first thing that is seen of a connection.
        assert_eq!(TcpState::default().segment(0, &segment(RST, 77, 0, 0)), Judged::Accepted);
    }

    #[test]
    fn a_reset_refuses_a_syn_by_acknowledging_it() {
        let mut state = TcpState::default();
        state.segment(0, &segment(SYN, 10, 0, 0));
        assert_eq!(state.segment(1, &segment(RST | ACK, 0, 12, 0)), Judged::ResetOutOfWindow);
        assert_eq!(state.segment(1, &segment(RST | ACK, 0, 11, 0)), Judged::Accepted);
        assert_eq!(state.phase(), Reset);
        assert!(state.is_replaced_by(&segment(SYN, 5000, 0, 0)));
        assert!(!state.is_replaced_by(&segment(SYN | ACK, 5000, 1, 0)));
    }

    #[test]
    fn segments_are_read_from_headers() {
        let mut header = [0; 28];
        let mut fields = Tcp::new(&mut header[..]).expect("long enough");
        fields.set_sequence(7);
        fields.set_acknowledgement(9);
        fields.set_window(512);
        fields.set_header_length_and_flags(28, SYN | ACK);
        fields.bytes_mut()[20..24].copy_from_slice(&[1, 3, 3, 20]);
        let expected = Segment { scale: Some(14), window: 512, ..segment(SYN | ACK, 7, 9, 33) };
        assert_eq!(Segment::read(&header, 33), Some(expected));
        assert_eq!(Segment::read(&header[..27], 33), None);
    }

    #[test]
    fn windows_are_scaled_after_the_syn() {
        let mut state = TcpState::default();
        state.segment(0, &Segment { scale: Some(4), ..segment(SYN, 10, 0, 0) });
        state.segment(1, &Segment { scale: Some(0), ..segment(SYN | ACK, 20, 11, 0) });
        state.segment(0, &segment(ACK, 11, 21, 0));
        assert_eq!(state.segment(1, &segment(RST, 21 + 15_999, 0, 0)), Judged::Accepted);
    }
}

//! An outgoing message: what may be sent, and the state of what was sent.

use basis::{Duration, Instant};
use demand::Message;
use serde::{Deserialize, Serialize};

use super::NdpParameters;
use crate::paths::Fate;
use crate::receiver_driven::{self, Course};
use crate::suspects::Suspects;

/// A packet to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sending {
    pub sequence: u32,
    pub is_retransmission: bool,
    /// True if the receiver may not know the message yet.
    pub is_pushed: bool,
    /// True if the packet requests one pull in addition to the one that its arrival earns.
    pub asks_for_pull: bool,
}

/// The two queues for the link.
const RETRANSMISSIONS: usize = 0;
const NEW: usize = 1;

/// The divisor of the number of packets lost together that gives the number to retransmit at once, without waiting for
/// pulls.
const AT_ONCE: u32 = 4;

/// An outgoing message.
///
/// Every packet that is sent costs one credit. The first window is given, and each pull gives one. A packet that was
/// lost or returned has used up its credit, because the receiver, which has not seen it, sends no pull for it; so a
/// later packet requests one pull more. The packets of an incast that did not reach the receiver are thus retransmitted
/// at the pace of its pulls rather than all at once.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outgoing {
    pub course: Course,
    credit: u32,
    /// The credit that was lost with packets and that the receiver has not been asked for yet.
    owed: u32,
    /// The number of pulls that the receiver has sent, and the number that it has announced.
    pulls: u32,
    pulls_promised: u32,
    /// The number of packets of the first window that are still to be pushed.
    to_push: u32,
    has_heard: bool,
    /// The outcomes of the last packets, one bit each with the newest lowest: 1 if the packet arrived untrimmed.
    answers: u16,
    answers_known: u8,
    /// True once a packet was lost; a missing pull may then be lost as well.
    has_lost: bool,
}

impl receiver_driven::Outgoing for Outgoing {
    type Parameters = NdpParameters;

    fn course(&self) -> &Course {
        &self.course
    }

    fn awaits(&self) -> &'static str {
        match (self.course.has_unsent(), self.credit > 0) {
            (true, true) => "the link",
            (true, false) => "PULLs",
            (false, _) => "ACKs",
        }
    }

    fn turn(&self) -> Option<usize> {
        if self.can_retransmit() {
            Some(RETRANSMISSIONS)
        } else if self.can_send_new() {
            Some(NEW)
        } else {
            None
        }
    }

    /// Returns the time by which an answer must have arrived; `None` if the next packet only waits for the link.
    fn deadline(&self, parameters: &NdpParameters) -> Option<Instant> {
        match self.course.window.oldest_flight() {
            Some(oldest) => Some(oldest.at + self.packet_timeout(parameters)),
            // Everything that was sent has been answered. If pulls were lost, nobody else would resume the message. In
            // an incast, a pull arrives long after a round trip.
            None if self.credit == 0 => Some(self.course.last_activity + self.waiting_timeout(parameters)),
            None => None,
        }
    }

    /// Handles a timeout: lost packets are to be retransmitted. A part of them is sent at once, halved with each
    /// consecutive timeout, since then many senders' packets are being lost; but at least one packet, whose answer
    /// brings the lost pulls. The receiver is asked for pulls for the others.
    fn time_out(&mut self, now: Instant, parameters: &NdpParameters, suspects: &mut Suspects) {
        let timeout = self.packet_timeout(parameters);
        let mut lost = 0;
        while let Some(oldest) = self.course.window.oldest_flight().filter(|oldest| oldest.at + timeout <= now) {
            self.learn(oldest.path, Fate::Lost);
            if parameters.paths > 1 {
                suspects.lost(now, self.course.message.destination(), oldest.path, timeout);
            }
            self.course.window.resend(oldest.sequence);
            self.has_lost = true;
            lost += 1;
        }
        let now_sent = ((lost / AT_ONCE) >> self.course.timeouts.min(31)).max(1);
        self.course.timeouts = self.course.timeouts.saturating_add(1);
        self.course.last_activity = now;
        debug_assert!(self.course.has_unsent(), "a message with nothing to send has timed out");
        self.give_credit(now_sent);
        self.owe(lost.saturating_sub(now_sent));
    }

    fn is_hopeless(&self, parameters: &NdpParameters) -> bool {
        self.course.timeouts >= parameters.attempts
    }

    fn packet_timeout(&self, parameters: &NdpParameters) -> Duration {
        parameters.packet_timeout(&self.course.patience, self.course.timeouts)
    }

    fn first_timeout(parameters: &NdpParameters) -> Duration {
        parameters.timeout(0)
    }
}

impl Outgoing {
    pub fn new(now: Instant, message: Message, parameters: &NdpParameters) -> Self {
        let course = Course::new(now, message, parameters.payload_bytes());
        let first_window = parameters.first_window.clamp(1, course.packets);
        Self {
            course,
            credit: first_window,
            owed: 0,
            pulls: 0,
            pulls_promised: 0,
            to_push: first_window,
            has_heard: false,
            answers: 0,
            answers_known: 0,
            has_lost: false,
        }
    }

    /// Returns true if a retransmission could be sent now.
    fn can_retransmit(&self) -> bool {
        self.credit > 0 && self.course.window.waiting() > 0
    }

    /// Returns true if a new packet could be sent now.
    fn can_send_new(&self) -> bool {
        self.credit > 0 && self.course.window.has_new()
    }

    /// Returns true if the receiver has announced more pulls than have arrived.
    fn expects_pulls(&self) -> bool {
        self.pulls_promised > self.pulls
    }

    fn give_credit(&mut self, packets: u32) {
        // More credit than unacknowledged packets would be useless, and would let the last of them be sent unpaced.
        self.credit = self.credit.saturating_add(packets).min(self.course.window.unacknowledged());
    }

    /// Returns the next packet to send, retransmissions first; `None` if there is none or no credit for it.
    pub fn next(&mut self) -> Option<Sending> {
        if self.credit == 0 {
            return None;
        }
        let asks_for_pull = self.owed > 0;
        if let Some(sequence) = self.course.window.take_retransmission() {
            return Some(Sending { sequence, is_retransmission: true, is_pushed: !self.has_heard, asks_for_pull });
        }
        let sequence = self.course.window.next_new();
        let is_pushed = self.to_push > 0 || !self.has_heard;
        let has_new = self.course.window.has_new();
        has_new.then_some(Sending { sequence, is_retransmission: false, is_pushed, asks_for_pull })
    }

    /// Records that the packet from [`Outgoing::next`] is sent.
    pub fn sent(&mut self, now: Instant, sending: Sending, path: u16) {
        if !sending.is_retransmission {
            self.to_push = self.to_push.saturating_sub(1);
        }
        self.credit -= 1;
        self.owed -= u32::from(sending.asks_for_pull);
        self.course.last_activity = now;
        self.course.window.sent(now, sending.sequence, path);
    }

    /// Handles the part that all answers have: `pulls` is the number of pulls sent so far, and `more` announces another
    /// one.
    pub fn heard(&mut self, now: Instant, pulls: u32, more: bool) {
        self.has_heard = true;
        self.course.timeouts = 0;
        self.course.last_activity = now;
        // The number of pulls is cumulative: a pull that overtakes others releases their packets too.
        if pulls > self.pulls {
            let new = pulls - self.pulls;
            self.pulls = pulls;
            self.give_credit(new);
        }
        if more {
            self.pulls_promised = self.pulls_promised.max(pulls + 1);
        }
    }

    /// Returns the time for which a pull may fail to arrive after everything was answered.
    fn waiting_timeout(&self, parameters: &NdpParameters) -> Duration {
        parameters.waiting_timeout(&self.course.patience, self.course.timeouts, self.has_lost)
    }

    /// Records that a packet has arrived; `is_copy` is true if it had arrived before.
    pub fn acknowledge(&mut self, now: Instant, sequence: u32, path: u16, is_copy: bool) {
        if is_copy && self.course.window.is_acknowledged(sequence) {
            self.course.patience.was_in_vain();
        }
        self.course.patience.answered(now, sequence, &self.course.window);
        self.learn(path, Fate::Arrived);
        self.course.window.acknowledge(sequence);
        self.credit = self.credit.min(self.course.window.unacknowledged());
    }

    /// Records that a packet has arrived without its payload.
    pub fn refuse(&mut self, now: Instant, sequence: u32, path: u16) {
        self.course.patience.answered(now, sequence, &self.course.window);
        self.learn(path, Fate::Trimmed);
        self.course.window.resend(sequence);
    }

    /// Handles a packet that a switch has returned. Like a trimmed packet, it waits for a pull, or all senders of an
    /// incast would retransmit at the same time. But it is retransmitted at once if nothing else is in flight and no
    /// pull will arrive, or if most packets arrive, which means that the path is bad rather than the receiver busy
    /// (NDP, section 3.2.4).
    pub fn returned(&mut self, sequence: u32, path: u16, asked_for_pull: bool) {
        self.learn(path, Fate::Returned);
        if !self.course.window.resend(sequence) {
            return;
        }
        let is_alone = self.course.window.in_flight() == 0 && self.credit == 0 && !self.expects_pulls();
        let path_is_bad = self.answers_known >= 8 && self.answers.count_ones() * 2 >= u32::from(self.answers_known);
        if is_alone || path_is_bad {
            self.give_credit(1);
        } else {
            self.owe(1);
        }
        self.owe(u32::from(asked_for_pull));
    }

    fn owe(&mut self, packets: u32) {
        self.owed = (self.owed + packets).min(self.course.window.unacknowledged());
    }

    fn learn(&mut self, path: u16, fate: Fate) {
        self.course.paths.learn(path, fate);
        self.answers = self.answers << 1 | u16::from(fate == Fate::Arrived);
        self.answers_known = (self.answers_known + 1).min(16);
    }
}

#[cfg(test)]
mod tests {
    use basis::Rate;
    use demand::Wanted;
    use node::Link;

    use super::*;

    fn outgoing(packets: u64) -> Outgoing {
        let link = Link::new(Rate::from_gigabits_per_second(100), Link::ETHERNET_FRAMING);
        let parameters = NdpParameters { first_window: 4, ..NdpParameters::new(link) };
        let bytes = packets * u64::from(parameters.payload_bytes());
        let message = Wanted::of_length(1, bytes).numbered(0);
        let mut outgoing = Outgoing::new(Instant::ZERO, message, &parameters);
        send_all(&mut outgoing);
        outgoing
    }

    /// Sends as long as there is credit, and returns the number of packets.
    fn send_all(outgoing: &mut Outgoing) -> usize {
        let mut count = 0;
        while let Some(sending) = outgoing.next() {
            outgoing.sent(Instant::ZERO, sending, 0);
            count += 1;
        }
        count
    }

    #[test]
    fn pulls_are_cumulative() {
        let mut outgoing = outgoing(20);
        outgoing.heard(Instant::ZERO, 3, false);
        assert_eq!(send_all(&mut outgoing), 3);
        outgoing.heard(Instant::ZERO, 2, true);
        assert_eq!(send_all(&mut outgoing), 0);
        assert!(!outgoing.expects_pulls(), "the pull that was promised then has come");
        outgoing.heard(Instant::ZERO, 4, true);
        assert_eq!(send_all(&mut outgoing), 1);
        assert!(outgoing.expects_pulls());
    }

    #[test]
    fn unused_pulls_are_kept_up_to_the_missing_packets() {
        let mut outgoing = outgoing(4);
        outgoing.heard(Instant::ZERO, 9, false);
        assert_eq!(send_all(&mut outgoing), 0);
        for sequence in 0..4 {
            outgoing.refuse(Instant::ZERO, sequence, 0);
            assert_eq!(send_all(&mut outgoing), 1);
        }
        outgoing.refuse(Instant::ZERO, 0, 0);
        assert_eq!(send_all(&mut outgoing), 0);
    }
}

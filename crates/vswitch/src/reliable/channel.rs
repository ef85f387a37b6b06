//! Both ends of a reliable tunnel that one switch has, and whether the other switch knows such tunnels.

use basis::{Duration, Instant};
use wire::Packet;

use super::frame::{Message, Numbered, make};
use super::receiver::Receiver;
use super::sender::Sender;
use super::{ReliableView, Tunnel, frame};
use crate::configuration::{MacAddress, address};
use crate::handover::HandedTunnel;

/// The time between two questions whether the other switch knows reliable tunnels. They are asked only while there are packets for it.
const BETWEEN_QUESTIONS: Duration = Duration::from_microseconds(1_000_000);

/// A reliable tunnel.
#[derive(Debug)]
pub struct Channel {
    sender: Sender,
    receiver: Receiver,
    /// Whether the other switch has said that it knows such tunnels.
    is_answered: bool,
    /// The earliest time of the next question, and whether somebody wants it.
    question_at: Instant,
    is_wanted: bool,
    /// The sender of the other switch that has asked and is to be answered.
    asked: Option<u32>,
}

impl Channel {
    /// A tunnel of which nothing is known. `number` is another one for each start of the switch.
    pub fn new(number: u32) -> Self {
        Self {
            sender: Sender::new(number),
            receiver: Receiver::default(),
            is_answered: false,
            question_at: Instant::ZERO,
            is_wanted: false,
            asked: None,
        }
    }

    /// The tunnel that another process had. `number` is as in [`Self::new`].
    pub fn resumed(number: u32, now: Instant, handed: &HandedTunnel) -> Self {
        let receiver = Receiver::resumed(now, handed.senders, &handed.ranges);
        Self { receiver, is_answered: handed.is_answered, ..Self::new(number) }
    }

    /// Returns what another process must know to go on.
    pub fn handed(&self, (vni, endpoint): Tunnel) -> HandedTunnel {
        let (senders, ranges) = self.receiver.parts();
        HandedTunnel { vni, endpoint, is_answered: self.is_answered, senders, ranges }
    }

    pub fn view(&self, vni: u32, endpoint: u128) -> ReliableView {
        ReliableView {
            vni,
            endpoint: address(endpoint),
            is_answered: self.is_answered,
            round_trip: self.sender.round_trip().map(Duration::picoseconds),
            kept: self.sender.kept(),
            suspected: self.sender.suspected(),
        }
    }

    /// Gives a packet a number, and returns its path, and how many others were given up for it. Returns `None` if the other switch
    /// has not said that it reads it.
    pub fn send(&mut self, now: Instant, gateway: MacAddress, packet: &mut Packet, hash: u64) -> Option<(u8, u64)> {
        if !self.is_answered {
            self.is_wanted = true;
            return None;
        }
        Some(self.sender.send(now, gateway, packet, hash))
    }

    /// Records a packet that has come. Returns false if it has come before.
    pub fn arrives(&mut self, now: Instant, numbered: Numbered) -> bool {
        self.is_answered = true;
        self.receiver.arrives(now, numbered)
    }

    /// Records what the other switch has said.
    pub fn told(&mut self, now: Instant, message: Message) {
        match message {
            // Who asks knows such tunnels.
            Message::Question(sender) => (self.asked, self.is_answered) = (Some(sender), true),
            Message::Answer(sender) => self.is_answered |= sender == self.sender.number(),
            Message::Acknowledgement(sender, ranges) => self.sender.acknowledged(now, sender, &ranges),
        }
    }

    /// Returns the time at which something is to be done.
    pub fn deadline(&self) -> Option<Instant> {
        let question = (self.is_wanted && !self.is_answered).then_some(self.question_at);
        let answer = self.asked.map(|_| Instant::ZERO);
        [question, answer, self.receiver.deadline(), self.sender.deadline()].into_iter().flatten().min()
    }

    /// Does what is due. Returns how many packets were sent again, and how many were given up.
    pub fn tend(&mut self, now: Instant, gateway: MacAddress, out: &mut dyn FnMut(Packet, u8)) -> (u64, u64) {
        if let Some(sender) = self.asked.take() {
            out(make(gateway, &Message::Answer(sender)), 0);
        }
        if let Some(acknowledgement) = self.receiver.acknowledgement(now) {
            out(frame::make(gateway, &acknowledgement), 0);
        }
        let (again, mut given_up) = self.sender.tend(now, out);
        if self.sender.is_alone() {
            // Another program may be there now, which does not know such tunnels.
            given_up += self.sender.kept() as u64;
            self.sender = Sender::new(self.sender.number().wrapping_add(1));
            (self.is_answered, self.is_wanted, self.question_at) = (false, true, now);
        }
        if self.is_wanted && !self.is_answered && self.question_at <= now {
            (self.is_wanted, self.question_at) = (false, now + BETWEEN_QUESTIONS);
            out(make(gateway, &Message::Question(self.sender.number())), 0);
        }
        (again, given_up)
    }
}

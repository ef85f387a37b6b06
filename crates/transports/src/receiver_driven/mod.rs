//! Transports whose receivers say who sends when: what NDP and EQDS have in common.
//!
//! [`Endpoint`] is the transport of one host: a sending half, which is the same for all but for the rules of a message on
//! its way out, and a receiving half, which is each protocol's own.

mod course;
mod outbound;
mod received;
mod sender;
mod transport;

use std::fmt::Debug;

use basis::{Duration, Instant, Random};
use demand::Message;
use node::{Progress, Reason};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wire::Packet;

pub use course::Course;
pub use outbound::Outgoing;
pub use received::{Received, Statement, read};
pub(crate) use sender::sender_counters;
pub use sender::{Counted, Sender, SenderCounters, Turn};
pub(crate) use transport::transport;

use crate::Notice;

/// What a protocol has of its own.
pub trait Protocol: Sized {
    /// How it is to behave.
    type Parameters: Copy + Debug;
    /// What it counts.
    type Counters: SenderCounters + Default + Debug + Serialize + DeserializeOwned;
    /// What its packets say.
    type Header: Statement + Debug + Serialize + DeserializeOwned;
    /// A message on its way out.
    type Outgoing: Outgoing<Parameters = Self::Parameters> + Debug + Serialize + DeserializeOwned;
    /// The receiving half.
    type Receiver: Receiver<Self> + Debug + Serialize + DeserializeOwned;

    /// Panics if a parameter is out of the range that the parameters' documentation gives.
    fn check(parameters: &Self::Parameters);

    /// The longest time between two packets that probe a suspected path.
    fn longest_timeout(parameters: &Self::Parameters) -> Duration;

    /// Begins to send a message.
    fn begin(now: Instant, message: Message, parameters: &Self::Parameters) -> Self::Outgoing;

    /// Makes the next packet of a message, and says by which path it goes; `None` if it has none now.
    fn next_packet(
        outgoing: &mut Self::Outgoing,
        turn: Turn<'_>,
        parameters: &Self::Parameters,
        counters: &mut Self::Counters,
    ) -> Option<(Self::Header, u16)>;

    /// The receiver has answered a packet of a message, or said who sends when.
    ///
    /// # Errors
    /// If it is no answer.
    fn answered(
        outgoing: &mut Self::Outgoing,
        now: Instant,
        header: &Self::Header,
        parameters: &Self::Parameters,
    ) -> Result<(), Reason>;

    /// A switch has sent a data packet of a message back.
    fn returned(outgoing: &mut Self::Outgoing, header: &Self::Header);

    /// Counts a packet that no switch has sent back, and says for which half it is.
    ///
    /// # Errors
    /// If it is for neither.
    fn recipient(header: &Self::Header, counters: &mut Self::Counters) -> Result<Half, Reason>;
}

/// Panics if parameters that all protocols have are out of their range: payload of a full packet, paths, first timeout.
pub fn check_common(payload_bytes: u16, paths: u16, timeout: Duration) {
    assert!(payload_bytes > 0, "packets need room for payload, and IPv4 has 16 bits for their length");
    assert!((1..=wire::path::PATHS).contains(&paths), "source ports tell 1 to 16384 paths apart");
    assert!(timeout > Duration::ZERO, "a timeout takes time");
}

/// The halves of a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Sender,
    Receiver,
}

/// The receiving half of a transport: all messages that a host receives.
pub trait Receiver<P: Protocol> {
    fn new(parameters: &P::Parameters) -> Self;

    /// A packet has arrived that belongs to a message of another host.
    ///
    /// # Errors
    /// If it contradicts itself or what was said of its message before.
    fn receive(
        &mut self,
        now: Instant,
        received: &Received<P::Header>,
        parameters: &P::Parameters,
        counters: &mut P::Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Reason>;

    /// The next packet that says something to a sender.
    fn transmit(
        &mut self,
        now: Instant,
        address: u32,
        parameters: &P::Parameters,
        counters: &mut P::Counters,
    ) -> Option<Packet>;

    /// True if an answer waits for the line.
    fn is_ready(&self) -> bool;

    /// When the pacer lets the next packet go; `None` if nobody waits for one.
    fn next_paced(&self) -> Option<Instant>;

    /// Tells how much is here of each message that is not complete.
    fn progress(&self, tell: &mut dyn FnMut(Progress));
}

/// A transport of one host. Its sender has so many queues for the line. `transport` implements the contract for it.
#[derive(Debug)]
pub struct Endpoint<P: Protocol, const TURNS: usize> {
    pub(crate) address: u32,
    pub(crate) parameters: P::Parameters,
    pub(crate) sender: Sender<P, TURNS>,
    pub(crate) receiver: P::Receiver,
    pub(crate) counters: P::Counters,
}

impl<P: Protocol, const TURNS: usize> Endpoint<P, TURNS> {
    /// The transport of the host with an IPv4 address. All draws are functions of `seed` and the address.
    ///
    /// Panics if a parameter is out of the range that its documentation gives.
    pub fn new(address: u32, parameters: P::Parameters, seed: u64) -> Self {
        P::check(&parameters);
        let sender = Sender::new(Random::for_part(seed, u64::from(address)));
        let receiver = P::Receiver::new(&parameters);
        Self { address, parameters, sender, receiver, counters: P::Counters::default() }
    }
}

basis::snapshot!([P: Protocol, const TURNS: usize] Endpoint<P, TURNS> { values sender, receiver, counters; });

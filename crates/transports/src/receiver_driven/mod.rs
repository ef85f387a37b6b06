//! Receiver-driven transports: what NDP and EQDS have in common.
//!
//! [`Endpoint`] is the transport of one host. It has a sending half, which is shared except for the rules of an
//! outgoing message, and a receiving half, which each protocol defines.

mod course;
mod outbound;
mod received;
mod sender;
mod transport;

use std::fmt::Debug;

use basis::{Duration, Instant, Random};
use demand::Message;
use node::{MessageProgress, Reason};
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

/// The parts of a transport that are specific to a protocol.
pub trait Protocol: Sized {
    /// The parameters of the protocol.
    type Parameters: Copy + Debug;
    /// The counters of the protocol.
    type Counters: SenderCounters + Default + Debug + Serialize + DeserializeOwned;
    /// The header of its packets.
    type Header: Statement + Debug + Serialize + DeserializeOwned;
    /// An outgoing message.
    type Outgoing: Outgoing<Parameters = Self::Parameters> + Debug + Serialize + DeserializeOwned;
    /// The receiving half.
    type Receiver: Receiver<Self> + Debug + Serialize + DeserializeOwned;

    /// Checks parameters.
    ///
    /// # Panics
    /// If a parameter is outside the range that its documentation states.
    fn check(parameters: &Self::Parameters);

    /// Returns the maximum time between two probes of a suspected path.
    fn longest_timeout(parameters: &Self::Parameters) -> Duration;

    /// Creates the state of a message to send.
    fn begin(now: Instant, message: Message, parameters: &Self::Parameters) -> Self::Outgoing;

    /// Builds the next packet of a message, and returns it with its path; `None` if there is none now.
    fn next_packet(
        outgoing: &mut Self::Outgoing,
        turn: Turn<'_>,
        parameters: &Self::Parameters,
        counters: &mut Self::Counters,
    ) -> Option<(Self::Header, u16)>;

    /// Handles an answer to a packet of a message, or a grant of permission to send.
    ///
    /// # Errors
    /// If the packet is not an answer.
    fn answered(
        outgoing: &mut Self::Outgoing,
        now: Instant,
        header: &Self::Header,
        parameters: &Self::Parameters,
    ) -> Result<(), Reason>;

    /// Handles a data packet of a message that a switch has returned.
    fn returned(outgoing: &mut Self::Outgoing, header: &Self::Header);

    /// Counts a packet that was not returned by a switch, and returns the half that it is for.
    ///
    /// # Errors
    /// If the packet is for neither half.
    fn recipient(header: &Self::Header, counters: &mut Self::Counters) -> Result<Half, Reason>;
}

/// Checks the parameters that all protocols have: payload of a full packet, number of paths and first timeout.
///
/// # Panics
/// If one of them is out of range.
pub fn check_common(payload_bytes: u16, paths: u16, timeout: Duration) {
    assert!(payload_bytes > 0, "packet_bytes must exceed the headers and fit the 16-bit length of IPv4");
    assert!((1..=wire::path::PATHS).contains(&paths), "the number of paths is 1 to 16384");
    assert!(timeout > Duration::ZERO, "timeouts are longer than zero");
}

/// The halves of a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Sender,
    Receiver,
}

/// The receiving half of a transport, with all messages that a host receives.
pub trait Receiver<P: Protocol> {
    fn new(parameters: &P::Parameters) -> Self;

    /// Handles a packet that belongs to a message of another host.
    ///
    /// # Errors
    /// If the packet contradicts itself or earlier packets of its message.
    fn receive(
        &mut self,
        now: Instant,
        received: &Received<P::Header>,
        parameters: &P::Parameters,
        counters: &mut P::Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Reason>;

    /// Returns the next control packet to a sender.
    fn transmit(
        &mut self,
        now: Instant,
        address: u32,
        parameters: &P::Parameters,
        counters: &mut P::Counters,
    ) -> Option<Packet>;

    /// Returns true if an answer waits for the link.
    fn is_ready(&self) -> bool;

    /// Returns the time at which the pacer releases the next packet; `None` if none waits.
    fn next_paced(&self) -> Option<Instant>;

    /// Reports, for each incomplete message, the number of bytes that have arrived.
    fn progress(&self, tell: &mut dyn FnMut(MessageProgress));
}

/// The transport of one host, whose sender has `TURNS` queues for the link. The macro `transport` implements
/// [`crate::Transport`] for it.
#[derive(Debug)]
pub struct Endpoint<P: Protocol, const TURNS: usize> {
    pub(crate) address: u32,
    pub(crate) parameters: P::Parameters,
    pub(crate) sender: Sender<P, TURNS>,
    pub(crate) receiver: P::Receiver,
    pub(crate) counters: P::Counters,
}

impl<P: Protocol, const TURNS: usize> Endpoint<P, TURNS> {
    /// Creates the transport of the host with the given IPv4 address. All random draws depend only on `seed` and the
    /// address.
    ///
    /// # Panics
    /// If a parameter is outside the range that its documentation states.
    pub fn new(address: u32, parameters: P::Parameters, seed: u64) -> Self {
        P::check(&parameters);
        let sender = Sender::new(Random::for_part(seed, u64::from(address)));
        let receiver = P::Receiver::new(&parameters);
        Self { address, parameters, sender, receiver, counters: P::Counters::default() }
    }
}

basis::snapshot!([P: Protocol, const TURNS: usize] Endpoint<P, TURNS> { values sender, receiver, counters; });

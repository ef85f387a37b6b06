//! TCP (RFC 9293) with NewReno, CUBIC or DCTCP. Each message has a connection of its own. `docs/transports/tcp.md`
//! lists the RFCs that are followed and what is left out.

mod acknowledged;
mod arrival;
mod congestion;
mod connection;
mod counters;
mod echo;
mod pacer;
mod parameters;
mod received;
mod receiving;
mod scoreboard;
mod segment;
mod sending;
mod sockets;
mod stream;
mod table;
mod timeout;
mod to_send;

use std::collections::VecDeque;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Instant, Random};
use demand::Message;
use node::{Counter, MessageProgress, Reason, SenderState, UnfinishedWork};
use wire::tcp::flag;
use wire::{Packet, Tail};

pub use congestion::{Cause, CongestionAlgorithm, CongestionControl, Cubic, Dctcp, Heard, NewReno, Window};
use connection::{Connection, Context, Key, Purpose};
use counters::Counters;
pub use parameters::{Algorithm, TcpParameters};
use segment::{FIRST_EPHEMERAL, FIRST_SERVICE, Segment};
use sockets::Held;
pub use sockets::{SEND_BUFFER, Socket, Status};
use table::Table;

use crate::slots::Handle;
use crate::{Endpoint, Notice, Refusal, Transport};

/// TCP on one host.
#[derive(Debug)]
pub struct Tcp {
    address: u32,
    parameters: TcpParameters,
    table: Table,
    /// Acknowledgements and RSTs that wait for the link, each with its destination.
    answers: VecDeque<(u32, Segment)>,
    /// Messages for which no connection could be opened; the host is told when it next wakes the transport.
    refused: Vec<(Instant, Message)>,
    /// Source of the initial sequence numbers of connections that other hosts open.
    random: Random,
    /// Ports on which connections belong to applications that send and receive bytes.
    listening: Vec<u16>,
    /// The connections to these ports that other hosts have opened and no application has accepted yet.
    accepted: VecDeque<Handle>,
    counters: Counters,
}

impl Tcp {
    /// Creates the TCP of the host with the given IPv4 address. All random draws depend only on `seed` and the address.
    ///
    /// # Panics
    /// If a parameter is outside the range that [`TcpParameters`] states.
    pub fn new(address: u32, parameters: TcpParameters, seed: u64) -> Self {
        parameters.check();
        Self {
            address,
            parameters,
            table: Table::default(),
            answers: VecDeque::new(),
            refused: Vec::new(),
            random: Random::for_part(seed, u64::from(address)),
            listening: Vec::new(),
            accepted: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// Splits `self` into the connection table and the context that its connections share.
    fn parts<'a>(&'a mut self, now: Instant, notices: &'a mut Vec<Notice>) -> (&'a mut Table, Context<'a>) {
        let Self { parameters, table, answers, counters, .. } = self;
        (table, Context { now, parameters, counters, notices, answers, packet: None })
    }
}

impl Endpoint<Vec<Notice>> for Tcp {
    fn receive(&mut self, now: Instant, packet: Packet, notices: &mut Vec<Notice>) -> Result<(), (Packet, Reason)> {
        let (peer, segment) = match segment::read(&packet) {
            Ok(read) => read,
            Err(reason) => return Err((packet, reason)),
        };
        self.counters.segments_received += 1;
        let key = Key { peer, remote_port: segment.source_port, local_port: segment.destination_port };
        let is_opening = segment.has(flag::SYN) && !segment.has(flag::ACK);
        // A new number for each connection, so that segments left over from one mean nothing to the next (RFC 9293,
        // section 3.4.1).
        let first = if is_opening { self.random.bits() as u32 } else { 0 };
        let listens = self.listening.contains(&key.local_port);
        let (table, mut context) = self.parts(now, notices);
        context.packet = Some(&packet);
        if let Some(handle) = table.find(key) {
            if let Some(connection) = table.get_mut(handle) {
                connection.arrived(&segment, &mut context);
            }
            table.settle(now, handle, context.parameters);
            return Ok(());
        }
        // Every service is in the LISTEN state (RFC 9293, sections 3.10.7.1 and 3.10.7.2).
        let is_service = (FIRST_SERVICE..FIRST_EPHEMERAL).contains(&key.local_port);
        if segment.has(flag::RST) {
            return Ok(());
        }
        if !is_opening || !(is_service || listens) {
            arrival::reset(peer, &segment, &mut context);
            return Ok(());
        }
        let purpose = if listens { Purpose::Socket(Held::default()) } else { Purpose::Theirs };
        let mut connection = Connection::new(key, purpose, first, context.parameters);
        connection.accept(&segment, &context);
        let handle = table.insert(connection);
        table.settle(now, handle, context.parameters);
        if listens {
            self.accepted.push_back(handle);
        }
        Ok(())
    }

    fn wake(&mut self, now: Instant, notices: &mut Vec<Notice>) {
        for (_, message) in self.refused.drain(..) {
            self.counters.messages_abandoned += 1;
            notices.push(Notice::Abandoned(message));
        }
        let (table, mut context) = self.parts(now, notices);
        while let Some(handle) = table.next_due(now) {
            if let Some(connection) = table.get_mut(handle) {
                connection.wake(&mut context);
            }
            table.settle(now, handle, context.parameters);
        }
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        let address = self.address;
        let mut nothing = Vec::new();
        let (table, mut context) = self.parts(now, &mut nothing);
        let (peer, segment, payload) = match context.answers.pop_front() {
            Some((peer, answer)) => (peer, answer, Tail::Length(0)),
            None => loop {
                let handle = table.next_turn()?;
                let Some(connection) = table.get_mut(handle) else { continue };
                let Some(choice) = connection.choose() else { continue };
                let segment = connection.make(choice, &mut context);
                let peer = connection.key.peer;
                let payload = match &connection.to_send {
                    Some(to_send) => to_send.payload(choice.start, segment.payload),
                    None => Tail::Length(segment.payload),
                };
                table.settle(now, handle, context.parameters);
                break (peer, segment, payload);
            },
        };
        context.counters.segments_sent += 1;
        Some(segment.packet(now, address, peer, payload))
    }

    fn is_ready(&self, _at: Instant) -> bool {
        // Pacers and timers release packets only when the transport is woken.
        !self.answers.is_empty() || self.table.has_turns()
    }

    fn deadline(&self) -> Option<Instant> {
        self.refused.first().map(|&(at, _)| at).into_iter().chain(self.table.deadline()).min()
    }

    fn waiting(&self, _now: Instant) -> Vec<UnfinishedWork> {
        self.table.waiting()
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.counters.tell(tell);
    }
}

impl Transport for Tcp {
    fn submit(&mut self, now: Instant, message: Message) -> Result<(), (Message, Refusal)> {
        let message = Refusal::unless_for_one_within(message, self.parameters.longest_content)?;
        // Ports below the ephemeral ones are those of services.
        let port = FIRST_SERVICE.checked_add(message.service).filter(|&port| port < FIRST_EPHEMERAL);
        let key = port.and_then(|remote_port| self.table.free_key(message.destination(), remote_port, message.number));
        let Some(key) = key else {
            self.counters.connections_refused += 1;
            self.refused.push((now, message));
            return Ok(());
        };
        let first = stream::first_number(message.number);
        let handle = self.table.insert(Connection::new(key, Purpose::Ours(message), first, &self.parameters));
        self.table.settle(now, handle, &self.parameters);
        Ok(())
    }

    fn progress(&self, tell: &mut dyn FnMut(MessageProgress)) {
        self.table.progress(tell);
    }

    fn senders(&self, _now: Instant, tell: &mut dyn FnMut(SenderState)) {
        self.table.senders(&self.parameters, tell);
    }
}

impl Snapshot for Tcp {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        let Self { address: _, parameters: _, table, answers, refused, random, listening, accepted, counters } = self;
        into.put(table)?;
        into.put(answers)?;
        into.put(refused)?;
        into.put(random)?;
        into.put(listening)?;
        into.put(accepted)?;
        into.put(counters)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.table = from.take()?;
        self.answers = from.take()?;
        self.refused = from.take()?;
        self.random = from.take()?;
        self.listening = from.take()?;
        self.accepted = from.take()?;
        self.counters = from.take()?;
        // A connection does not write down which algorithm it has: all of a host have the same.
        let algorithm = self.parameters.algorithm.0;
        self.table.connections().try_for_each(|connection| connection.sending.congestion.resume(algorithm))
    }
}

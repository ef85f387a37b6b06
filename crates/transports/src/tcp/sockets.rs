//! The user commands of RFC 9293 for connections that carry given bytes both ways, as they do between
//! any two programs: OPEN, SEND, RECEIVE, CLOSE, STATUS.

use basis::Instant;
use serde::{Deserialize, Serialize};

use super::Tcp;
use super::connection::{Connection, Context, FIN_WAIT, Purpose, State};
use super::stream::FIRST;
use crate::slots::Handle;

/// So many bytes wait in a connection at the most, to be sent or to be acknowledged; [`Tcp::send`] takes no more.
pub const SEND_BUFFER: usize = 4 << 20;

/// Names a connection that carries given bytes. It means this connection until it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Socket(pub(super) Handle);

/// What an application has to do with a connection that it holds as a socket.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Held {
    /// The application does not want to hear of it any more.
    pub is_released: bool,
    /// It ended by a RST, or because the other side was silent for too long.
    pub is_broken: bool,
}

/// What there is to know of a connection (STATUS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The handshake is over, so that bytes go both ways until they are closed.
    pub is_open: bool,
    /// Bytes that are here in order and were not received by the application.
    pub unread: usize,
    /// All that the other side will ever send was received by the application.
    pub has_ended: bool,
    /// All that we will ever send has arrived, and the other side knows that it is all.
    pub is_closed: bool,
    /// Bytes that are to be sent, or of which it is not known that they have arrived.
    pub unacknowledged: usize,
    /// Nothing happens to it any more: both sides have closed it, or it is broken.
    pub is_over: bool,
    /// It ended by a RST, or because the other side was silent for too long.
    pub is_broken: bool,
}

impl Tcp {
    /// Lets others open connections to a port; [`Tcp::accept`] has them (passive OPEN). Messages to a service whose port
    /// it is are no longer understood as such.
    pub fn listen(&mut self, port: u16) {
        if !self.listening.contains(&port) {
            self.listening.push(port);
        }
    }

    /// The next connection that another has opened to a port on which we listen, and the port.
    pub fn accept(&mut self) -> Option<(Socket, u16)> {
        while let Some(handle) = self.accepted.pop_front() {
            if let Some(connection) = self.table.get_mut(handle) {
                return Some((Socket(handle), connection.key.local_port));
            }
        }
        None
    }

    /// Begins a connection to a port of another host (active OPEN); `None` if all of our ports are taken.
    pub fn open(&mut self, now: Instant, peer: u32, remote_port: u16) -> Option<Socket> {
        // The first that is free from a place that is drawn (RFC 6056 says why).
        let number = self.random.bits() as u32;
        let first = self.random.bits() as u32;
        let key = self.table.free_key(peer, remote_port, number)?;
        let mut connection = Connection::new(key, Purpose::Socket(Held::default()), first, &self.parameters);
        connection.state = State::SynSent;
        let handle = self.table.insert(connection);
        self.table.settle(now, handle, &self.parameters);
        Some(Socket(handle))
    }

    /// Takes bytes to send, as many as there is room for, and says how many (SEND). None after [`Tcp::close`].
    pub fn send(&mut self, now: Instant, socket: Socket, bytes: &[u8]) -> usize {
        let Some(connection) = self.table.get_mut(socket.0) else { return 0 };
        let count = connection.append(bytes);
        self.table.settle(now, socket.0, &self.parameters);
        count
    }

    /// Puts all bytes that are here in order behind those of `into`, and says how many (RECEIVE).
    pub fn receive_bytes(&mut self, now: Instant, socket: Socket, into: &mut Vec<u8>) -> usize {
        let mut notices = Vec::new();
        let (table, mut context) = self.parts(now, &mut notices);
        let Some(connection) = table.get_mut(socket.0) else { return 0 };
        let count = connection.take(into, &mut context);
        table.settle(now, socket.0, context.parameters);
        count
    }

    /// Nothing more will be sent (CLOSE). The other side may still send.
    pub fn close(&mut self, now: Instant, socket: Socket) {
        let Some(connection) = self.table.get_mut(socket.0) else { return };
        connection.sending.may_finish = true;
        self.table.settle(now, socket.0, &self.parameters);
    }

    /// The application forgets a connection. What was taken to be sent still goes, and the connection is closed behind it.
    /// What arrives is thrown away.
    pub fn release(&mut self, now: Instant, socket: Socket) {
        let Some(connection) = self.table.get_mut(socket.0) else { return };
        connection.release(now);
        self.table.settle(now, socket.0, &self.parameters);
    }

    /// What there is to know of a connection; of one that was released, that it is over.
    pub fn status(&self, socket: Socket) -> Status {
        let over = Status { is_over: true, ..Status::default() };
        self.table.get(socket.0).and_then(Connection::status).unwrap_or(over)
    }
}

impl Connection {
    /// Takes bytes to send; says how many.
    fn append(&mut self, bytes: &[u8]) -> usize {
        let Some(to_send) = self.to_send.as_mut().filter(|_| !self.sending.may_finish) else { return 0 };
        let count = bytes.len().min(SEND_BUFFER.saturating_sub(to_send.unacknowledged()));
        to_send.append(bytes[..count].into());
        self.sending.lengthen(count as u64);
        count
    }

    /// Hands on what is here in order.
    fn take(&mut self, into: &mut Vec<u8>, context: &mut Context) -> usize {
        let (Some(received), Some(receiving)) = (&mut self.received, &mut self.receiving) else { return 0 };
        let count = received.take(FIRST + receiving.bytes(), into);
        if receiving.taken(count, context.parameters) && self.state != State::Closed {
            self.acknowledge(context);
        }
        count as usize
    }

    fn release(&mut self, now: Instant) {
        let Purpose::Socket(held) = &mut self.purpose else { return };
        held.is_released = true;
        self.received = None;
        self.sending.may_finish = true;
        if let Some(receiving) = &mut self.receiving {
            receiving.unread = 0;
        }
        if self.state == State::FinWait2 {
            self.ends = Some(now + FIN_WAIT);
        }
    }

    fn status(&self) -> Option<Status> {
        let Purpose::Socket(held) = &self.purpose else { return None };
        let receiving = self.receiving.as_ref();
        let unread = receiving.map_or(0, |receiving| receiving.unread as usize);
        Some(Status {
            is_open: !matches!(self.state, State::SynSent | State::SynReceived | State::Closed),
            unread,
            has_ended: unread == 0 && receiving.is_some_and(|receiving| receiving.is_finished()),
            is_closed: self.sending.is_done(),
            unacknowledged: self.to_send.as_ref().map_or(0, |to_send| to_send.unacknowledged()),
            is_over: self.state == State::Closed,
            is_broken: held.is_broken,
        })
    }
}

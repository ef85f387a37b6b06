//! The user commands of RFC 9293, for connections that carry bytes in both directions as between any two programs:
//! OPEN, SEND, RECEIVE, CLOSE and STATUS.

use basis::Instant;
use serde::{Deserialize, Serialize};

use super::Tcp;
use super::connection::{Connection, ConnectionState, Context, FIN_WAIT, Purpose};
use super::stream::FIRST;
use crate::slots::Handle;

/// The capacity of a connection's send buffer in bytes. It holds the bytes that wait to be sent or acknowledged; when
/// it is full, [`Tcp::send`] accepts no more.
pub const SEND_BUFFER: usize = 4 << 20;

/// The handle of a connection that carries bytes. It stays valid until it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Socket(pub(super) Handle);

/// The application's side of a connection that it holds as a socket.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Held {
    /// The application has released the connection.
    pub is_released: bool,
    /// The connection was ended by a RST, or because the peer was silent for too long.
    pub is_broken: bool,
}

/// The status of a connection (STATUS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The handshake is complete, and the connection has not ended.
    pub is_open: bool,
    /// The number of bytes that have arrived in order and that the application has not received.
    pub unread: usize,
    /// The peer has closed its side, and the application has received everything that the peer sent.
    pub has_ended: bool,
    /// This side is closed, and the peer has acknowledged everything, including the FIN.
    pub is_closed: bool,
    /// The number of bytes that are still to be sent or acknowledged.
    pub unacknowledged: usize,
    /// The connection has ended: both sides have closed it, or it is broken.
    pub is_over: bool,
    /// The connection was ended by a RST, or because the peer was silent for too long.
    pub is_broken: bool,
}

impl Tcp {
    /// Listens on a port (passive OPEN). Connections that other hosts open to it are returned by [`Tcp::accept`]. If
    /// the port is that of a service, messages to this service are no longer recognized as such.
    pub fn listen(&mut self, port: u16) {
        if !self.listening.contains(&port) {
            self.listening.push(port);
        }
    }

    /// Returns the next connection that another host has opened to a port on which this host listens, and the port.
    pub fn accept(&mut self) -> Option<(Socket, u16)> {
        while let Some(handle) = self.accepted.pop_front() {
            if let Some(connection) = self.table.get_mut(handle) {
                return Some((Socket(handle), connection.key.local_port));
            }
        }
        None
    }

    /// Opens a connection to a port of another host (active OPEN). Returns `None` if all local ports are in use.
    pub fn open(&mut self, now: Instant, peer: u32, remote_port: u16) -> Option<Socket> {
        // The search for a free port begins at a random one (RFC 6056 gives the reasons).
        let number = self.random.bits() as u32;
        let first = self.random.bits() as u32;
        let key = self.table.free_key(peer, remote_port, number)?;
        let mut connection = Connection::new(key, Purpose::Socket(Held::default()), first, &self.parameters);
        connection.state = ConnectionState::SynSent;
        let handle = self.table.insert(connection);
        self.table.settle(now, handle, &self.parameters);
        Some(Socket(handle))
    }

    /// Accepts as many bytes to send as the buffer has room for, and returns their number (SEND). After [`Tcp::close`],
    /// it accepts none.
    pub fn send(&mut self, now: Instant, socket: Socket, bytes: &[u8]) -> usize {
        let Some(connection) = self.table.get_mut(socket.0) else { return 0 };
        let count = connection.append(bytes);
        self.table.settle(now, socket.0, &self.parameters);
        count
    }

    /// Appends all bytes that have arrived in order to `into`, and returns their number (RECEIVE).
    pub fn receive_bytes(&mut self, now: Instant, socket: Socket, into: &mut Vec<u8>) -> usize {
        let mut notices = Vec::new();
        let (table, mut context) = self.parts(now, &mut notices);
        let Some(connection) = table.get_mut(socket.0) else { return 0 };
        let count = connection.take(into, &mut context);
        table.settle(now, socket.0, context.parameters);
        count
    }

    /// Closes the sending side of a connection (CLOSE). The peer may still send.
    pub fn close(&mut self, now: Instant, socket: Socket) {
        let Some(connection) = self.table.get_mut(socket.0) else { return };
        connection.sending.may_finish = true;
        self.table.settle(now, socket.0, &self.parameters);
    }

    /// Releases a connection. Accepted bytes are still sent, and the connection is closed after them. Arriving bytes
    /// are discarded.
    pub fn release(&mut self, now: Instant, socket: Socket) {
        let Some(connection) = self.table.get_mut(socket.0) else { return };
        connection.release(now);
        self.table.settle(now, socket.0, &self.parameters);
    }

    /// Returns the status of a connection. A released connection counts as ended.
    pub fn status(&self, socket: Socket) -> Status {
        let over = Status { is_over: true, ..Status::default() };
        self.table.get(socket.0).and_then(Connection::status).unwrap_or(over)
    }
}

impl Connection {
    /// Accepts bytes to send, and returns their number.
    fn append(&mut self, bytes: &[u8]) -> usize {
        let Some(to_send) = self.to_send.as_mut().filter(|_| !self.sending.may_finish) else { return 0 };
        let count = bytes.len().min(SEND_BUFFER.saturating_sub(to_send.unacknowledged()));
        to_send.append(bytes[..count].into());
        self.sending.lengthen(count as u64);
        count
    }

    /// Moves the bytes that have arrived in order to `into`, and returns their number.
    fn take(&mut self, into: &mut Vec<u8>, context: &mut Context) -> usize {
        let (Some(received), Some(receiving)) = (&mut self.received, &mut self.receiving) else { return 0 };
        let count = received.take(FIRST + receiving.bytes(), into);
        if receiving.taken(count, context.parameters) && self.state != ConnectionState::Closed {
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
        if self.state == ConnectionState::FinWait2 {
            self.ends = Some(now + FIN_WAIT);
        }
    }

    fn status(&self) -> Option<Status> {
        let Purpose::Socket(held) = &self.purpose else { return None };
        let receiving = self.receiving.as_ref();
        let unread = receiving.map_or(0, |receiving| receiving.unread as usize);
        Some(Status {
            is_open: !matches!(
                self.state,
                ConnectionState::SynSent | ConnectionState::SynReceived | ConnectionState::Closed
            ),
            unread,
            has_ended: unread == 0 && receiving.is_some_and(|receiving| receiving.is_finished()),
            is_closed: self.sending.is_done(),
            unacknowledged: self.to_send.as_ref().map_or(0, |to_send| to_send.unacknowledged()),
            is_over: self.state == ConnectionState::Closed,
            is_broken: held.is_broken,
        })
    }
}

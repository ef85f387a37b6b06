//! The connection table of a host, with the queue of connections that may send and the heap of timers.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use basis::Instant;
use node::{MessageProgress, SenderState, UnfinishedWork};
use serde::{Deserialize, Serialize};

use super::TcpParameters;
use super::connection::{Connection, ConnectionState, Key, Purpose};
use super::segment::FIRST_EPHEMERAL;
use super::stream::message_number;
use crate::integer_hasher::IntegerHasher;
use crate::slots::{Handle, Slots};
use crate::transport::description;

/// The connections of a host.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Table {
    connections: Slots<Connection>,
    keys: HashMap<u64, Handle, BuildHasherDefault<IntegerHasher>>,
    /// The connections that may send, in round-robin order of one segment each.
    turns: VecDeque<Handle>,
    /// The times at which to examine connections. An entry is outdated if its time differs from
    /// [`Connection::scheduled`]. Entries are examined only when they are due, so that acknowledgements need not move
    /// them.
    timers: BinaryHeap<Reverse<(Instant, Handle)>>,
}

impl Table {
    pub fn find(&self, key: Key) -> Option<Handle> {
        self.keys.get(&key.bits()).copied()
    }

    pub fn get(&self, handle: Handle) -> Option<&Connection> {
        self.connections.get(handle)
    }

    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut Connection> {
        self.connections.get_mut(handle)
    }

    /// All connections, in the order of their slots.
    pub fn connections(&mut self) -> impl Iterator<Item = &mut Connection> {
        self.connections.iter_mut()
    }

    pub fn insert(&mut self, connection: Connection) -> Handle {
        let key = connection.key.bits();
        let handle = self.connections.insert(connection);
        self.keys.insert(key, handle);
        handle
    }

    /// Returns a key for a new connection: the local port is derived from `number`, or is the next one that is free.
    pub fn free_key(&self, peer: u32, remote_port: u16, number: u32) -> Option<Key> {
        let ports = u32::from(u16::MAX - FIRST_EPHEMERAL) + 1;
        let key = |step: u32| {
            let local_port = FIRST_EPHEMERAL + (number.wrapping_add(step) % ports) as u16;
            Key { peer, remote_port, local_port }
        };
        (0..ports).map(key).find(|&key| self.find(key).is_none())
    }

    /// Must be called after every change of a connection: queues it for the link if it may send, sets its timer, and
    /// removes it if it is closed.
    pub fn settle(&mut self, now: Instant, handle: Handle, parameters: &TcpParameters) {
        let Some(connection) = self.connections.get_mut(handle) else { return };
        if connection.state == ConnectionState::Closed {
            let key = connection.key.bits();
            // While an application holds the connection, its status can still be read, but its ports are free.
            if !connection.is_held() {
                self.connections.remove(handle);
            }
            if self.keys.get(&key) == Some(&handle) {
                self.keys.remove(&key);
            }
            // Entries of removed connections are dropped, so that a host that has nothing left to do is not woken.
            while let Some(&Reverse((_, handle))) = self.timers.peek()
                && self.connections.get(handle).is_none()
            {
                self.timers.pop();
            }
            return;
        }
        if connection.sending.must_ask() && connection.sending.timer.is_none() {
            connection.sending.timer = Some(now + connection.sending.timeout.length(parameters));
        }
        let mut deadline = connection.deadline();
        if !connection.is_queued
            && let Some(at) = connection.next_send(now, parameters)
        {
            if at <= now {
                connection.is_queued = true;
                self.turns.push_back(handle);
            } else {
                deadline = deadline.into_iter().chain([at]).min();
            }
        }
        if let Some(deadline) = deadline
            && connection.scheduled.is_none_or(|scheduled| scheduled > deadline)
        {
            connection.scheduled = Some(deadline);
            self.timers.push(Reverse((deadline, handle)));
        }
    }

    /// Returns the next connection that may send now.
    pub fn next_turn(&mut self) -> Option<Handle> {
        while let Some(handle) = self.turns.pop_front() {
            if let Some(connection) = self.connections.get_mut(handle) {
                connection.is_queued = false;
                return Some(handle);
            }
        }
        None
    }

    pub fn has_turns(&self) -> bool {
        !self.turns.is_empty()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.timers.peek().map(|&Reverse((at, _))| at)
    }

    /// Returns the next connection whose timers are due.
    pub fn next_due(&mut self, now: Instant) -> Option<Handle> {
        while let Some(&Reverse((at, handle))) = self.timers.peek()
            && at <= now
        {
            self.timers.pop();
            if let Some(connection) = self.connections.get_mut(handle)
                && connection.scheduled == Some(at)
            {
                connection.scheduled = None;
                return Some(handle);
            }
        }
        None
    }

    /// Reports, for each message that is arriving, the number of bytes received in order.
    pub fn progress(&self, tell: &mut dyn FnMut(MessageProgress)) {
        for connection in self.connections.iter() {
            if let (Purpose::Theirs, Some(receiving)) = (&connection.purpose, &connection.receiving) {
                let message = message_number(receiving.stream.first);
                tell(MessageProgress { source: connection.key.peer, message, bytes: receiving.bytes() });
            }
        }
    }

    /// Reports what is known of each unfinished message of this host.
    pub fn senders(&self, parameters: &TcpParameters, tell: &mut dyn FnMut(SenderState)) {
        let open = self.connections.iter().filter(|connection| !connection.is_reported);
        open.filter_map(|connection| connection.sender_state(parameters)).for_each(tell);
    }

    /// Returns the unfinished messages of this host, each with what it waits for.
    pub fn waiting(&self) -> Vec<UnfinishedWork> {
        let mut open: Vec<_> = self.connections.iter().filter(|connection| !connection.is_reported).collect();
        open.sort_unstable_by_key(|connection| connection.message().map(|message| message.number));
        let waiting = open.into_iter().filter_map(|connection| {
            Some(UnfinishedWork { what: description(connection.message()?), why: connection.explain() })
        });
        waiting.collect()
    }
}

impl Connection {
    fn explain(&self) -> String {
        let sending = &self.sending;
        let what = match (self.state, self.choose()) {
            (_, Some(_)) => "its turn on the link".to_owned(),
            (ConnectionState::SynSent, None) => "an answer to its SYN".to_owned(),
            (_, None) if sending.in_flight() == 0 => "the peer's window to open".to_owned(),
            (_, None) => format!("acknowledgements for {} bytes", sending.in_flight()),
        };
        match sending.timeouts {
            0 => what,
            timeouts => format!("{what}; {timeouts} timeouts since the last acknowledgement"),
        }
    }
}

//! What happens to an interface of Linux, as the kernel tells by netlink (rtnetlink(7)).

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use netlink_packet_core::{NetlinkMessage, NetlinkPayload};
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

use crate::InterfaceEvent;
use crate::link_message::{Link, LinkMessage, request_of};

/// The multicast group of notices about links (RTMGRP_LINK).
const LINKS: u32 = 1;
/// The room in bytes for the messages of one call; the kernel sends no more than 32 KB at once.
const ROOM: usize = 1 << 15;
/// The length of an Ethernet header, which the MTU does not count.
const ETHERNET: u32 = 14;

/// Watches the interface of a name in one network namespace.
pub struct LinkWatch {
    socket: Socket,
    name: String,
    /// The number that the interface has while there is one.
    index: Option<u32>,
    /// Whether the interface carries packets, as far as it was told.
    is_up: bool,
    longest_frame: Option<u32>,
    happened: VecDeque<InterfaceEvent>,
    buffer: Vec<u8>,
}

impl LinkWatch {
    /// Watches the interface of a name in the network namespace of this thread. Its state and its longest frame are known
    /// when this returns; if it is down, that is the first event.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn new(name: &str, index: u32) -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind(&SocketAddr::new(0, LINKS))?;
        socket.set_non_blocking(true)?;
        let mut watch = Self {
            socket,
            name: name.to_owned(),
            index: Some(index),
            is_up: true,
            longest_frame: None,
            happened: VecDeque::new(),
            buffer: Vec::with_capacity(ROOM),
        };
        watch.ask()?;
        watch.read()?;
        // The interface is as it was found.
        watch.happened.retain(|event| !matches!(event, InterfaceEvent::LongestFrame(_)));
        Ok(watch)
    }

    /// Returns a descriptor that is readable when there may be an event.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Returns true if the interface carries packets, as far as it was told.
    #[cfg(feature = "af_xdp")]
    pub fn is_up(&self) -> bool {
        self.is_up
    }

    /// Returns the longest frame that the interface sends.
    pub fn longest_frame(&self) -> Option<u32> {
        self.longest_frame
    }

    /// Returns the number that the interface has while there is one.
    pub fn index(&self) -> Option<u32> {
        self.index
    }

    /// Returns the next event, if there is one.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn next(&mut self) -> io::Result<Option<InterfaceEvent>> {
        if self.happened.is_empty() {
            self.read()?;
        }
        Ok(self.happened.pop_front())
    }

    /// Asks the kernel for the present state of the interface; the answer comes like a notice.
    fn ask(&self) -> io::Result<()> {
        self.socket.send(&request_of(&self.name), 0)?;
        Ok(())
    }

    /// Reads the notices that wait.
    fn read(&mut self) -> io::Result<()> {
        loop {
            self.buffer.clear();
            match self.socket.recv(&mut self.buffer, 0) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // Notices were lost: there were more than the socket holds.
                Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NOBUFS.raw_os_error()) => {
                    self.ask()?;
                    continue;
                }
                Err(error) => return Err(error),
            }
            let buffer = std::mem::take(&mut self.buffer);
            let mut rest = &buffer[..];
            // A message that is not understood ends the packet; it is of no kind that matters here.
            while let Ok(message) = NetlinkMessage::<LinkMessage>::deserialize(rest) {
                rest = rest.get((message.header.length as usize).next_multiple_of(4)..).unwrap_or(&[]);
                match message.payload {
                    NetlinkPayload::InnerMessage(LinkMessage::There(link)) => self.is_there(&link),
                    NetlinkPayload::InnerMessage(LinkMessage::Gone(link)) => self.is_gone(&link),
                    _ => {}
                }
            }
            self.buffer = buffer;
        }
    }

    /// Handles a notice of an interface that is there.
    fn is_there(&mut self, link: &Link) {
        // Bridges tell of their ports as well.
        if !link.is_of_interface {
            return;
        }
        match self.index {
            Some(index) if index == link.index => {}
            None if link.is_named(&self.name) => {
                self.index = Some(link.index);
                self.happened.push_back(InterfaceEvent::Returned);
            }
            _ => return,
        }
        let longest_frame = link.mtu().map(|mtu| mtu.saturating_add(ETHERNET));
        if let Some(longest) = longest_frame.filter(|_| longest_frame != self.longest_frame) {
            self.longest_frame = longest_frame;
            self.happened.push_back(InterfaceEvent::LongestFrame(longest));
        }
        let is_up = link.is_up();
        if is_up != self.is_up {
            self.is_up = is_up;
            self.happened.push_back(if is_up { InterfaceEvent::Up } else { InterfaceEvent::Down });
        }
    }

    /// Handles a notice of an interface that is gone: removed, or in another network namespace.
    fn is_gone(&mut self, link: &Link) {
        if link.is_of_interface && self.index == Some(link.index) {
            self.index = None;
            self.is_up = false;
            self.happened.push_back(InterfaceEvent::Removed);
        }
    }
}

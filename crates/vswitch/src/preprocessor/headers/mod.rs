//! The headers of packets, found before the switch is given them: by a program of BPF in front of AF_XDP sockets, as far as it can, else
//! by software.

mod format;
mod program;
mod reach;

use wire::{Layers, Packet};

pub use format::{LENGTH, Mark, Written, read};
pub use program::program;
pub(crate) use reach::{reach, reached};

/// Where the headers of a packet are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// The headers of the packet; of one in a tunnel the outer ones.
    pub outer: Layers,
    /// The headers of the frame in a VXLAN tunnel, by offsets from the start of the packet, if they were looked for and found already.
    pub inner: Option<Layers>,
}

impl Headers {
    /// Finds the headers of a packet in its bytes, and moves those of its tail that are read into its head. Headers in a tunnel are not looked
    /// for.
    pub fn of(packet: &mut Packet) -> Self {
        Self { outer: reach(packet), inner: None }
    }
}

/// How the headers of packets that have passed the program were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderCounts {
    /// The program has found them.
    pub by_program: u64,
    /// The program has left them to software: they are of other protocols, too long or too many, or damaged.
    pub left: u64,
    /// The bytes in front of the packet are not the program's.
    pub foreign: u64,
}

/// Finds headers, with the help of the program if there is one.
#[derive(Debug)]
pub(crate) struct HeaderReader {
    mark: Mark,
    pub is_believed: bool,
    pub counts: HeaderCounts,
}

impl HeaderReader {
    /// Creates a reader that believes what the program with a mark has written, or nobody.
    pub fn new(mark: Mark, is_believed: bool) -> Self {
        Self { mark, is_believed, counts: HeaderCounts::default() }
    }

    /// Finds the headers of a packet, and moves the bytes of its tail that are read into its head.
    pub fn headers(&mut self, packet: &mut Packet) -> Headers {
        if !self.is_believed || packet.head.metadata().is_empty() {
            return Headers::of(packet);
        }
        let count = match read(packet, self.mark) {
            Written::Headers(headers) => {
                self.counts.by_program += 1;
                reached(packet, headers.outer);
                return headers;
            }
            Written::Left => &mut self.counts.left,
            Written::Foreign => &mut self.counts.foreign,
        };
        *count += 1;
        Headers::of(packet)
    }

    /// Returns the mark of the program that is believed.
    pub fn mark(&self) -> Mark {
        self.mark
    }
}

//! The packets inside: a slab of dense arrays, so that stages and queues pass small numbers around.

use serde::{Deserialize, Serialize};
use wire::Packet;

use super::queue::Place;
use crate::engine::Code;

/// A place that holds no packet.
pub(super) const FREE: u32 = u32::MAX;

/// No pipeline.
pub(super) const NOWHERE: u8 = u8::MAX;

/// What travels with a packet through the stages, beside its values.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Traveller {
    /// Its place in the order of arrival at this machine.
    pub(super) order: u64,
    /// The cycle in which its addresses were resolved.
    pub(super) resolved: u64,
    /// The stage of the program that it goes through next: all before it are computed. One further down than where
    /// the packet is if it was recirculated; one further up if what lies between was not needed yet.
    pub(super) next: u16,
    /// The port on which it came in.
    pub(super) port: u16,
    /// How often it was recirculated.
    pub(super) recirculations: u32,
    /// The pipeline in which its addresses were resolved: the FIFO in which its phantoms wait.
    pub(super) source: u8,
    /// The pipeline that it is on its way to by recirculation, or [`NOWHERE`].
    pub(super) detour: u8,
    /// False for a packet that the program does not apply to.
    pub(super) applies: bool,
    /// Marked for congestion.
    pub(super) marked: bool,
}

/// Where a packet's phantom for an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Phantom {
    /// There is none, or its data packet has taken its place.
    None,
    /// In the phantom channel.
    Travelling,
    /// In the phantom channel, and its data packet waits for it where it is going to: so it can be only where
    /// pipelines are updated one after the other and packets gain cycles on the channel.
    Awaited,
    /// In the queue of its stage: the directory's entry (section 3.2).
    Queued(Place),
    /// Its FIFO was full.
    Lost,
}

/// What address resolution has found out about one access of one packet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Tag {
    /// The index, of a sharded access.
    pub(super) index: u32,
    pub(super) phantom: Phantom,
    /// The pipeline of the access.
    pub(super) pipeline: u8,
    /// True from address resolution until the access is made, or found not to be.
    pub(super) pending: bool,
}

const UNTAGGED: Tag = Tag { index: 0, phantom: Phantom::None, pipeline: NOWHERE, pending: false };

/// The slab.
#[derive(Debug, Default)]
pub(super) struct Packets {
    /// What is only looked at on the way in and out.
    contents: Vec<Option<Packet>>,
    travellers: Vec<Traveller>,
    frames: Vec<u64>,
    frame_length: usize,
    tags: Vec<Tag>,
    accesses: usize,
    free: Vec<u32>,
}

impl Packets {
    pub(super) fn new(code: &Code, accesses: usize) -> Self {
        Self { frame_length: code.frame_length(), accesses, ..Self::default() }
    }

    /// How many packets there are.
    pub(super) fn len(&self) -> usize {
        self.contents.len() - self.free.len()
    }

    /// Takes a packet in, with the frame of a new packet and no tags.
    pub(super) fn add(&mut self, packet: Packet, port: u16, code: &Code) -> u32 {
        let traveller = Traveller {
            order: 0,
            resolved: 0,
            next: 0,
            port,
            recirculations: 0,
            source: NOWHERE,
            detour: NOWHERE,
            applies: true,
            marked: false,
        };
        let id = if let Some(id) = self.free.pop() {
            let place = id as usize;
            self.contents[place] = Some(packet);
            self.travellers[place] = traveller;
            self.tags[place * self.accesses..][..self.accesses].fill(UNTAGGED);
            id
        } else {
            self.contents.push(Some(packet));
            self.travellers.push(traveller);
            self.frames.resize(self.frames.len() + self.frame_length, 0);
            self.tags.resize(self.tags.len() + self.accesses, UNTAGGED);
            self.contents.len() as u32 - 1
        };
        code.clear(self.frame_mut(id));
        id
    }

    /// Gives a packet away.
    pub(super) fn remove(&mut self, id: u32) -> Packet {
        self.free.push(id);
        self.contents[id as usize].take().expect("a packet is removed once")
    }

    #[inline]
    pub(super) fn content(&self, id: u32) -> &Packet {
        self.contents[id as usize].as_ref().expect("the packet is inside")
    }

    #[inline]
    pub(super) fn traveller(&self, id: u32) -> &Traveller {
        &self.travellers[id as usize]
    }

    #[inline]
    pub(super) fn traveller_mut(&mut self, id: u32) -> &mut Traveller {
        &mut self.travellers[id as usize]
    }

    #[inline]
    pub(super) fn frame(&self, id: u32) -> &[u64] {
        &self.frames[id as usize * self.frame_length..][..self.frame_length]
    }

    #[inline]
    pub(super) fn frame_mut(&mut self, id: u32) -> &mut [u64] {
        &mut self.frames[id as usize * self.frame_length..][..self.frame_length]
    }

    /// The stage that a packet goes through next, and its frame.
    #[inline]
    pub(super) fn next_and_frame(&mut self, id: u32) -> (&mut u16, &mut [u64]) {
        let frame = &mut self.frames[id as usize * self.frame_length..][..self.frame_length];
        (&mut self.travellers[id as usize].next, frame)
    }

    /// A packet's frame and its tags.
    #[inline]
    pub(super) fn frame_and_tags(&mut self, id: u32) -> (&[u64], &mut [Tag]) {
        let frame = &self.frames[id as usize * self.frame_length..][..self.frame_length];
        (frame, &mut self.tags[id as usize * self.accesses..][..self.accesses])
    }

    /// A packet and its frame, to load the one from the other.
    pub(super) fn content_and_frame(&mut self, id: u32) -> (&Packet, &mut [u64]) {
        let content = self.contents[id as usize].as_ref().expect("the packet is inside");
        (content, &mut self.frames[id as usize * self.frame_length..][..self.frame_length])
    }

    /// All packets.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> {
        self.contents.iter().zip(0..).filter(|(content, _)| content.is_some()).map(|(_, id)| id)
    }

    /// The frames of all packets.
    pub(super) fn frames(&self) -> impl Iterator<Item = &[u64]> {
        self.ids().map(|id| self.frame(id))
    }

    #[inline]
    pub(super) fn tag(&self, id: u32, access: usize) -> Tag {
        self.tags[id as usize * self.accesses + access]
    }

    #[inline]
    pub(super) fn tag_mut(&mut self, id: u32, access: usize) -> &mut Tag {
        &mut self.tags[id as usize * self.accesses + access]
    }
}

basis::snapshot!(Packets { values contents, travellers, frames, tags, free; });

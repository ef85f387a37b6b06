//! The packets inside: a slab of dense arrays, so that stages and queues pass small numbers around.

use serde::{Deserialize, Serialize};
use wire::Packet;

use super::queue::QueuePosition;
use crate::engine::Code;

/// The mark of a cell that holds no packet.
pub(super) const FREE: u32 = u32::MAX;

/// The mark for no pipeline.
pub(super) const NOWHERE: u8 = u8::MAX;

/// The metadata that travels with a packet through the stages, apart from its values.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Traveller {
    /// The number of the packet in order of arrival at this machine.
    pub(super) order: u64,
    /// The cycle in which its addresses were resolved.
    pub(super) resolved: u64,
    /// The next stage of the program that must be executed for the packet. It is behind the packet's position if the
    /// stages between were not needed yet, and ahead of it if the packet was recirculated.
    pub(super) next: u16,
    /// The ingress port.
    pub(super) port: u16,
    /// The number of times the packet was recirculated.
    pub(super) recirculations: u32,
    /// The pipeline in which its addresses were resolved, which determines the FIFO in which its phantoms wait.
    pub(super) source: u8,
    /// The pipeline to which it is recirculating, or [`NOWHERE`].
    pub(super) detour: u8,
    /// Whether the program applies to the packet.
    pub(super) applies: bool,
    /// Whether the packet is marked for congestion.
    pub(super) marked: bool,
}

impl Traveller {
    /// Creates the metadata of a packet that has just arrived.
    #[inline]
    pub(super) fn new(port: u16, applies: bool) -> Self {
        Self {
            order: 0,
            resolved: 0,
            next: 0,
            port,
            recirculations: 0,
            source: NOWHERE,
            detour: NOWHERE,
            applies,
            marked: false,
        }
    }
}

/// The position of a packet's phantom for an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Phantom {
    /// There is no phantom, or the data packet has taken its place.
    None,
    /// The phantom is in the phantom channel.
    Travelling,
    /// The phantom is in the phantom channel, and its data packet already waits for it at the destination. This happens
    /// only if pipelines are updated one after the other, which lets packets gain cycles on the channel.
    Awaited,
    /// The phantom is in the queue of its stage, at the position that the directory holds (section 3.2).
    Queued(QueuePosition),
    /// The phantom was dropped because its FIFO was full.
    Lost,
}

/// The result of address resolution for one access of one packet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Tag {
    /// The index, if the access is sharded.
    pub(super) index: u32,
    pub(super) phantom: Phantom,
    /// The pipeline of the access.
    pub(super) pipeline: u8,
    /// True from address resolution until the access has been made or is known not to happen.
    pub(super) pending: bool,
}

const UNTAGGED: Tag = Tag { index: 0, phantom: Phantom::None, pipeline: NOWHERE, pending: false };

/// The slab of all packets inside.
#[derive(Debug, Default)]
pub(super) struct Packets {
    /// The packets themselves, which are accessed only on the way in and out.
    contents: Vec<Option<Packet>>,
    travellers: Vec<Traveller>,
    frames: Vec<u64>,
    frame_length: usize,
    /// The tags by packet and access. Behind those of the last packet are tags for no packet, which say that it makes no access.
    tags: Vec<Tag>,
    accesses: usize,
    free: Vec<u32>,
}

impl Packets {
    pub(super) fn new(code: &Code, accesses: usize) -> Self {
        Self { frame_length: code.frame_length(), tags: vec![UNTAGGED; accesses], accesses, ..Self::default() }
    }

    /// Returns the number of packets inside.
    pub(super) fn len(&self) -> usize {
        self.contents.len() - self.free.len()
    }

    /// Returns the id for the next packet, and its frame, which is an initial one. [`Packets::add`] must follow.
    #[inline]
    pub(super) fn prepare(&mut self, code: &Code) -> (u32, &mut [u64]) {
        let id = match self.free.pop() {
            Some(id) => id,
            None => self.grow(),
        };
        let frame = self.frame_mut(id);
        code.clear(frame);
        (id, frame)
    }

    #[cold]
    fn grow(&mut self) -> u32 {
        let Self { contents, travellers, frames, frame_length, tags, accesses, .. } = self;
        if contents.len() == contents.capacity() {
            // Copying what there is costs time, while reserved memory that is not used costs only addresses.
            let more = (3 * contents.len()).max(64);
            contents.reserve_exact(more);
            travellers.reserve_exact(more);
            frames.reserve_exact(more * *frame_length);
            tags.reserve_exact(more * *accesses);
        }
        self.contents.push(None);
        self.travellers.push(Traveller::new(0, false));
        self.frames.resize(self.frames.len() + self.frame_length, 0);
        self.tags.resize(self.tags.len() + self.accesses, UNTAGGED);
        self.contents.len() as u32 - 1
    }

    /// Adds the packet for which an id was prepared. Its tags are those of an earlier packet until its addresses are resolved;
    /// those of a packet to which the program does not apply never are, and say that it makes no access.
    #[inline]
    pub(super) fn add(&mut self, id: u32, packet: Packet, traveller: Traveller) {
        let place = id as usize;
        self.contents[place] = Some(packet);
        self.travellers[place] = traveller;
        if !traveller.applies {
            self.tags[place * self.accesses..][..self.accesses].fill(UNTAGGED);
        }
    }

    /// Removes and returns a packet.
    #[inline]
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

    /// Returns a packet's tag for an access, or one that says that there is no access if there is no packet ([`FREE`]). Whether there
    /// is one is hardly ever predictable, so nothing branches on it.
    #[inline]
    fn tag_of_any(&self, id: u32, access: usize) -> &Tag {
        let place = (id as usize).min(self.contents.len());
        &self.tags[place * self.accesses + access]
    }

    /// Returns true if a packet still has to make an access; false if there is no packet.
    #[inline]
    pub(super) fn is_pending(&self, id: u32, access: usize) -> bool {
        self.tag_of_any(id, access).pending
    }

    /// Returns true if a packet's phantom for an access travels; false if there is no packet.
    #[inline]
    pub(super) fn has_travelling(&self, id: u32, access: usize) -> bool {
        self.tag_of_any(id, access).phantom == Phantom::Travelling
    }

    /// Returns a packet's frame and its tags.
    #[inline]
    pub(super) fn frame_and_tags(&mut self, id: u32) -> (&[u64], &mut [Tag]) {
        let frame = &self.frames[id as usize * self.frame_length..][..self.frame_length];
        (frame, &mut self.tags[id as usize * self.accesses..][..self.accesses])
    }

    /// Returns a packet's tags by access.
    #[inline]
    pub(super) fn tags_mut(&mut self, id: u32) -> &mut [Tag] {
        &mut self.tags[id as usize * self.accesses..][..self.accesses]
    }

    /// Returns the ids of all packets inside.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> {
        self.contents.iter().zip(0..).filter(|(content, _)| content.is_some()).map(|(_, id)| id)
    }

    /// Returns the frames of all packets inside.
    pub(super) fn frames(&self) -> impl Iterator<Item = &[u64]> {
        self.ids().map(|id| self.frame(id))
    }

    #[inline]
    pub(super) fn tag(&self, id: u32, access: usize) -> Tag {
        self.tags[id as usize * self.accesses + access]
    }

    /// Notes that an access of a packet was made, or never will be, and returns its index.
    #[inline]
    pub(super) fn end_access(&mut self, id: u32, access: usize) -> usize {
        let tag = self.tag_mut(id, access);
        tag.pending = false;
        tag.index as usize
    }

    #[inline]
    pub(super) fn tag_mut(&mut self, id: u32, access: usize) -> &mut Tag {
        &mut self.tags[id as usize * self.accesses + access]
    }
}

basis::snapshot!(Packets { values contents, travellers, frames, tags, free; });

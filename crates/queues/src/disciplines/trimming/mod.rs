//! Packet trimming: a packet that finds no room loses its payload instead of being dropped.
//!
//! Cut payload (Cheng et al., "Catch the Whole Lot in an Action", NSDI 2014) keeps the trimmed packet in the same
//! queue. NDP (Handley et al., "Re-architecting datacenter networks and stacks for low latency and high performance",
//! SIGCOMM 2017) puts it into a queue of higher priority, which shares the link with the data. Source flow control
//! returns it to the sender (trimming.txt section 2). The options that chips add are those of SAI (`saiswitch.h`,
//! SAI_SWITCH_ATTR_PACKET_TRIM_*).

mod cut;
mod settings;

use std::sync::Arc;

use basis::Instant;
use node::{QueueLength, Reason};

use crate::counts::{Counts, Totals};
use crate::fair::{Tag, VirtualTime};
use crate::fields::{self, IpHeader};
use crate::fifo::Fifo;
use crate::reasons;
use crate::surroundings::{Note, Surroundings};
use crate::{Queued, ShortPackets, Victim};
pub(crate) use settings::Known;
use settings::{Settings, TrimmingClass};

#[derive(Debug)]
pub(crate) struct Trimming<Q> {
    settings: Arc<Settings>,
    data: Fifo<Q>,
    /// Trimmed and control packets. Not used if they wait with the data.
    headers: Fifo<Q>,
    time: VirtualTime,
    data_tag: Tag,
    headers_tag: Tag,
    counts: Counts,
}

impl<Q: Queued> Trimming<Q> {
    pub fn new(settings: Arc<Settings>) -> Self {
        Self {
            settings,
            data: Fifo::default(),
            headers: Fifo::default(),
            time: VirtualTime::default(),
            data_tag: Tag::default(),
            headers_tag: Tag::default(),
            counts: Counts::default(),
        }
    }

    // Every packet of NDP passes here, so this is inlined like the methods of `Queue`.
    #[inline(always)]
    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        match item.code_point().map_or(TrimmingClass::Data, |dscp| self.settings.kind(dscp)) {
            TrimmingClass::Data => match self.data.room(self.settings.data, note, around) {
                Ok(()) => self.push_data(item, note, around),
                Err(reason) => self.cut_one(item, note, reason, around),
            },
            kind => self.offer_header(item, note, kind, around),
        }
    }

    /// Trims the arriving packet, for which there is no room, or the last one in the queue.
    #[cold]
    fn cut_one(&mut self, item: Q, note: Note, reason: Reason, around: &mut Surroundings<Q>) {
        if self.settings.victim == Victim::ArrivingOrTail && self.is_tail_chosen(around) {
            let (tail, tail_note) = self.data.pop_back(around).expect("`is_tail_chosen` has seen a tail");
            if self.data.room(self.settings.data, note, around).is_ok() {
                self.push_data(item, note, around);
                return self.cut(tail, tail_note, reason, around);
            }
            // The tail is too short for its trimming to make room.
            self.data.push(tail, tail_note, around);
        }
        self.cut(item, note, reason, around);
    }

    /// Decides by a random draw whether the last packet in the queue is trimmed. False if it cannot be trimmed.
    fn is_tail_chosen(&self, around: &mut Surroundings<Q>) -> bool {
        let can_be_cut =
            self.data.back().is_some_and(|(tail, note)| !note.is_lossless && self.settings.can_cut(tail).is_some());
        can_be_cut && around.random.bits() >> 63 == 1
    }

    /// Trims a packet, and queues what is left or returns it to the sender.
    fn cut(&mut self, mut item: Q, mut note: Note, reason: Reason, around: &mut Surroundings<Q>) {
        let Some(ip_header) = self.settings.can_cut(&item) else {
            let is_ip = ip_header(&item).is_some();
            if is_ip && self.settings.short == ShortPackets::WithTrimmed {
                self.offer_header(item, note, TrimmingClass::Short, around);
            } else {
                self.counts.dropped(note.bytes);
                around.discard(item, reason);
            }
            return;
        };
        // SAI counts the original frame as dropped, and what is left of it as trimmed (saibuffer.h).
        self.counts.dropped(note.bytes);
        self.counts.rare().trimmed += 1;
        if let Some(packet) = item.packet_mut() {
            self.settings.cut(packet, ip_header, around.is_last_hop);
        }
        note.bytes = item.length() as u32 + around.framing;
        note.is_trimmed = true;
        if self.settings.returns_all {
            self.send_back(item, ip_header, around);
        } else {
            self.offer_header(item, note, TrimmingClass::Trimmed, around);
        }
    }

    /// Queues a packet where trimmed packets wait.
    fn offer_header(&mut self, item: Q, note: Note, kind: TrimmingClass, around: &mut Surroundings<Q>) {
        let queue = if self.settings.is_one_queue { &mut self.data } else { &mut self.headers };
        let reason = match queue.room(self.settings.headers, note, around) {
            Ok(()) if self.settings.is_one_queue => return self.push_data(item, note, around),
            Ok(()) => return self.push_header(item, note, around),
            Err(reason) => reason,
        };
        // A packet that finds no room on its way back is lost (NDP, section 3.2.4).
        if kind == TrimmingClass::Trimmed
            && self.settings.returns_without_room
            && let Some(ip_header) = ip_header(&item)
        {
            return self.send_back(item, ip_header, around);
        }
        if note.is_trimmed {
            self.counts.rare().trimmed_dropped += 1;
        } else {
            self.counts.dropped(note.bytes);
        }
        let is_trimmed = matches!(kind, TrimmingClass::Trimmed | TrimmingClass::Returned);
        let is_full = is_trimmed && reason == reasons::QUEUE_FULL;
        around.discard(item, if is_full { reasons::TRIMMED_QUEUE_FULL } else { reason });
    }

    fn send_back(&mut self, mut item: Q, ip_header: IpHeader, around: &mut Surroundings<Q>) {
        if let Some(packet) = item.packet_mut() {
            self.settings.turn_round(packet, ip_header);
        }
        self.counts.rare().returned += 1;
        around.refusals.returned.push(item);
    }

    #[inline]
    fn push_data(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        if self.data.is_empty() {
            self.time.begin(&mut self.data_tag);
        }
        self.data.push(item, note, around);
    }

    #[inline]
    fn push_header(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        if self.headers.is_empty() {
            self.time.begin(&mut self.headers_tag);
        }
        self.headers.push(item, note, around);
    }

    #[inline(always)]
    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        let (header, data) = (self.headers.next(paused), self.data.next(paused));
        let settings = &self.settings;
        let is_header = match (header, data) {
            (None, None) => return None,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            // The packet that would finish first in virtual time goes. Ordering by finish times rather than start
            // times lets headers overtake data at once; data goes when it has waited for its share of the link.
            (Some(header), Some(data)) => {
                let header_done = self.headers_tag.after(settings.header_cost(header));
                settings.is_strict || header_done.is_not_after(self.data_tag.after(settings.data_cost(data)))
            }
        };
        let note = if is_header {
            let note = header?;
            self.time.take(&mut self.headers_tag, settings.header_cost(note));
            note
        } else {
            let note = data?;
            self.time.take(&mut self.data_tag, settings.data_cost(note));
            note
        };
        if paused != 0 {
            self.pass_over_paused(paused);
        }
        if self.headers.packets() + self.data.packets() == 1 {
            self.time.rest([self.data_tag, self.headers_tag].into_iter());
        }
        self.counts.sent(note);
        let queue = if is_header { &mut self.headers } else { &mut self.data };
        queue.pop(note, around)
    }

    /// Advances the tag of a paused queue, so that it has no claim to the bandwidth that the other one uses in the
    /// meantime.
    #[cold]
    fn pass_over_paused(&mut self, paused: u8) {
        for (queue, tag) in [(&self.headers, &mut self.headers_tag), (&self.data, &mut self.data_tag)] {
            if !queue.can_go(paused) {
                self.time.begin(tag);
            }
        }
    }

    #[inline]
    pub fn prepare(&self) {
        self.headers.prepare();
        self.data.prepare();
    }

    #[inline]
    pub fn can_go(&self, paused: u8, _now: Instant) -> bool {
        self.headers.can_go(paused) || self.data.can_go(paused)
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        look(&self.headers);
        look(&self.data);
    }

    pub fn length(&self) -> QueueLength {
        let (headers, data) = (self.headers.length(), self.data.length());
        QueueLength { packets: headers.packets + data.packets, bytes: headers.bytes + data.bytes }
    }

    #[inline]
    pub fn bytes(&self) -> u64 {
        self.headers.bytes() + self.data.bytes()
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.counts.add_to(totals);
    }
}

/// Finds the IP header of an item; `None` if it is not a complete packet or not IP.
fn ip_header(item: &impl Queued) -> Option<IpHeader> {
    item.packet().and_then(fields::ip_header)
}

basis::snapshot!([Q: Queued] Trimming<Q> { values data, headers, time, data_tag, headers_tag, counts; });

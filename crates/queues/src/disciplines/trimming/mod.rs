//! Packet trimming: what finds no room loses its payload instead of its life.
//!
//! Cut payload (Cheng et al., "Catch the Whole Lot in an Action", NSDI 2014) keeps what is left in the same queue; NDP
//! (Handley et al., "Re-architecting datacenter networks and stacks for low latency and high performance", SIGCOMM
//! 2017) in a queue of higher priority, which shares the line with the data; source flow control sends it back
//! (trimming.txt section 2). What chips add is in SAI (`saiswitch.h`, SAI_SWITCH_ATTR_PACKET_TRIM_*).

mod cut;
mod settings;

use std::sync::Arc;

use node::{QueueLength, Reason};

use crate::counts::{Counts, Totals};
use crate::fair::{Tag, VirtualTime};
use crate::fields::{self, Place};
use crate::fifo::Fifo;
use crate::surroundings::{Surroundings, Waiting};
use crate::{ShortPackets, Victim};
pub(crate) use settings::Known;
use settings::{Kind, Settings};

#[derive(Debug)]
pub(crate) struct Trimming {
    settings: Arc<Settings>,
    data: Fifo,
    /// Trimmed and control packets; never used if they wait with the data.
    headers: Fifo,
    time: VirtualTime,
    data_tag: Tag,
    headers_tag: Tag,
    counts: Counts,
}

impl Trimming {
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

    #[inline]
    pub fn offer(&mut self, waiting: Waiting, around: &mut Surroundings) {
        let place = fields::place(&waiting.packet);
        match place.map_or(Kind::Data, |place| self.settings.kind(place.dscp(&waiting.packet))) {
            Kind::Data => match self.data.room(self.settings.data, &waiting, around) {
                Ok(()) => self.push_data(waiting, around),
                Err(reason) => self.cut_one(waiting, place, reason, around),
            },
            kind => self.offer_header(waiting, place, kind, around),
        }
    }

    /// Data found no room: it, or the last that waits, is cut.
    #[cold]
    fn cut_one(&mut self, arriving: Waiting, place: Option<Place>, reason: Reason, around: &mut Surroundings) {
        let (victim, place) = if self.settings.victim == Victim::ArrivingOrTail && self.tail_is_cut(around) {
            let tail = self.data.pop_back(around).expect("there is a tail to be cut");
            if self.data.room(self.settings.data, &arriving, around).is_ok() {
                let place = fields::place(&tail.packet);
                self.push_data(arriving, around);
                (tail, place)
            } else {
                // A tail that is too short makes no room.
                self.data.push(tail, around);
                (arriving, place)
            }
        } else {
            (arriving, place)
        };
        match place {
            Some(place) if victim.packet.len() > self.settings.length_left(place, &victim.packet) => {
                self.trim(victim, place, around);
            }
            Some(_) if self.settings.short == ShortPackets::WithTrimmed => {
                self.offer_header(victim, place, Kind::Short, around);
            }
            _ => {
                self.counts.dropped(victim.bytes);
                around.discard(victim.packet, reason);
            }
        }
    }

    /// True if it is the last that waits that is to be cut: by a draw, if that one can be cut at all.
    fn tail_is_cut(&self, around: &mut Surroundings) -> bool {
        let can_be_cut = self.data.back().is_some_and(|tail| {
            !tail.is_lossless
                && fields::place(&tail.packet)
                    .is_some_and(|place| tail.packet.len() > self.settings.length_left(place, &tail.packet))
        });
        can_be_cut && around.random.bits() >> 63 == 1
    }

    /// Cuts a packet, and lets what is left wait or sends it back.
    fn trim(&mut self, mut waiting: Waiting, place: Place, around: &mut Surroundings) {
        // SAI counts the frame as dropped as it was, and what is left of it as trimmed (saibuffer.h).
        self.counts.dropped(waiting.bytes);
        self.settings.cut(&mut waiting.packet, place, around.is_last_hop);
        waiting.bytes = waiting.packet.len() as u32 + around.framing;
        waiting.is_trimmed = true;
        self.counts.rare().trimmed += 1;
        if self.settings.returns_all {
            self.send_back(waiting, place, around);
        } else {
            self.offer_header(waiting, Some(place), Kind::Trimmed, around);
        }
    }

    /// Lets a packet wait where trimmed ones do.
    fn offer_header(&mut self, waiting: Waiting, place: Option<Place>, kind: Kind, around: &mut Surroundings) {
        let queue = if self.settings.is_one_queue { &mut self.data } else { &mut self.headers };
        let reason = match queue.room(self.settings.headers, &waiting, around) {
            Ok(()) if self.settings.is_one_queue => return self.push_data(waiting, around),
            Ok(()) => return self.push_header(waiting, around),
            Err(reason) => reason,
        };
        match place {
            // What could not wait on its way back is lost (NDP, section 3.2.4).
            Some(place) if kind == Kind::Trimmed && self.settings.returns_without_room => {
                self.send_back(waiting, place, around);
            }
            _ => {
                if waiting.is_trimmed {
                    self.counts.rare().trimmed_dropped += 1;
                } else {
                    self.counts.dropped(waiting.bytes);
                }
                let is_trimmed = matches!(kind, Kind::Trimmed | Kind::Returned);
                let reason = match reason {
                    Reason::QueueFull if is_trimmed => Reason::TrimmedQueueFull,
                    reason => reason,
                };
                around.discard(waiting.packet, reason);
            }
        }
    }

    fn send_back(&mut self, mut waiting: Waiting, place: Place, around: &mut Surroundings) {
        self.settings.turn_round(&mut waiting.packet, place);
        self.counts.rare().returned += 1;
        around.refusals.returned.push(waiting.packet);
    }

    #[inline]
    fn push_data(&mut self, waiting: Waiting, around: &mut Surroundings) {
        if self.data.is_empty() {
            self.time.begin(&mut self.data_tag);
        }
        self.data.push(waiting, around);
    }

    #[inline]
    fn push_header(&mut self, waiting: Waiting, around: &mut Surroundings) {
        if self.headers.is_empty() {
            self.time.begin(&mut self.headers_tag);
        }
        self.headers.push(waiting, around);
    }

    #[inline]
    pub fn take(&mut self, paused: u8, around: &mut Surroundings) -> Option<Waiting> {
        let headers_go = match (self.headers.can_go(paused), self.data.can_go(paused)) {
            (false, false) => return None,
            (true, false) => true,
            (false, true) => false,
            // Of two that may start at the same time a header goes: that is what its priority means.
            (true, true) => self.settings.is_strict || self.headers_tag.is_not_after(self.data_tag),
        };
        let (queue, tag, cost) = if headers_go {
            (&mut self.headers, &mut self.headers_tag, self.settings.header_cost)
        } else {
            (&mut self.data, &mut self.data_tag, self.settings.data_cost)
        };
        let waiting = queue.pop(paused, around)?;
        let units = if self.settings.is_by_packets { 1 } else { u64::from(waiting.bytes) };
        self.time.take(tag, cost * units);
        if paused != 0 {
            self.pass_over_paused(paused);
        }
        if self.data.is_empty() && self.headers.is_empty() {
            self.time.rest([self.data_tag, self.headers_tag].into_iter());
        }
        self.counts.sent(&waiting);
        Some(waiting)
    }

    /// A queue that is paused has no claim to what the other one sends meanwhile.
    #[cold]
    fn pass_over_paused(&mut self, paused: u8) {
        for (queue, tag) in [(&self.headers, &mut self.headers_tag), (&self.data, &mut self.data_tag)] {
            if !queue.can_go(paused) {
                self.time.begin(tag);
            }
        }
    }

    pub fn can_go(&self, paused: u8) -> bool {
        self.headers.can_go(paused) || self.data.can_go(paused)
    }

    pub fn length(&self) -> QueueLength {
        let (headers, data) = (self.headers.length(), self.data.length());
        QueueLength { packets: headers.packets + data.packets, bytes: headers.bytes + data.bytes }
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.counts.add_to(totals);
    }
}

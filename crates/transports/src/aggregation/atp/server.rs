//! The parameter server (section 3.6).

use std::collections::VecDeque;
use std::sync::Arc;

use basis::Instant;
use node::{Counter, Reason, UnfinishedWork};
use serde::{Deserialize, Serialize};
use wire::Packet;
use wire::atp::{LEVELS, flag};

use super::contributions::Senders;
use super::counters::server::Counters;
use super::entry::{Reply, Taken};
use super::index::{Indices, Rehashing};
use super::numbering::Numbering;
use super::packet::{Draft, Opened, peek};
use super::scales::Scales;
use super::store::{Place, Store};
use super::{AtpParameters, Index};
use crate::aggregation::{Member, Outcomes, Setup};
use crate::frame::{Delivery, delivery};
use crate::{Endpoint, reasons};

/// How often workers are asked to send a fragment again before they are asked for its original values, which no switch
/// touches.
const REQUESTS: u8 = 3;
/// How many fragments are named in a report of what waits.
const NAMED: usize = 8;

/// A parameter server of ATP: adds up what switches have not, and tells all workers. It answers and never acts by itself.
#[derive(Debug)]
pub struct Server {
    address: u32,
    parameters: AtpParameters,
    setup: Arc<Setup>,
    numbering: Numbering,
    senders: Senders,
    /// Whether packets have fields for more than two levels.
    has_further: bool,
    /// The place among the servers of the job; `None` if this is none of them.
    own: Option<usize>,
    store: Store,
    scales: Scales,
    indices: Indices,
    rehashing: Rehashing,
    /// The fragments about which something is to be said, in order.
    replies: VecDeque<u64>,
    begin: Begin,
    counters: Counters,
}

/// Whether workers are to be told where the job is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Begin {
    is_pending: bool,
    aggregator: u16,
    told_at: Option<Instant>,
}

impl Server {
    /// Creates the server with an address, which is one of those in the setup.
    ///
    /// # Panics
    /// If a parameter is out of range.
    pub fn new(address: u32, setup: Arc<Setup>, parameters: AtpParameters) -> Self {
        parameters.check();
        let distance = parameters.dynamic_scale.then_some(parameters.largest_window);
        let indices = Indices::new(parameters.index, &setup, parameters.largest_window);
        Self {
            address,
            rehashing: Rehashing::new(&indices),
            indices,
            numbering: Numbering::of(&setup),
            senders: Senders::of(&setup),
            has_further: setup.levels() > 2,
            own: setup.servers.iter().position(|&server| server == address),
            setup,
            store: Store::new(parameters.largest_window),
            scales: Scales::new(parameters.scale(), distance),
            parameters,
            replies: VecDeque::new(),
            begin: Begin::default(),
            counters: Counters::default(),
        }
    }

    /// Begins with the indices of the present setup.
    fn forget_indices(&mut self) {
        self.indices = Indices::new(self.parameters.index, &self.setup, self.parameters.largest_window);
        self.rehashing = Rehashing::new(&self.indices);
    }

    /// Takes a gradient packet. Returns false if it is of another setup, or of nobody who takes part.
    fn gradients(&mut self, now: Instant, opened: &Opened<'_>) -> bool {
        let header = opened.header();
        let Some(fragment) = self.numbering.fragment(header.job_and_sequence(), opened.envelope.source_port) else {
            return false;
        };
        let Some(contributions) = self.senders.contributions(&opened.tree()) else { return false };
        let servers = self.setup.servers.len() as u64;
        let is_ours = self.own.is_some_and(|own| fragment % servers == own as u64);
        if !is_ours || header.has(flag::ACK) {
            return false;
        }
        self.counters.gradients_received += 1;
        let pause = self.parameters.pause();
        let Place::Here(entry) = self.store.place(now, fragment) else {
            // Appendix A.3: somebody begins, and learns where the others are.
            if self.begin.told_at.is_none_or(|told| now.since(told) >= pause) {
                self.begin = Begin { is_pending: true, aggregator: header.aggregator(), told_at: Some(now) };
            }
            return true;
        };
        let reply = if entry.is_complete() {
            // Section 3.6: what was complete is answered again.
            entry.aggregator = header.aggregator();
            self.counters.duplicates += 1;
            Some(Reply::Answer)
        } else {
            let scale = self.scales.of(fragment);
            let was_original = entry.is_original;
            let taken = entry.take(&contributions, opened, self.parameters.arithmetic, scale.is_some());
            if self.senders.all().is_within(&entry.have) {
                entry.complete(self.parameters.values, self.parameters.arithmetic, scale.unwrap_or(1.0));
                entry.replied_at = None;
                let index = match entry.has_collided && self.parameters.index == Index::Hash {
                    true => self.rehashing.replaced(entry.aggregator),
                    false => entry.aggregator,
                };
                entry.next_aggregator = self.indices.to_tell(fragment, index);
                self.scales.learn(fragment, entry.answer.iter().map(|&bits| f32::from_bits(bits)));
                self.store.complete(fragment);
                self.counters.complete += 1;
            }
            match taken {
                Taken::Added if header.has(flag::OVERFLOW) => self.counters.originals_added += 1,
                Taken::Added => self.counters.gradients_added += 1,
                Taken::Duplicate => self.counters.duplicates += 1,
                Taken::Replaced => self.counters.sums_replaced += 1,
                Taken::Overlaps => self.counters.partial_overlaps += 1,
                Taken::Unusable => self.counters.saturated_sums += u64::from(!was_original),
            }
            self.reply_to(now, fragment, taken, header.has(flag::RESEND))
        };
        if let Some(reply) = reply {
            self.say(now, fragment, reply);
        }
        true
    }

    /// Returns what is to be said about a fragment after a packet.
    fn reply_to(&mut self, now: Instant, fragment: u64, taken: Taken, is_resent: bool) -> Option<Reply> {
        let timeout = self.parameters.timeout;
        let has_forgotten = self.store.has_forgotten();
        let entry = self.store.get(fragment)?;
        let again = if entry.is_original { Reply::Originals } else { Reply::Resend };
        match taken {
            _ if entry.is_complete() => Some(Reply::Answer),
            Taken::Added | Taken::Replaced => None,
            Taken::Unusable => Some(Reply::Originals),
            Taken::Overlaps => Some(again),
            // Whoever sends it again may wait for somebody who does not: one who has an answer that this server has lost.
            Taken::Duplicate => {
                let is_old = now.since(entry.began_at) >= timeout;
                (is_resent && is_old && has_forgotten).then_some(again)
            }
        }
    }

    /// Says something about a fragment once the link is free, unless something was said a short time ago.
    fn say(&mut self, now: Instant, fragment: u64, mut reply: Reply) {
        let pause = self.parameters.pause();
        let Some(entry) = self.store.get(fragment) else { return };
        if entry.replied_at.is_some_and(|at| now.since(at) < pause) {
            return;
        }
        if reply != Reply::Answer {
            entry.asked = entry.asked.saturating_add(1);
            if entry.asked > REQUESTS && !entry.is_original {
                entry.want_originals();
                reply = Reply::Originals;
            }
        }
        entry.replied_at = Some(now);
        if entry.pending.replace(reply).is_none() {
            self.replies.push_back(fragment);
        }
    }

    /// Returns the parameter packet about a fragment, without flags and values.
    fn draft(&self, fragment: u64, aggregator: u16) -> Draft {
        Draft {
            source: self.address,
            destination: self.setup.group,
            port: self.numbering.port(fragment),
            bitmaps: [0; LEVELS],
            fan_in: [1; LEVELS],
            level: 0,
            has_further: self.has_further,
            flags: flag::ACK,
            word: self.numbering.word(fragment),
            aggregator,
        }
    }

    /// Makes the packet that tells a worker that begins where the job is: at the earliest fragment that is not complete
    /// (appendix A.3). Bitmap1 says how many fragments before it are still answered.
    fn beginning(&mut self, now: Instant) -> Option<Packet> {
        if !std::mem::take(&mut self.begin.is_pending) {
            return None;
        }
        let (base, open) = self.store.earliest(self.setup.servers.len() as u64, self.own? as u64)?;
        self.counters.beginnings_sent += 1;
        let mut draft = self.draft(open, self.begin.aggregator);
        draft.flags |= flag::RESEND | flag::OVERFLOW;
        // Windows have at most 8,192 fragments.
        draft.bitmaps[1] = open.saturating_sub(base) as u32;
        Some(draft.packet(now, self.parameters.values, |_| {}))
    }

    /// Makes the next packet about a fragment.
    fn reply(&mut self, now: Instant) -> Option<Packet> {
        loop {
            let fragment = self.replies.pop_front()?;
            let mut draft = self.draft(fragment, 0);
            let Some(entry) = self.store.get(fragment) else { continue };
            let Some(reply) = entry.pending.take() else { continue };
            entry.replied_at = Some(now);
            draft.aggregator = entry.aggregator;
            let mut values = &[][..];
            match reply {
                Reply::Answer => {
                    values = &entry.answer;
                    self.counters.parameters_sent += 1;
                    if entry.has_met_congestion {
                        draft.flags |= flag::ECN;
                    }
                    if let Some(index) = entry.next_aggregator {
                        // Section 3.6: rehashing, told in the bitmap that parameter packets do not need.
                        draft.flags |= flag::COLLISION;
                        draft.bitmaps[0] = index.into();
                    }
                }
                Reply::Resend => draft.flags |= flag::RESEND,
                Reply::Originals => draft.flags |= flag::OVERFLOW,
            }
            self.counters.requests_sent += u64::from(reply != Reply::Answer);
            return Some(draft.packet(now, self.parameters.values, |bytes| {
                bytes.iter_mut().zip(values).for_each(|(bytes, value)| *bytes = value.to_be_bytes());
            }));
        }
    }
}

impl Endpoint<Outcomes> for Server {
    fn accepts(&self, packet: &Packet) -> bool {
        peek(packet).is_some_and(|(flags, job, destination)| {
            flags & flag::ACK == 0 && job == self.numbering.job && destination == self.address
        })
    }

    fn receive(&mut self, now: Instant, packet: Packet, _reports: &mut Outcomes) -> Result<(), (Packet, Reason)> {
        if delivery(&packet, self.address) == Delivery::Malformed {
            return Err((packet, Reason::MALFORMED));
        }
        let Some(opened) = Opened::new(&packet, self.parameters.values, self.has_further) else {
            return Err((packet, Reason::MALFORMED));
        };
        if self.gradients(now, &opened) {
            return Ok(());
        }
        self.counters.strays += 1;
        Err((packet, reasons::UNEXPECTED))
    }

    fn wake(&mut self, _now: Instant, _reports: &mut Outcomes) {}

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        self.beginning(now).or_else(|| self.reply(now))
    }

    fn is_ready(&self, _at: Instant) -> bool {
        self.begin.is_pending || !self.replies.is_empty()
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn waiting(&self, _now: Instant) -> Vec<UnfinishedWork> {
        let all = self.store.partial().count();
        let mut waiting: Vec<UnfinishedWork> = Vec::new();
        for entry in self.store.partial().take(NAMED) {
            let missing: Vec<String> = entry.have.missing(&self.setup).map(|rank| rank.to_string()).collect();
            let form = if entry.is_original { "original values" } else { "values" };
            waiting.push(UnfinishedWork {
                what: format!("the sums of fragment {} of job {}", entry.fragment, self.numbering.job),
                why: format!("the {form} of workers {} have not arrived", missing.join(", ")),
            });
        }
        if all > NAMED {
            let why = "they wait like those before".to_owned();
            waiting.push(UnfinishedWork { what: format!("the sums of {} further fragments", all - NAMED), why });
        }
        waiting
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.counters.tell(tell);
    }
}

impl Member for Server {
    /// Forgets the sums that are not complete: others may have the bits now. What is complete stays.
    fn set_up(&mut self, now: Instant, setup: Arc<Setup>) {
        self.numbering = Numbering::of(&setup);
        self.senders = Senders::of(&setup);
        self.has_further = setup.levels() > 2;
        self.own = setup.servers.iter().position(|&server| server == self.address);
        self.setup = setup;
        self.store.begin_again();
        self.forget_indices();
        self.replies.clear();
        // Appendix A.3: aggregation begins again with an ACK on the new tree.
        self.begin = Begin { is_pending: true, aggregator: self.begin.aggregator, told_at: Some(now) };
    }

    fn restart(&mut self, _now: Instant) {
        self.store.clear();
        self.scales.clear();
        self.forget_indices();
        self.replies.clear();
        self.begin = Begin::default();
    }
}

/// The setup is saved because it changes while the network runs.
impl basis::snapshot::Snapshot for Server {
    fn save(&self, into: &mut basis::snapshot::Saver) -> Result<(), basis::snapshot::Unfit> {
        into.put(&*self.setup)?;
        into.put(&(&self.store, &self.scales, &self.rehashing, &self.replies, &self.begin, &self.counters))
    }

    fn restore(&mut self, from: &mut basis::snapshot::Loader<'_>) -> Result<(), basis::snapshot::Unfit> {
        self.set_up(Instant::ZERO, Arc::new(from.take()?));
        (self.store, self.scales, self.rehashing, self.replies, self.begin, self.counters) = from.take()?;
        Ok(())
    }
}

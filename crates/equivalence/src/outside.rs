//! What belongs to no packet that arrived: packets that threads make, messages to the control plane, and what a machine says
//! of threads that no thread can do.

use std::collections::BTreeMap;

use measure::Event;
use node::{Discarded, Transmission};
use wire::Packet;

use crate::difference::Fate;
use crate::replay::ThreadReasons;
use crate::tape::{Tape, Taped};

/// Packets and messages by what they are, with how often the program has them more than the machine, and sentences.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    made: BTreeMap<(u16, Vec<u8>), i64>,
    /// The number of packets that go to ports that no machine has.
    nowhere: i64,
    messages: BTreeMap<(u32, Vec<u64>), i64>,
    /// The number of packets, and the messages, that the machine may not have sent yet when the run ends.
    packets_under_way: u64,
    messages_under_way: BTreeMap<(u32, Vec<u64>), i64>,
    notes: Vec<String>,
    /// The number of sentences that are not kept.
    further: u64,
}

/// The most sentences that are kept.
const KEPT: usize = 32;

impl Outside {
    /// Notes that the program makes a packet, which goes to a port or nowhere.
    pub fn made(&mut self, fate: Fate, packet: &Packet) {
        match fate {
            Fate::Leaves { port } => *self.made.entry((port, bytes(packet))).or_default() += 1,
            Fate::Dropped => self.nowhere += 1,
        }
    }

    /// Notes that the program sends a message.
    pub fn message(&mut self, digest: u32, values: Vec<u64>) {
        *self.messages.entry((digest, values)).or_default() += 1;
    }

    /// Notes what a thread has made and sent that is still under way when the run ends: the machine takes the requests of
    /// threads before they take effect.
    pub fn under_way(&mut self, packets: u64, messages: Vec<(u32, Vec<u64>)>) {
        self.packets_under_way += packets;
        messages.into_iter().for_each(|message| *self.messages_under_way.entry(message).or_default() += 1);
    }

    /// Notes something else that differs, in a sentence without a full stop.
    pub fn note(&mut self, sentence: impl FnOnce() -> String) {
        if self.notes.len() < KEPT {
            self.notes.push(sentence());
        } else {
            self.further += 1;
        }
    }

    /// Compares with what the machine did, and notes what differs. So many packets are still `inside` of the machine: of those
    /// that threads of timers make, which go on for ever, some may be.
    pub fn compare(&mut self, tape: &Tape, inside: u64, reasons: &ThreadReasons) {
        // Packets that the machine had no room for, or no port.
        let mut lost = -self.nowhere;
        for taped in tape.iter() {
            match taped {
                Taped::Transmitted(Transmission { port, packet, .. }) if packet.sidecar.id == wire::Sidecar::MADE => {
                    *self.made.entry((port.0, bytes(packet))).or_default() -= 1;
                }
                Taped::Discarded(_, Discarded { packet, reason, .. }) if packet.sidecar.id == wire::Sidecar::MADE => {
                    lost += i64::from(!reasons.has(*reason));
                }
                Taped::Event(_, event) => self.told(event),
                _ => (),
            }
        }
        let missing: i64 = self.made.values().filter(|count| **count > 0).sum();
        // Which packets were lost is not known, but how many are.
        let most = lost.saturating_add_unsigned(inside + self.packets_under_way);
        if !(lost..=most).contains(&missing) {
            for ((port, bytes), count) in std::mem::take(&mut self.made).into_iter().filter(|(_, count)| *count > 0) {
                let (text, length) = (hex(&bytes), bytes.len());
                self.note(|| {
                    format!(
                        "{count} more packets of {length} bytes should leave on port {port} that threads make: {text}"
                    )
                });
            }
        }
        for ((port, bytes), count) in std::mem::take(&mut self.made).into_iter().filter(|(_, count)| *count < 0) {
            let (text, length, count) = (hex(&bytes), bytes.len(), -count);
            self.note(|| {
                format!("{count} packets of {length} bytes leave on port {port} that no thread should make: {text}")
            });
        }
        for ((digest, values), count) in std::mem::take(&mut self.messages) {
            let under_way = self.messages_under_way.get(&(digest, values.clone())).copied().unwrap_or(0);
            if (0..=under_way).contains(&count) {
                continue;
            }
            let more = if count > 0 { "too few" } else { "too many" };
            self.note(|| format!("{} {more} messages of kind {digest} with the values {values:?}", count.abs()));
        }
    }

    fn told(&mut self, event: &Event) {
        if let Ok(machines::blocks::Digest { digest, values }) = event.clone().read() {
            let values = values.iter().map(|limbs| limbs.first().copied().unwrap_or(0)).collect();
            *self.messages.entry((digest, values)).or_default() -= 1;
        }
    }

    /// Returns the sentences.
    pub fn sentences(&self) -> Vec<String> {
        let further = (self.further > 0).then(|| format!("{} further differences are not shown", self.further));
        self.notes.iter().cloned().chain(further).collect()
    }
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}

/// Returns the first bytes in hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    const SHOWN: usize = 48;
    let text: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > SHOWN { text + "…" } else { text }
}

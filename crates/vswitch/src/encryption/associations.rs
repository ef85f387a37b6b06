//! The security associations of a switch: what it sends with, and what it accepts.

use std::collections::BTreeMap;
use std::net::IpAddr;

use node::Reason;
use wire::{Layers, Packet};

use super::cipher::Cipher;
use super::esp::{self, Numbers};
use super::keys::{InboundKey, Key, Keys};
use super::window::Window;
use crate::configuration::Encryption;
use crate::reasons;

/// The security associations of all VPCs.
#[derive(Debug, Default)]
pub struct Associations {
    /// What packets of a VPC are sent with, by its VXLAN network identifier. Those of a VPC without keys are not sent.
    pub(super) senders: BTreeMap<u32, Option<Sender>>,
    /// The receivers, one for each sender whose packets are accepted.
    pub(super) receivers: Vec<Receiver>,
    /// The positions of that, by the endpoint that sends it and its index. A sender with several endpoints has one receiver.
    pub(super) places: BTreeMap<(IpAddr, u32), usize>,
    /// The VPCs of which nothing is accepted in the clear.
    demanded: Vec<u32>,
}

/// The key of a VPC's packets and the state of sending by it.
#[derive(Debug)]
pub(super) struct Sender {
    pub key: Key,
    cipher: Cipher,
    /// The initialization vector of the next packet.
    pub next: u64,
    /// The number of packets that were sent.
    pub sent: u64,
}

/// What packets of another switch are accepted with.
#[derive(Debug)]
pub(super) struct Receiver {
    pub key: Key,
    pub vni: u32,
    /// One of the endpoints of the sender.
    pub peer: IpAddr,
    cipher: Cipher,
    pub window: Window,
}

/// An encrypted packet that was opened.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    /// The VXLAN network identifier of the VPC whose key it has.
    pub vni: u32,
    /// The position of the receiver.
    receiver: usize,
    sequence: u64,
}

impl Associations {
    /// The associations of a configuration.
    pub fn new(encryptions: &[Encryption]) -> Self {
        let mut all = Self::default();
        all.apply(encryptions);
        all
    }

    /// Goes on with those of another configuration. A key that stays keeps its numbers.
    pub fn apply(&mut self, encryptions: &[Encryption]) {
        let mut senders = std::mem::take(&mut self.senders);
        let earlier = self.receivers.drain(..).map(|receiver| ((receiver.vni, receiver.key.clone()), receiver));
        let mut receivers: BTreeMap<(u32, Key), Receiver> = earlier.collect();
        self.places.clear();
        for Encryption { vni, keys, .. } in encryptions {
            let old = senders.remove(vni).flatten();
            let sender = keys.as_deref().and_then(|keys| Sender::succeeding(old, keys));
            self.senders.insert(*vni, sender);
            for inbound in keys.iter().flat_map(|keys| &keys.inbound) {
                let InboundKey { peers, key } = inbound;
                let Some(&peer) = peers.first() else { continue };
                // Whatever endpoints its sender has now.
                let old = receivers.remove(&(*vni, key.clone())).map(|old| Receiver { peer, ..old });
                let new = || {
                    let (key, cipher) = (key.clone(), Cipher::new(key)?);
                    Some(Receiver { key, vni: *vni, peer, cipher, window: Window::default() })
                };
                if let Some(receiver) = old.or_else(new) {
                    self.places.extend(peers.iter().map(|peer| ((*peer, key.index), self.receivers.len())));
                    self.receivers.push(receiver);
                }
            }
        }
        let demanded = encryptions.iter().filter(|encryption| encryption.is_demanded);
        self.demanded = demanded.map(|encryption| encryption.vni).collect();
    }

    /// Returns true if packets of a VPC are accepted only if they are encrypted.
    pub fn demands(&self, vni: u32) -> bool {
        self.demanded.contains(&vni)
    }

    /// Encrypts a packet of a tunnel, if those of its VPC are.
    ///
    /// # Errors
    /// The reason, if it cannot be encrypted: then it must not be sent.
    pub fn seal(&mut self, vni: u32, packet: &mut Packet) -> Result<(), Reason> {
        let Some(sender) = self.senders.get_mut(&vni) else { return Ok(()) };
        let sender = sender.as_mut().ok_or(reasons::NO_KEY)?;
        if !packet.complete_checksum() {
            return Err(Reason::MALFORMED);
        }
        let numbers = sender.numbers().ok_or(reasons::NO_KEY)?;
        *packet = esp::seal(packet, &sender.cipher, &numbers).ok_or(Reason::MALFORMED)?;
        Ok(())
    }

    /// Opens an encrypted packet, of which the layers and the endpoint that has sent it are known. Returns `None` if it is not
    /// encrypted.
    ///
    /// # Errors
    /// The reason to discard it; then it has not changed.
    pub fn open(&self, packet: &mut Packet, layers: &Layers, peer: IpAddr) -> Result<Option<Opened>, Reason> {
        let Some((index, low, vector)) = esp::numbers(packet, layers) else { return Ok(None) };
        let place = *self.places.get(&(peer, index)).ok_or(reasons::UNKNOWN_KEY)?;
        let receiver = self.receivers.get(place).ok_or(reasons::UNKNOWN_KEY)?;
        let is_extended = receiver.key.is_extended;
        let sequence = match is_extended {
            false => u64::from(low),
            // Our own senders count both alike, so that nothing has to be guessed when one of the two ends was started again.
            true if vector as u32 == low => vector,
            true => receiver.window.extended(low),
        };
        if !receiver.window.is_new(sequence) {
            return Err(reasons::REPLAYED);
        }
        let numbers = Numbers { index, sequence, is_extended, vector };
        *packet = esp::open(packet, layers, &receiver.cipher, &numbers)?;
        Ok(Some(Opened { vni: receiver.vni, receiver: place, sequence }))
    }

    /// Records that an opened packet has come, so that no copy of it is accepted, from whichever endpoint of its sender.
    pub fn record(&mut self, opened: &Opened) {
        if let Some(receiver) = self.receivers.get_mut(opened.receiver) {
            receiver.window.record(opened.sequence);
        }
    }
}

impl Sender {
    /// The sender with the outbound key of a VPC, in the place of another one.
    fn succeeding(old: Option<Self>, keys: &Keys) -> Option<Self> {
        match old {
            Some(old) if old.key == keys.outbound => Some(old),
            _ => {
                let (key, cipher) = (keys.outbound.clone(), Cipher::new(&keys.outbound)?);
                // The sequence number 0 is none (RFC 4303, section 3.3.3).
                Some(Self { key, cipher, next: keys.first.max(1), sent: 0 })
            }
        }
    }

    /// Returns the numbers of the next packet; `None` if they are used up, and another key is needed.
    fn numbers(&mut self) -> Option<Numbers> {
        let (vector, is_extended) = (self.next, self.key.is_extended);
        let sent = self.sent + 1;
        if vector == u64::MAX || !is_extended && sent > u64::from(u32::MAX) {
            return None;
        }
        (self.next, self.sent) = (vector + 1, sent);
        // Sequence numbers of 32 bits begin at 1 with every start.
        let sequence = if is_extended { vector } else { sent };
        Some(Numbers { index: self.key.index, sequence, is_extended, vector })
    }
}

//! What a core makes of packets, for the post-processor to carry out.

use std::net::IpAddr;

use basis::Instant;
use node::Reason;
use wire::Packet;

use super::leave::Way;
use crate::action::Action;
use crate::bindings::BindingChange;
use crate::events::EventKind;
use crate::flow_log::FlowPart;
use crate::policy::Origin;
use crate::preprocessor::IndexUpdate;
use crate::session::{Count, FlowKey, Unlogged};

/// Something that a core has made of a packet: the post-processor, which all cores share, carries it out
/// ([`super::VirtualSwitch::finish`]).
#[derive(Debug)]
pub struct Made(pub(super) Outcome);

/// The one who has sent a packet, as the switch tells them that its receiver does not read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sender {
    /// The position of the VPC.
    pub vpc: u32,
    pub address: IpAddr,
    /// The hash of the packet's flow.
    pub hash: u64,
}

/// What the post-processor has to do.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Send a frame that fits its way. If it cannot be sent, it counts as one of `origin`. `sender` is there if the frame is of a guest
    /// who may be slowed.
    Send { origin: Option<Origin>, sender: Option<Sender>, way: Way, packet: Packet },
    /// Discard a packet of an origin.
    Discard { origin: Option<Origin>, packet: Packet, reason: Reason },
    /// Change the flow index for a hash.
    Index { hash: u64, update: IndexUpdate },
    /// Tell an event of a vNIC.
    Happened { vnic: u32, kind: EventKind },
    /// Record packets of a session that began at a time: the flow as a vNIC and as the other side sees it, and the last action on what
    /// the vNIC sends, with the hash of that.
    Recorded { flow: FlowPart, unlogged: Unlogged, began: Instant, peer: FlowKey, goes: (Option<Action>, u64) },
    /// Record packets that begin no session for a vNIC.
    Refused { flow: FlowPart, packets: Count },
    /// Bring packets with a key to this core from now on, by the number of the core and the hash of the key; `None` if they need
    /// not be any more, because the session has ended.
    Way { key: FlowKey, hash: u64, core: Option<u16> },
    /// Tell that a binding of a pool has begun or has ended.
    Bound(BindingChange),
}

impl Made {
    pub(super) fn send(origin: Option<Origin>, sender: Option<Sender>, way: Way, packet: Packet) -> Self {
        Self(Outcome::Send { origin, sender, way, packet })
    }

    pub(super) fn discard(origin: Option<Origin>, packet: Packet, reason: Reason) -> Self {
        Self(Outcome::Discard { origin, packet, reason })
    }

    pub(super) fn index(hash: u64, update: IndexUpdate) -> Self {
        Self(Outcome::Index { hash, update })
    }

    pub(super) fn happened(vnic: u32, kind: EventKind) -> Self {
        Self(Outcome::Happened { vnic, kind })
    }

    /// Returns the packet that is sent or discarded, if there is one.
    pub fn packet(&self) -> Option<&Packet> {
        match &self.0 {
            Outcome::Send { packet, .. } | Outcome::Discard { packet, .. } => Some(packet),
            _ => None,
        }
    }
}

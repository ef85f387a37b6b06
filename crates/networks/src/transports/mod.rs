//! The transports that plans can name: `[transport]`, or several `[[transport]]`, each for some hosts.
//!
//! A transport is a [`TransportKind`]: it has a name, and turns its section into a [`TransportPlan`], which makes the
//! transport of each host. [`ALL`] lists those of Polyplane; a [`Registry`](crate::Registry) may have others.

mod eqds;
mod ndp;
mod paths;
mod rocev2;
mod tcp;

use std::fmt;
use std::sync::Arc;

use node::Link;
use plans::{Pattern, Section};
use transports::Transport;

use crate::plan::LinkPlan;
use crate::plan::names::Of;
pub use tcp::TcpKind;

/// Every transport of Polyplane. The first is the default.
pub static ALL: [&dyn TransportKind; 6] =
    [&ndp::NDP, &eqds::EQDS, &tcp::NEW_RENO, &tcp::CUBIC, &tcp::DCTCP, &rocev2::ROCE_V2];

/// A transport that plans can name.
pub trait TransportKind: Sync {
    /// Returns its name in plans.
    fn name(&self) -> &'static str;

    /// Returns the name of the entry that stands first in the short form of the command line: `ndp:4096` is
    /// `ndp:packet=4096`.
    fn first_entry(&self) -> &'static str {
        "packet"
    }

    /// Reads the section, and reports errors to it, each at the place of its entry.
    fn read(&self, section: &Section<'_>) -> Arc<dyn TransportPlan>;
}

/// A transport with the parameters that all of its hosts have in common.
pub trait TransportPlan: fmt::Debug + Send + Sync {
    /// Returns the length of a full packet in bytes, from the Ethernet header on, without the frame check sequence.
    fn packet_bytes(&self) -> u32;

    /// Returns the payload of a full packet, in bytes.
    fn payload_bytes(&self) -> u32;

    /// Returns the bytes of a full packet that are not payload; where packets differ, those of most packets of a long
    /// message.
    fn header_bytes(&self) -> u32 {
        self.packet_bytes() - self.payload_bytes()
    }

    /// Returns the name of the entry that sets the length of packets.
    fn length_entry(&self) -> &'static str {
        "packet"
    }

    /// Returns the name of the default queue of switches, the one that the transport was designed for.
    fn usual_queue(&self) -> &'static str;

    /// Returns the longest content of a message that the transport carries, in bytes; 0 if it carries only lengths.
    fn longest_content(&self) -> u64 {
        0
    }

    /// Makes the transport of a host.
    fn build(&self, host: HostAttachment) -> Box<dyn Transport>;
}

/// The attachment of a host to the network, as far as its transport depends on it.
#[derive(Clone, Copy, Debug)]
pub struct HostAttachment {
    /// The IPv4 address of the host, as a number.
    pub address: u32,
    /// The number of paths to other hosts, as far as the topology knows; at least 1.
    pub paths: u16,
    /// The sending end of the host's link.
    pub link: Link,
    /// The seed that all transports of the network share.
    pub seed: u64,
}

/// The transport of some hosts.
#[derive(Clone, Debug)]
pub struct TransportChoice {
    /// The names of the hosts; all hosts if there is none.
    pub names: Vec<Pattern>,
    /// The transport that carries their messages.
    pub plan: Arc<dyn TransportPlan>,
}

impl TransportChoice {
    /// Returns the choice that applies to the host of a name: the last of those that name it.
    ///
    /// # Panics
    /// If no choice is for all hosts; plans refuse such a list.
    pub fn of<'c>(choices: &'c [Self], name: &str) -> &'c Self {
        let is_for =
            |choice: &&Self| choice.names.is_empty() || choice.names.iter().any(|pattern| pattern.matches(name));
        choices.iter().rev().find(is_for).expect("the first choice is for all")
    }
}

/// Reads one section, and appends its text to `plan`.
pub(crate) fn choice(
    section: Section<'_>,
    kinds: &[&'static dyn TransportKind],
    link: &LinkPlan,
    plan: &mut String,
) -> TransportChoice {
    let names = section.patterns("where", Of::Host.word());
    let named: Vec<(&str, &dyn TransportKind)> = kinds.iter().map(|kind| (kind.name(), *kind)).collect();
    let transport = section.choice("kind", &named, ALL[0].name()).read(&section);
    let (packet, mtu) = (transport.packet_bytes(), link.line.mtu);
    if packet > mtu {
        let hint = format!("links carry packets of at most {mtu} B: increase `link.mtu`, or make packets shorter");
        section.error(&section.span_of(transport.length_entry()), "packets are longer than the MTU of links", hint);
    }
    section.end(plan);
    TransportChoice { names, plan: transport }
}

/// Returns a link that stands in for those of hosts, which are not known while a plan is read.
fn any_link() -> Link {
    Link::new(basis::Rate::from_gigabits_per_second(1), 0)
}

//! The jobs that plans can have: `[[job]]`, and the schemes that sum their tensors.
//!
//! A scheme is a [`SchemeKind`]: it has a name, and turns its entries into a [`SchemePlan`], which says for a job and a
//! network who takes part and what every switch must know ([`Deployment`]), and makes what runs at the hosts. [`ALL`] lists
//! those of Polyplane; a [`Registry`](crate::Registry) may have others.

mod deployment;
mod forest;
mod levels;
mod plan;
mod racks;
mod read;
mod routes;
mod schemes;
mod switch_address;
mod switch_entry;
mod tenure;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use demand::Application;
use plans::Section;
use transports::aggregation::{Gradients, Job, Participant};

use crate::transports::HostAttachment;
pub use deployment::{Deployment, MemberPlan, MemberRole, Mistake};
pub use forest::JobTree;
pub use plan::{Epoch, JobNetwork, JobPlan};
pub(crate) use read::{Around, jobs};
pub use routes::{ROUTES, base_routes};
pub use switch_address::switch_address;
pub use switch_entry::{Argument, Key, SwitchEntry};
pub use tenure::{Tenure, actions};

/// Every scheme of Polyplane. The first is the default.
pub static ALL: [&dyn SchemeKind; 5] = [
    &schemes::atp::AtpKind,
    &schemes::switchml::SwitchMlKind,
    &schemes::trio_ml::TrioMlKind,
    &schemes::ring::RingKind,
    &schemes::parameter_servers::ParameterServersKind,
];

/// A scheme that plans can name.
pub trait SchemeKind: Sync {
    /// Returns its name in plans.
    fn name(&self) -> &'static str;

    /// Reads the entries of the scheme in the section of a job, and reports errors to it, each at the place of its entry.
    fn read(&self, section: &Section<'_>) -> Arc<dyn SchemePlan>;
}

/// A scheme with its parameters.
pub trait SchemePlan: fmt::Debug + Send + Sync {
    /// Returns the length of the longest packet in bytes, from the Ethernet header on, without the frame check sequence;
    /// `None` if the transports of the hosts carry the job.
    fn packet_bytes(&self) -> Option<u32> {
        None
    }

    /// Returns the aggregators that a job of this scheme has for itself, if it shares none, and the entry that sets the
    /// first of them.
    fn exclusive(&self) -> Option<(&'static str, Range<u32>)> {
        None
    }

    /// Returns the memory that a server of a job takes from the beginning, in bytes.
    fn server_memory(&self) -> u64 {
        0
    }

    /// Says who takes part in a job, and what every switch must know.
    ///
    /// # Errors
    /// Everything that is wrong with the job in this network, each at an entry of its section.
    fn deploy(&self, job: &JobPlan, network: &JobNetwork<'_>) -> Result<Deployment, Vec<Mistake>>;

    /// Makes what runs at a host for a member of a job.
    fn build(&self, member: &MemberPlan, parts: MemberParts, host: HostAttachment) -> OnHost;
}

/// The parts of a member of a job that do not depend on the scheme.
pub struct MemberParts {
    /// What the worker wants summed, and when; `None` for servers.
    pub job: Option<Box<dyn Job>>,
    /// What the worker contributes; `None` for servers.
    pub gradients: Option<Arc<dyn Gradients>>,
    /// How floating-point numbers become integers; `None` if the job sums integers.
    pub point: Option<transports::aggregation::FixedPoint>,
}

/// The protocol that runs at a host for a member of a job.
pub enum OnHost {
    /// A protocol beside the host's transport.
    Participant(Box<dyn Participant>),
    /// An application above the host's transport, and the service of its messages.
    Application(u16, Box<dyn Application>),
}

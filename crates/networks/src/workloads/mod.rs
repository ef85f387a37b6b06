//! The workloads that plans can name in `[[workload]]`.
//!
//! A workload is a [`WorkloadKind`]: it has a name, and turns its section into a `demand::WorkloadPlan`, which makes the
//! application of each host. [`ALL`] lists those of Polyplane; a [`Registry`](crate::Registry) may have others.

mod all_to_all;
mod incast;
mod matrix;
mod on_off;
mod parallel_incasts;
mod permutation;
mod ping;
mod poisson;
mod requests;

use std::any::Any;
use std::sync::Arc;

use basis::Duration;
use demand::WorkloadPlan;
use plans::Section;

use crate::topologies::Reading;

/// Every workload of Polyplane.
pub static ALL: [&dyn WorkloadKind; 9] = [
    &incast::IncastKind,
    &parallel_incasts::ParallelIncastsKind,
    &permutation::PermutationKind,
    &all_to_all::AllToAllKind,
    &poisson::PoissonKind,
    &on_off::OnOffKind,
    &requests::RequestsKind,
    &ping::PingKind,
    &matrix::MatrixKind,
];

/// The workload of a section without `kind`.
pub(crate) const USUAL: &str = "permutation";

/// The default length of messages, in bytes.
const BYTES: u64 = 100_000;
/// The default time for which workloads last that end at a time.
const UNTIL: Duration = Duration::from_microseconds(10_000);
/// The greatest number of hosts or messages that an entry can give.
const MOST: u64 = u32::MAX as u64;

/// A workload that plans can name.
pub trait WorkloadKind: Sync {
    /// Returns its name in plans.
    fn name(&self) -> &'static str;

    /// Reads the section. If it has a short form of this kind, `short` is the plan of that, which has the entries that are
    /// not given. Returns `None` after reporting errors to the section or to `reading`.
    fn read(
        &self,
        section: &Section<'_>,
        short: Option<&dyn WorkloadPlan>,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>>;
}

/// Returns the plan of the short form if it is of this type, and else `default`.
fn short_or<P: WorkloadPlan + Clone>(short: Option<&dyn WorkloadPlan>, default: P) -> P {
    short.and_then(|plan| (plan as &dyn Any).downcast_ref::<P>()).cloned().unwrap_or(default)
}

/// Reads a length of messages, at least 1 byte.
fn bytes(section: &Section<'_>, name: &'static str, default: u64) -> u64 {
    section.bytes(name, 1..=u64::MAX, default)
}

/// Reads a number of hosts or messages.
fn count(section: &Section<'_>, name: &'static str, least: u64, default: u32) -> u32 {
    section.count(name, least..=MOST, u64::from(default)) as u32
}

/// Reads an optional number of hosts.
fn optional_count(section: &Section<'_>, name: &'static str, least: u64, default: Option<u32>) -> Option<u32> {
    section.count_or(name, least..=MOST, default.map(u64::from)).map(|count| count as u32)
}

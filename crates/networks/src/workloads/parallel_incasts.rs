//! `parallel-incasts`: many hosts send to several, host `i` to receiver `i mod receivers`.

use std::sync::Arc;

use basis::Duration;
use demand::{ParallelIncasts, WorkloadPlan};
use plans::Section;

use super::{BYTES, WorkloadKind, bytes, count, short_or};
use crate::topologies::Reading;

pub(super) struct ParallelIncastsKind;

impl WorkloadKind for ParallelIncastsKind {
    fn name(&self) -> &'static str {
        "parallel-incasts"
    }

    fn read(
        &self,
        section: &Section<'_>,
        short: Option<&dyn WorkloadPlan>,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>> {
        let _ = reading;
        let usual =
            ParallelIncasts { senders: 16, receivers: 4, first_receiver: 0, bytes: BYTES, spread: Duration::ZERO };
        let usual = short_or(short, usual);
        Some(Arc::new(ParallelIncasts {
            senders: count(section, "senders", 1, usual.senders),
            receivers: count(section, "receivers", 1, usual.receivers),
            first_receiver: count(section, "first_receiver", 0, usual.first_receiver),
            bytes: bytes(section, "bytes", usual.bytes),
            spread: section.duration("spread", usual.spread),
        }))
    }
}

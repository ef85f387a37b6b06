//! `incast`: many hosts send to one.

use std::sync::Arc;

use basis::Duration;
use demand::{Incast, WorkloadPlan};
use plans::Section;

use super::{BYTES, WorkloadKind, bytes, count, optional_count, short_or};
use crate::topologies::Reading;

pub(super) struct IncastKind;

impl WorkloadKind for IncastKind {
    fn name(&self) -> &'static str {
        "incast"
    }

    fn read(
        &self,
        section: &Section<'_>,
        short: Option<&dyn WorkloadPlan>,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>> {
        let _ = reading;
        let usual = Incast { senders: 8, bytes: BYTES, spread: Duration::ZERO, receiver: None };
        let usual = short_or(short, usual);
        Some(Arc::new(Incast {
            senders: count(section, "senders", 1, usual.senders),
            bytes: bytes(section, "bytes", usual.bytes),
            spread: section.duration("spread", usual.spread),
            receiver: optional_count(section, "receiver", 0, usual.receiver),
        }))
    }
}

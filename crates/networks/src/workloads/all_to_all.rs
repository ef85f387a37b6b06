//! `all-to-all`: every host sends to every other.

use std::sync::Arc;

use demand::{AllToAll, WorkloadPlan};
use plans::Section;

use super::{BYTES, WorkloadKind, bytes, count, short_or};
use crate::topologies::Reading;

pub(super) struct AllToAllKind;

impl WorkloadKind for AllToAllKind {
    fn name(&self) -> &'static str {
        "all-to-all"
    }

    fn read(
        &self,
        section: &Section<'_>,
        short: Option<&dyn WorkloadPlan>,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>> {
        let _ = reading;
        let usual = short_or(short, AllToAll { bytes: BYTES, outstanding: 0 });
        let outstanding = count(section, "outstanding", 0, usual.outstanding);
        Some(Arc::new(AllToAll { bytes: bytes(section, "bytes", usual.bytes), outstanding }))
    }
}

//! `permutation`: every host sends to one other and receives from one other.

use std::sync::Arc;

use demand::{Permutation, WorkloadPlan};
use plans::Section;

use super::{BYTES, WorkloadKind, bytes, short_or};
use crate::topologies::Reading;

pub(super) struct PermutationKind;

impl WorkloadKind for PermutationKind {
    fn name(&self) -> &'static str {
        "permutation"
    }

    fn read(
        &self,
        section: &Section<'_>,
        short: Option<&dyn WorkloadPlan>,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>> {
        let _ = reading;
        let usual = short_or(short, Permutation { bytes: BYTES });
        Some(Arc::new(Permutation { bytes: bytes(section, "bytes", usual.bytes) }))
    }
}

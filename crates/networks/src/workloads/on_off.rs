//! `on-off`: hosts alternate between sending at full rate and sending nothing.

use std::sync::Arc;

use basis::Duration;
use demand::{OnOff, WorkloadPlan};
use plans::Section;

use super::{BYTES, UNTIL, WorkloadKind, bytes, short_or};
use crate::topologies::Reading;

pub(super) struct OnOffKind;

impl WorkloadKind for OnOffKind {
    fn name(&self) -> &'static str {
        "on-off"
    }

    fn read(
        &self,
        section: &Section<'_>,
        short: Option<&dyn WorkloadPlan>,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>> {
        let _ = reading;
        let microseconds = Duration::from_microseconds;
        let usual = OnOff { bytes: BYTES, on: microseconds(100), off: microseconds(400), until: UNTIL };
        let usual = short_or(short, usual);
        Some(Arc::new(OnOff {
            bytes: bytes(section, "bytes", usual.bytes),
            on: section.positive("on", usual.on),
            off: section.positive("off", usual.off),
            until: section.positive("until", usual.until),
        }))
    }
}

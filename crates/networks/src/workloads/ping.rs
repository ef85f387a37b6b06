//! `ping`: small messages at a fixed interval, each of which is answered.

use std::sync::Arc;

use basis::Duration;
use demand::{Ping, WorkloadPlan};
use plans::Section;

use super::{UNTIL, WorkloadKind, bytes, short_or};
use crate::topologies::Reading;

pub(super) struct PingKind;

impl WorkloadKind for PingKind {
    fn name(&self) -> &'static str {
        "ping"
    }

    fn read(
        &self,
        section: &Section<'_>,
        short: Option<&dyn WorkloadPlan>,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>> {
        let _ = reading;
        let usual = Ping { interval: Duration::from_microseconds(100), until: UNTIL, bytes: 64 };
        let usual = short_or(short, usual);
        Some(Arc::new(Ping {
            interval: section.positive("interval", usual.interval),
            until: section.positive("until", usual.until),
            bytes: bytes(section, "bytes", usual.bytes),
        }))
    }
}

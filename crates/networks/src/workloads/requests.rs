//! `requests`: clients ask, and servers respond.

use std::sync::Arc;

use demand::{Requests, WorkloadPlan};
use plans::Section;

use super::{BYTES, WorkloadKind, bytes, count, optional_count, short_or};
use crate::topologies::Reading;

pub(super) struct RequestsKind;

impl WorkloadKind for RequestsKind {
    fn name(&self) -> &'static str {
        "requests"
    }

    fn read(
        &self,
        section: &Section<'_>,
        short: Option<&dyn WorkloadPlan>,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>> {
        let _ = reading;
        let usual = Requests { request: 64, response: BYTES, outstanding: 1, count: None, servers: None };
        let usual = short_or(short, usual);
        Some(Arc::new(Requests {
            request: bytes(section, "request", usual.request),
            response: bytes(section, "response", usual.response),
            outstanding: count(section, "outstanding", 1, usual.outstanding),
            count: section.count_or("count", 0..=u64::MAX, usual.count),
            servers: optional_count(section, "servers", 1, usual.servers),
        }))
    }
}

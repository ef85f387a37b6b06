//! `poisson`: messages that arrive at random times, at a given load.

use std::sync::Arc;

use demand::{End, FlowSizes, MessageSizes, Poisson, WorkloadPlan};
use plans::Section;

use super::{UNTIL, WorkloadKind, short_or};
use crate::topologies::Reading;

pub(super) struct PoissonKind;

impl WorkloadKind for PoissonKind {
    fn name(&self) -> &'static str {
        "poisson"
    }

    fn read(
        &self,
        section: &Section<'_>,
        short: Option<&dyn WorkloadPlan>,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>> {
        let _ = reading;
        let usual = Poisson { sizes: MessageSizes::Flows(FlowSizes::ALL[0]), load: 0.5, end: End::After(UNTIL) };
        let usual = short_or(short, usual);
        let sizes = section.parsed_or("sizes", "a size or a distribution", sizes, sizes_text, usual.sizes);
        let load = section.number("load", 0.0..=1.0, usual.load);
        if load == 0.0 {
            section.error(&section.span_of("load"), "the load is 0", "use a share of each host's link above 0");
        }
        let of_messages = match usual.end {
            End::Messages(messages) => Some(messages),
            End::After(_) => None,
        };
        // Either `until` or `messages` ends the workload; the one that is given applies.
        let is_until = section.has("until") || (of_messages.is_none() && !section.has("messages"));
        let end = if is_until {
            if section.has("messages") {
                section.error(
                    &section.span_of("messages"),
                    "`until` and `messages` exclude each other",
                    "keep one of them",
                );
            }
            let usual = match usual.end {
                End::After(until) => until,
                End::Messages(_) => UNTIL,
            };
            End::After(section.positive("until", usual))
        } else {
            End::Messages(section.count("messages", 1..=u64::MAX, of_messages.unwrap_or(1000)))
        };
        Some(Arc::new(Poisson { sizes, load, end }))
    }
}

fn sizes(text: &str) -> Result<MessageSizes, String> {
    let named = FlowSizes::ALL.into_iter().find(|sizes| sizes.name() == text).map(MessageSizes::Flows);
    let names = || FlowSizes::ALL.map(FlowSizes::name).join(", ");
    named.map_or_else(
        || units::bytes(text).map(MessageSizes::Fixed).map_err(|hint| format!("{}, or {hint}", names())),
        Ok,
    )
}

fn sizes_text(sizes: MessageSizes) -> String {
    match sizes {
        MessageSizes::Fixed(bytes) => units::bytes_text(bytes),
        MessageSizes::Flows(flows) => flows.name().to_owned(),
    }
}

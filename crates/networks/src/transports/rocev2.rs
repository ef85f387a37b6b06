//! RoCEv2 in plans: `docs/transports/rocev2.md`.

use std::sync::Arc;

use plans::Section;
use transports::Transport;
use transports::rocev2::Recovery::{GoBackN, SelectiveRepeat};
use transports::rocev2::{Dcqcn, RoceV2, RoceV2Parameters};

use super::{HostAttachment, TransportKind, TransportPlan, any_link};

pub(super) static ROCE_V2: RoceV2Kind = RoceV2Kind;

pub(super) struct RoceV2Kind;

/// The parameters that all hosts have in common; each has its own link.
#[derive(Debug)]
struct RoceV2Plan(RoceV2Parameters);

impl TransportKind for RoceV2Kind {
    fn name(&self) -> &'static str {
        "rocev2"
    }

    fn first_entry(&self) -> &'static str {
        "recovery"
    }

    fn read(&self, section: &Section<'_>) -> Arc<dyn TransportPlan> {
        let recovery =
            section.choice("recovery", &[("go-back-n", GoBackN), ("selective-repeat", SelectiveRepeat)], "go-back-n");
        let usual = RoceV2Parameters::new(any_link(), recovery);
        let code_point = |name, usual: u8| section.count(name, 0..=63, u64::from(usual)) as u8;
        let largest = u64::from(RoceV2Parameters::LARGEST_WINDOW);
        let mut parameters = RoceV2Parameters {
            payload: section.bytes("payload", 64..=32_768, u64::from(usual.payload)) as u32,
            window: section.count("window", 1..=largest, u64::from(usual.window)) as u32,
            packets_per_ack: section.count("packets_per_ack", 1..=255, u64::from(usual.packets_per_ack)) as u8,
            timeout: section.positive("timeout", usual.timeout),
            short_timeout: section.positive("short_timeout", usual.short_timeout),
            few: section.count("few", 0..=u64::from(u32::MAX), u64::from(usual.few)) as u32,
            retries: section.count("retries", 0..=255, u64::from(usual.retries)) as u8,
            ack_dscp: code_point("ack_dscp", usual.ack_dscp),
            notification_dscp: code_point("notification_dscp", usual.notification_dscp),
            dcqcn: section.flag("dcqcn", usual.dcqcn.is_some()).then(|| dcqcn(section)),
            ..usual
        };
        if !parameters.payload.is_multiple_of(4) {
            let hint = "use a multiple of 4, as InfiniBand counts in words of 4 bytes: 256, 512, 1024, 2048 or 4096";
            section.error(&section.span_of("payload"), "the payload is not a multiple of 4 bytes", hint);
            parameters.payload = usual.payload;
        }
        Arc::new(RoceV2Plan(parameters))
    }
}

impl TransportPlan for RoceV2Plan {
    fn packet_bytes(&self) -> u32 {
        self.0.packet_bytes()
    }

    fn payload_bytes(&self) -> u32 {
        self.0.payload
    }

    fn header_bytes(&self) -> u32 {
        self.0.header_bytes()
    }

    fn length_entry(&self) -> &'static str {
        "payload"
    }

    fn usual_queue(&self) -> &'static str {
        if self.0.dcqcn.is_some() { "ecn" } else { "drop-tail" }
    }

    fn longest_content(&self) -> u64 {
        self.0.longest_content
    }

    fn build(&self, HostAttachment { address, link, .. }: HostAttachment) -> Box<dyn Transport> {
        Box::new(RoceV2::new(address, RoceV2Parameters { link, ..self.0 }))
    }
}

fn dcqcn(section: &Section<'_>) -> Dcqcn {
    let usual = Dcqcn::default();
    Dcqcn {
        notification_interval: section.duration("notification_interval", usual.notification_interval),
        gain_divisor: section.count("gain_divisor", 1..=1_000_000, u64::from(usual.gain_divisor)) as u32,
        alpha_timer: section.positive("alpha_timer", usual.alpha_timer),
        increase_timer: section.positive("increase_timer", usual.increase_timer),
        byte_counter: section.bytes("byte_counter", 1..=u64::MAX, usual.byte_counter),
        fast_recoveries: section.count("fast_recoveries", 0..=1_000_000, u64::from(usual.fast_recoveries)) as u32,
        additive: section.rate("additive_increase", usual.additive),
        hyper: section.rate("hyper_increase", usual.hyper),
        lowest: section.rate("lowest_rate", usual.lowest),
    }
}

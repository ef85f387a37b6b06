//! `[limits]` and `[timeouts]`.

use plans::Section;

use crate::session::{SessionLimits, Timeouts};

/// The most sessions: flow ids have 32 bits, of which one is the direction.
const MOST: u64 = 1 << 30;

pub fn read(root: &Section<'_>, text: &mut String) -> (SessionLimits, Timeouts) {
    let section = root.section("limits");
    let sessions = section.count("sessions", 1..=MOST, SessionLimits::default().sessions.into()) as u32;
    let limits = SessionLimits {
        sessions,
        per_vnic: section.count("sessions_per_vnic", 1..=MOST, u64::from(sessions / 2).max(1)) as u32,
    };
    section.end(text);
    let section = root.section("timeouts");
    let usual = Timeouts::default();
    let timeouts = Timeouts {
        tcp_transitory: section.positive("tcp_transitory", usual.tcp_transitory),
        tcp_established: section.positive("tcp_established", usual.tcp_established),
        tcp_closed: section.positive("tcp_closed", usual.tcp_closed),
        udp: section.positive("udp", usual.udp),
        icmp: section.positive("icmp", usual.icmp),
        other: section.positive("other", usual.other),
    };
    section.end(text);
    (limits, timeouts)
}

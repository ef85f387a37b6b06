//! `[limits]` and `[timeouts]`.

use plans::Section;

use crate::configuration::SessionRate;
use crate::session::{SessionLimits, Timeouts};

/// The most sessions: flow ids have 32 bits, of which one is the direction.
const MOST: u64 = 1 << 30;

pub fn read(root: &Section<'_>, text: &mut String) -> (SessionLimits, SessionRate, Timeouts) {
    let section = root.section("limits");
    let sessions = section.count("sessions", 1..=MOST, SessionLimits::default().sessions.into()) as u32;
    let limits = SessionLimits {
        sessions,
        per_vnic: section.count("sessions_per_vnic", 1..=MOST, u64::from(sessions / 2).max(1)) as u32,
    };
    let rate = session_rate(&section, SessionRate::default());
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
    (limits, rate, timeouts)
}

/// Reads the rate at which sessions of a vNIC may begin, in `[limits]` for those that do not say otherwise. One without a burst
/// of its own has the burst that usually belongs to it.
pub fn session_rate(section: &Section<'_>, usual: SessionRate) -> SessionRate {
    let most = u64::from(u32::MAX);
    let per_second = section.count("new_sessions_per_second", 1..=most, usual.per_second.into()) as u32;
    let usual = if per_second == usual.per_second { usual } else { SessionRate::of(per_second) };
    SessionRate { per_second, burst: section.count("new_sessions_burst", 1..=most, usual.burst.into()) as u32 }
}

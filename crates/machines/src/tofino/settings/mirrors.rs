//! Mirror sessions: where mirrored packets go.

use std::collections::BTreeMap;

use plans::Section;
use queues::PacketColor;
use serde::{Deserialize, Serialize};

use super::{MOST_PORTS, Selection};

/// The mirror sessions of a chip, as its drivers set them (open-p4studio, `pipe_mgr_mirror_intf.h`). Coalescing sessions are
/// not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorSettings {
    sessions: BTreeMap<u32, MirrorSession>,
}

/// A mirror session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorSession {
    /// Whether packets that ingress, and packets that egress mirrors, may use the session.
    pub directions: [bool; 2],
    /// The device port of a copy.
    pub port: Option<u16>,
    /// The queue of each copy.
    pub queue: u8,
    /// The multicast groups of further copies.
    pub selection: Selection,
    /// Whether a copy goes to the CPU port, and its class of service.
    pub to_cpu: Option<u8>,
    /// The length to which copies are cut, in bytes, the program's header in front included.
    pub length: Option<u32>,
    /// The class of service of the copies.
    pub class_of_service: u8,
    /// The colour of the copies.
    pub color: PacketColor,
    /// Whether copies that find no room go to the deflection port.
    pub deflects: bool,
}

impl MirrorSettings {
    /// Reads the `[[mirror]]` sections within a section, and appends their text to `text`.
    pub fn read(section: &Section<'_>, text: &mut String) -> Self {
        let mut sessions = BTreeMap::new();
        for own in section.sections("mirror") {
            own.require("session", "the number of the mirror session: session = 1");
            let number = own.count("session", 0..=1023, 0) as u32;
            if sessions.insert(number, session(&own)).is_some() {
                let message = format!("the mirror session {number} is there twice");
                own.error(&own.span_of("session"), message, "keep one of them");
            }
            own.end(text);
        }
        Self { sessions }
    }

    /// Takes over the sessions that a fragment of settings has; the others stay.
    pub fn merge(&mut self, fragment: Self) {
        self.sessions.extend(fragment.sessions);
    }

    /// Returns all sessions with their numbers, in order.
    pub fn sessions(&self) -> impl Iterator<Item = (u32, &MirrorSession)> {
        self.sessions.iter().map(|(&number, session)| (number, session))
    }

    /// Returns a session by its number.
    pub fn session(&self, number: u32) -> Option<&MirrorSession> {
        self.sessions.get(&number)
    }
}

fn session(section: &Section<'_>) -> MirrorSession {
    let directions = [("ingress", [true, false]), ("egress", [false, true]), ("both", [true; 2]), ("none", [false; 2])];
    let colors = [("green", PacketColor::Green), ("yellow", PacketColor::Yellow), ("red", PacketColor::Red)];
    let small = |name| section.count(name, 0..=7, 0) as u8;
    let session = MirrorSession {
        directions: section.choice("direction", &directions, "both"),
        port: section.optional_count("port", 0..=u64::from(MOST_PORTS - 1)).map(|port| port as u16),
        queue: section.count("queue", 0..=127, 0) as u8,
        selection: selection(section),
        to_cpu: section.flag("copy_to_cpu", false).then(|| small("icos_for_copy_to_cpu")),
        length: section.optional_count("length", 1..=65_535).map(|length| length as u32),
        class_of_service: small("ingress_cos"),
        color: section.choice("color", &colors, "green"),
        deflects: section.flag("deflect_on_drop", false),
    };
    if session.port.is_none() && session.to_cpu.is_none() && session.selection.groups == [0; 2] {
        let hint = "give it a `port`, a multicast group (`mcast_grp_a`) or `copy_to_cpu = true`";
        section.error(section.span(), "the mirror session sends its packets nowhere", hint);
    }
    session
}

/// Reads the multicast groups of a session, and what chooses among their copies.
fn selection(section: &Section<'_>) -> Selection {
    let number = |name, most| section.count(name, 0..=most, 0);
    let groups = ["mcast_grp_a", "mcast_grp_b"].map(|name| number(name, 65_535) as u32);
    if groups == [0; 2] {
        // Without a group, the entries below have no meaning, and are unknown.
        return Selection::default();
    }
    Selection {
        groups,
        node_hash: number("level1_mcast_hash", 8191) as u16,
        lag_hash: number("level2_mcast_hash", 8191) as u16,
        node_exclusion: number("level1_exclusion_id", 65_535) as u16,
        port_exclusion: number("level2_exclusion_id", 511) as u16,
        rid: number("rid", 65_535) as u16,
    }
}

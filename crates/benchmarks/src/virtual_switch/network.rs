//! A network of three guests on one switch, and the time that the switch needs for their packets.

use std::fmt::Write as _;
use std::ops::Range;
use std::time::Instant as WallClock;

use basis::{Duration, Instant};
use diagnostics::Failure;
use files::PlanText;
use measure::Interest;
use node::{Burst, Node, Outbox, Port};
use vswitch::VirtualSwitch;
use vswitch::configuration::read;

use crate::timing::RUNS;

/// The guests, by the last byte of their addresses. The port of each in the switch is one less.
pub const CLIENT: u8 = 1;
pub const SERVER: u8 = 2;
pub const NEIGHBOUR: u8 = 3;

/// The packets of a burst, as the driver of interfaces has them.
pub const BURST: usize = 64;
/// More new sessions in a second than ever begin.
pub const WITHOUT_BUDGET: u32 = u32::MAX;

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Extent {
    /// The packets of a run.
    pub packets: u32,
    /// The number of runs, of which the fastest counts, or the median of pairs.
    pub runs: u64,
    /// The rules of the server's security group for hosts that are not there.
    pub rules: u32,
}

impl Extent {
    /// A quick measurement. A switch of 10,000 rules takes longer to make than to send packets.
    pub const QUICK: Self = Self { packets: 1 << 12, runs: 1, rules: 100 };
    /// A measurement whose figures can be quoted.
    pub const FULL: Self = Self { packets: 1 << 18, runs: RUNS, rules: 10_000 };

    /// Returns the extent of a measurement that is quick or not.
    pub fn of(quick: bool) -> Self {
        if quick { Self::QUICK } else { Self::FULL }
    }
}

/// Returns the configuration: two guests that ask a third one, in whose security group there are `rules` rules for others. So
/// many sessions of each may begin in a second. `path` has lines of the section `[path]`.
pub fn configuration(new_sessions: u32, path: &str, rules: u32) -> String {
    let mut text = format!(
        "[limits]\nsessions_per_vnic = 100000\nnew_sessions_per_second = {new_sessions}\n\
        [path]\n{path}\n\
        [[vpc]]\nname = \"net\"\nvni = 7001\n\
        [[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\ngateway = \"10.0.1.254\"\n\
        [[vpc.subnet]]\nprefix = \"fd00::/64\"\ngateway = \"fd00::fe\"\n"
    );
    for (name, guest) in [("client", CLIENT), ("server", SERVER), ("neighbour", NEIGHBOUR)] {
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            "[[vnic]]\nname = \"{name}\"\ninterface = \"tap{guest}\"\nvpc = \"net\"\nmac = \"02:00:00:00:00:0{guest}\"\n\
            addresses = [\"10.0.1.{guest}\", \"fd00::{guest}\"]\n"
        );
        if guest == SERVER {
            text.push_str("security_groups = [\"servers\"]\n");
        }
    }
    text.push_str(
        "[[security_group]]\nname = \"servers\"\n\
        [[security_group.rule]]\ndirection = \"in\"\nprotocol = \"tcp\"\nports = \"80-87\"\n\
        [[security_group.rule]]\ndirection = \"in\"\nprotocol = \"udp\"\n",
    );
    for rule in 0..rules {
        let [_, _, third, fourth] = rule.to_be_bytes();
        let _ = write!(
            text,
            "[[security_group.rule]]\ndirection = \"in\"\nprotocol = \"tcp\"\nports = {}\npeer = \"172.16.{third}.{fourth}\"\n",
            1000 + rule % 5000
        );
    }
    text
}

/// Returns a fresh switch of a configuration.
///
/// # Errors
/// If the configuration cannot be read, which is an error of this program.
pub fn switch(text: &str) -> Result<VirtualSwitch, Failure> {
    let name = "network".to_owned();
    let file = PlanText { path: name.clone(), name, text: text.to_owned(), folder: Default::default() };
    Ok(VirtualSwitch::new(read(&file)?.configuration, [1, 2]))
}

/// The work that a switch has done, and the time that it took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// The number of packets that it was given.
    pub packets: u32,
    /// The number of packets that it sent.
    pub sent: u32,
    /// The time of the switch in nanoseconds, without that in which the packets were made.
    pub nanoseconds: u64,
}

impl Work {
    /// Returns the time of one packet, in nanoseconds.
    pub fn of_packet(&self) -> f64 {
        self.nanoseconds as f64 / f64::from(self.packets)
    }

    /// Returns the part of the packets that went on.
    pub fn passed(&self) -> f64 {
        f64::from(self.sent) / f64::from(self.packets)
    }
}

/// Sends bursts through a switch that has nothing else to do, a million packets in a second of its clock, which is at the time of a burst's
/// number. `burst` makes the [`BURST`] packets of the burst of a number, and returns the guest that sends them.
pub fn send(switch: &mut VirtualSwitch, bursts: Range<u32>, mut burst: impl FnMut(u32, &mut Burst) -> u8) -> Work {
    let mut out = Outbox::new(Interest::default());
    let (mut work, mut packets) = (Work::default(), Burst::new());
    for number in bursts {
        let port = Port(u16::from(burst(number, &mut packets)) - 1);
        let count = packets.len();
        // A million packets a second.
        let now = Instant::ZERO + Duration::from_microseconds((u64::from(number) + 1) * BURST as u64);
        out.begin(now);
        let began = WallClock::now();
        switch.receive(now, port, &mut packets, &mut out);
        work.nanoseconds += began.elapsed().as_nanos() as u64;
        work.packets += count as u32;
        work.sent += out.transmissions.drain(..).count() as u32;
        out.discarded.clear();
        out.events.clear();
    }
    work
}

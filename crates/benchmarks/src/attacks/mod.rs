//! Measures what attacks of a guest cost the virtual switch, and the guest's neighbours.

mod neighbour;
mod packets;

use std::fmt::Write as _;
use std::time::Instant as WallClock;

use basis::{Duration, Instant};
use diagnostics::Failure;
use files::PlanText;
use measure::Interest;
use node::{Burst, Node, Outbox, Port};
use serde::Serialize;
use vswitch::VirtualSwitch;
use vswitch::configuration::read;

use crate::timing::RUNS;
use neighbour::{Other, rate_beside};
use packets::{ATTACKS, Attack, connection};

/// The packets of a burst, as the driver of interfaces has them.
const BURST: usize = 64;
/// The rules of the large security group.
const RULES: u32 = 10_000;
/// More sessions than ever begin.
const WITHOUT_BUDGET: u32 = u32::MAX;

/// The cost of one attack.
#[derive(Debug, Serialize)]
pub struct MeasuredAttack {
    /// The packets that the attacker sends.
    pub attack: &'static str,
    /// The time of one packet in the switch if there is no limit of new sessions per second, in nanoseconds.
    pub nanoseconds: f64,
    /// The rate that a neighbour keeps if the switch is busy and serves both, relative to that beside a guest whose packets
    /// belong to connections, with the default limit of new sessions per second.
    pub neighbour_keeps: f64,
    /// The same without a limit of new sessions per second: by the turns alone, which count costs.
    pub keeps_without_budget: f64,
    /// The part of the packets that went on, without a limit of new sessions per second.
    pub passed: f64,
}

/// Measures every attack: on a switch that has nothing else to do, and beside a neighbour.
///
/// # Errors
/// If the configuration cannot be read, which is an error of this program, or the system has no descriptors left.
pub fn attacks(quick: bool) -> Result<Vec<MeasuredAttack>, Failure> {
    let packets: u32 = if quick { 1 << 12 } else { 1 << 18 };
    let budget = vswitch::configuration::SessionRate::default().per_second;
    let mut measured = Vec::new();
    for (attack, make) in ATTACKS {
        let (mut fastest, mut passed) = (f64::MAX, 0.0);
        for _ in 0..RUNS {
            let (nanoseconds, share) = run(make, packets)?;
            (fastest, passed) = (fastest.min(nanoseconds), share);
        }
        let other = Other { make, reads: true };
        measured.push(MeasuredAttack {
            attack,
            nanoseconds: fastest,
            neighbour_keeps: kept(other, budget, packets)?,
            keeps_without_budget: kept(other, WITHOUT_BUDGET, packets)?,
            passed,
        });
    }
    let other = Other { make: |number| connection(packets::ATTACKER, number), reads: false };
    let [neighbour_keeps, keeps_without_budget] = [budget, WITHOUT_BUDGET].map(|budget| kept(other, budget, packets));
    measured.push(MeasuredAttack {
        attack: "connections to a guest that does not read",
        nanoseconds: measured[0].nanoseconds,
        neighbour_keeps: neighbour_keeps?,
        keeps_without_budget: keeps_without_budget?,
        passed: 1.0,
    });
    Ok(measured)
}

/// Returns the rate that a neighbour keeps beside somebody, relative to that beside a guest with connections: the median of
/// pairs of runs, one behind the other, so that other work on the computer meets both.
fn kept(other: Other, budget: u32, packets: u32) -> Result<f64, Failure> {
    let harmless = Other { make: |number| connection(packets::ATTACKER, number), reads: true };
    let mut ratios = Vec::new();
    for _ in 0..RUNS {
        let usual = rate_beside(harmless, &configuration(budget), packets)?;
        ratios.push(rate_beside(other, &configuration(budget), packets)? / usual);
    }
    ratios.sort_by(f64::total_cmp);
    Ok(ratios[ratios.len() / 2])
}

/// Returns a fresh switch of a configuration.
fn switch(text: &str) -> Result<VirtualSwitch, Failure> {
    let name = "attacks".to_owned();
    let file = PlanText { path: name.clone(), name, text: text.to_owned(), folder: Default::default() };
    Ok(VirtualSwitch::new(read(&file)?.configuration, [1, 2]))
}

/// Sends so many packets of an attack through a fresh switch. Returns the time of one, without the time in which they were made,
/// and the part of them that went on.
fn run(make: Attack, packets: u32) -> Result<(f64, f64), Failure> {
    let mut switch = switch(&configuration(WITHOUT_BUDGET))?;
    let mut out = Outbox::new(Interest::default());
    let (mut busy, mut passed, mut now) = (0, 0, Instant::ZERO);
    let mut burst = Burst::new();
    for first in (0..packets).step_by(BURST) {
        burst.extend((first..first + BURST as u32).map(make));
        // A million packets a second.
        now += Duration::from_microseconds(BURST as u64);
        out.begin(now);
        let began = WallClock::now();
        switch.receive(now, Port(0), &mut burst, &mut out);
        busy += began.elapsed().as_nanos();
        passed += out.transmissions.drain(..).count();
        out.discarded.clear();
        out.events.clear();
    }
    Ok((busy as f64 / f64::from(packets), passed as f64 / f64::from(packets)))
}

/// Returns the configuration: an attacker, a guest that it attacks, in whose security group there are many rules for others,
/// and a neighbour. So many sessions of each may begin in a second.
fn configuration(new_sessions: u32) -> String {
    let mut text = format!(
        "[limits]\nsessions_per_vnic = 100000\nnew_sessions_per_second = {new_sessions}\n\
        [[vpc]]\nname = \"net\"\nvni = 7001\n\
        [[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\ngateway = \"10.0.1.254\"\n\
        [[vpc.subnet]]\nprefix = \"fd00::/64\"\ngateway = \"fd00::fe\"\n"
    );
    for (name, guest) in
        [("attacker", packets::ATTACKER), ("victim", packets::VICTIM), ("neighbour", packets::NEIGHBOUR)]
    {
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            "[[vnic]]\nname = \"{name}\"\ninterface = \"tap{guest}\"\nvpc = \"net\"\nmac = \"02:00:00:00:00:0{guest}\"\n\
            addresses = [\"10.0.1.{guest}\", \"fd00::{guest}\"]\n"
        );
        if guest == packets::VICTIM {
            text.push_str("security_groups = [\"servers\"]\n");
        }
    }
    text.push_str(
        "[[security_group]]\nname = \"servers\"\n\
        [[security_group.rule]]\ndirection = \"in\"\nprotocol = \"tcp\"\nports = \"80-87\"\n\
        [[security_group.rule]]\ndirection = \"in\"\nprotocol = \"udp\"\n",
    );
    for rule in 0..RULES {
        let [_, _, third, fourth] = rule.to_be_bytes();
        let _ = write!(
            text,
            "[[security_group.rule]]\ndirection = \"in\"\nprotocol = \"tcp\"\nports = {}\npeer = \"172.16.{third}.{fourth}\"\n",
            1000 + rule % 5000
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_are_what_they_say() {
        let passed = |name: &str| {
            let (_, make) = ATTACKS.into_iter().find(|(attack, _)| *attack == name).expect("an attack");
            run(make, 1 << 12).expect("the configuration is right").1
        };
        for accepted in ["datagrams of 64 connections", "a flood of SYN", "IPv4 with 40 bytes of options"] {
            assert_eq!(passed(accepted), 1.0, "{accepted}");
        }
        assert_eq!(passed("IPv6 with eight extension headers"), 1.0);
        for refused in [
            "spoofed source address",
            "a scan of denied ports",
            "fragments without a first one",
            "IPv6 with sixty extension headers",
            "frames that are no packets",
        ] {
            assert_eq!(passed(refused), 0.0, "{refused}");
        }
    }

    #[test]
    fn a_neighbour_is_served_beside_a_flood() {
        let other = Other { make: ATTACKS[2].1, reads: true };
        let rate = rate_beside(other, &configuration(50_000), 1 << 10).expect("the configuration is right");
        assert!(rate > 0.0);
    }
}

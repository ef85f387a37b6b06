//! Measures what attacks of a guest cost the virtual switch, and the guest's neighbours.

mod attack;
mod neighbour;

use diagnostics::Failure;
use serde::Serialize;

use super::network::{BURST, Extent, WITHOUT_BUDGET, Work, configuration, send, switch};
use crate::statistics::median;
use attack::{ATTACKS, Attack, harmless};
use neighbour::{Other, rate_beside};

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
    let extent = Extent::of(quick);
    let budget = vswitch::configuration::SessionRate::default().per_second;
    let mut measured = Vec::new();
    for (attack, make) in ATTACKS {
        let (mut fastest, mut passed) = (f64::MAX, 0.0);
        for _ in 0..extent.runs {
            let work = run(make, extent)?;
            (fastest, passed) = (fastest.min(work.of_packet()), work.passed());
        }
        let other = Other { make, reads: true };
        measured.push(MeasuredAttack {
            attack,
            nanoseconds: fastest,
            neighbour_keeps: kept(other, budget, extent)?,
            keeps_without_budget: kept(other, WITHOUT_BUDGET, extent)?,
            passed,
        });
    }
    let other = Other { make: harmless, reads: false };
    let [neighbour_keeps, keeps_without_budget] = [budget, WITHOUT_BUDGET].map(|budget| kept(other, budget, extent));
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
fn kept(other: Other, budget: u32, extent: Extent) -> Result<f64, Failure> {
    let harmless = Other { make: harmless, reads: true };
    let text = configuration(budget, "", extent.rules);
    let mut ratios = Vec::new();
    for _ in 0..extent.runs {
        let usual = rate_beside(harmless, &text, extent.packets)?;
        ratios.push(rate_beside(other, &text, extent.packets)? / usual);
    }
    Ok(median(ratios))
}

/// Sends so many packets of an attack through a fresh switch.
fn run(make: Attack, extent: Extent) -> Result<Work, Failure> {
    let mut switch = switch(&configuration(WITHOUT_BUDGET, "", extent.rules))?;
    let burst = BURST as u32;
    Ok(send(&mut switch, 0..extent.packets / burst, |number, packets| {
        packets.extend((number * burst..(number + 1) * burst).map(make));
        super::network::CLIENT
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_are_what_they_say() {
        let passed = |name: &str| {
            let (_, make) = ATTACKS.into_iter().find(|(attack, _)| *attack == name).expect("an attack");
            run(make, Extent::QUICK).expect("the configuration is right").passed()
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
        let rate = rate_beside(other, &configuration(50_000, "", Extent::QUICK.rules), 1 << 10)
            .expect("the configuration is right");
        assert!(rate > 0.0);
    }
}

//! The rate of a guest beside another one, on a switch that is busy with both.

use std::ops::ControlFlow;
use std::time::{Duration, Instant as WallClock};

use diagnostics::Failure;
use live::{Driver, MemoryInterface};
use node::{Outbox, Port};
use vswitch::VirtualSwitch;

use super::attack::{Attack, of_neighbour};
use crate::virtual_switch::network::switch;

/// The packets that wait at most in each direction of an interface.
const WAITING: usize = 256;

/// The guest beside the neighbour.
#[derive(Clone, Copy)]
pub struct Other {
    /// Makes the packets that it sends.
    pub make: Attack,
    /// Whether the guest that both send to takes what it is given.
    pub reads: bool,
}

/// Returns the rate, in packets per second of the driver's time, at which a switch takes the packets of a neighbour, while both
/// guests always have packets waiting. The driver is that of real interfaces; these are links in memory, and the time in which
/// the packets are made does not count.
pub fn rate_beside(other: Other, configuration: &str, packets: u32) -> Result<f64, Failure> {
    let cannot = |error: std::io::Error| Failure::plain(format!("the links in memory cannot be made: {error}"));
    let mut near = Vec::new();
    let mut far = Vec::new();
    for port in 0..3 {
        let [one, two] = MemoryInterface::pair("guest", WAITING).map_err(cannot)?;
        near.push((Port(port), one));
        far.push(two);
    }
    let [attacker, victim, neighbour] = &far[..] else { return Ok(f64::NAN) };
    let mut driver = Driver::new(switch(configuration)?, near).map_err(cannot)?;
    let (mut attacks, mut ordinary) = (0, 0);
    let (mut busy, mut since) = (Duration::ZERO, WallClock::now());
    let turn = |_: &mut VirtualSwitch, _, _: &mut Outbox| {
        busy += since.elapsed();
        while attacker.send_packet((other.make)(attacks)).is_ok() {
            attacks = attacks.wrapping_add(1);
        }
        while neighbour.send_packet(of_neighbour(ordinary)).is_ok() {
            ordinary = ordinary.wrapping_add(1);
        }
        while other.reads && victim.receive_packet().is_some() {}
        while attacker.receive_packet().is_some() {}
        since = WallClock::now();
        if ordinary >= packets { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    driver.run(turn).map_err(cannot)?;
    Ok(f64::from(ordinary - WAITING as u32) / busy.as_secs_f64())
}

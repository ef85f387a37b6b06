//! A chip that has packets to work on.

use std::sync::Arc;

use basis::Instant;
use diagnostics::Failure;
use ir::interpret::threads::ThreadCode;
use ir::{Program, parse};
use machines::trio::{Trio, TrioParameters};
use machines::{Device, control_plane_of};
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Offered, Port, Sink, Transmission};
use wire::Packet;

/// Reads a program of threads.
pub(super) fn program(name: &str, text: &str) -> Arc<Program> {
    Arc::new(parse::program(name, text).expect("the programs that are measured are valid"))
}

/// Returns a packet of 64 bytes that the filter forwards. `number` chooses its flow.
pub(super) fn packet(number: u64) -> [u8; 64] {
    let mut packet = [7; 64];
    packet[0] = number.wrapping_mul(0x35) as u8;
    packet[12..15].copy_from_slice(&[8, 0, 0x45]);
    packet[26..34].copy_from_slice(&number.to_be_bytes());
    packet
}

/// What became of the packets of a chip.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// The times in picoseconds at which packets left or were dropped, in order.
    pub(super) times: Vec<u64>,
}

impl Sink for Ends {
    fn transmitted(&mut self, transmission: Transmission) {
        self.times.push(transmission.at.picoseconds());
    }

    fn discarded(&mut self, at: Instant, _: Discarded) {
        self.times.push(at.picoseconds());
    }

    fn event(&mut self, _: Instant, _: Event) {}
}

/// Offers so many packets to a chip, so many picoseconds apart and in turn on its ports, and runs it until it is idle. Returns
/// what became of them, and what the chip counted.
pub(super) fn run(
    program: &Arc<Program>,
    parameters: TrioParameters,
    packets: u64,
    spacing: u64,
) -> Result<(Ends, machines::Statistics), Failure> {
    let ports = parameters.ports.len() as u64;
    let info = Arc::new(control_plane_of(program));
    let mut chip = Trio::new(ThreadCode::new(Arc::clone(program)), info, parameters)?;
    let mut course = Course::new(Limit::default(), Interest::default());
    let mut ends = Ends::default();
    let endless = |endless: node::Endless| Failure::StandsStill(endless.to_string());
    for number in 0..packets {
        let at = Instant::from_picoseconds(number * spacing);
        let offered = Offered { at, port: Port((number % ports) as u16), packet: Packet::of_bytes(&packet(number)) };
        course.offer(&mut chip, offered, &mut ends).map_err(endless)?;
    }
    course.finish(&mut chip, &mut ends).map_err(endless)?;
    Ok((ends, chip.statistics()))
}

//! A chip that has packets to work on.

use std::sync::Arc;

use ::trio::{Code, Image, Parameters};
use basis::Instant;
use diagnostics::Failure;
use ir::{Program, parse};
use machines::trio::{Trio, TrioParameters};
use machines::{Device, control_plane_of};
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Offered, Port, Sink, Transmission};
use wire::Packet;

/// A program of threads, as the interpreter and as the chip have it.
pub(super) struct Measured {
    pub(super) program: Arc<Program>,
    pub(super) words: Code,
}

/// Reads a program of threads, and compiles it to words.
pub(super) fn program(name: &str, text: &str) -> Measured {
    let program = parse::program(name, text).expect("the programs that are measured are valid");
    let image = Image::new(&program, &Parameters::default(), Vec::new()).expect("and fit in words");
    Measured { program: Arc::new(program), words: image.code() }
}

/// Returns a packet of 64 bytes that the filter forwards. `number` chooses its flow.
pub(super) fn packet(number: u64) -> [u8; 64] {
    let mut packet = [7; 64];
    packet[0] = number.wrapping_mul(0x35) as u8;
    packet[12..15].copy_from_slice(&[8, 0, 0x45]);
    packet[26..34].copy_from_slice(&number.to_be_bytes());
    packet
}

/// The packets of a chip, counted by what became of them.
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
    measured: &Measured,
    parameters: TrioParameters,
    packets: u64,
    spacing: u64,
) -> Result<(Ends, machines::Statistics), Failure> {
    let ports = parameters.ports.len() as u64;
    let info = Arc::new(control_plane_of(&measured.program));
    let mut chip = Trio::new(measured.words.clone(), info, parameters)?;
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

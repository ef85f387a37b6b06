//! Sends a packet through a P4 router and prints everything that happened to it, as a tree.

use polyplane::{Failure, Machine, Program, Tables};

/// A UDP packet for 10.1.5.5 in an Ethernet frame.
const PACKET: &str =
    "0200000000010200000001aa0800450000251234400040115784c000020a0a0105050fa00fa100110000706f6c79706c616e65";

pub(crate) fn main() -> Result<(), Failure> {
    let program = Program::read("programs/p4/router/router.p4")?;
    let tables = Tables::read("programs/p4/router/router.stf", &program)?;
    let mut device = program.fit(&Machine::named("v1model")?)?.device()?;
    device.fill(&tables)?;
    for trace in device.trace(1, &bytes(PACKET))? {
        println!("{trace}");
    }
    let statistics = device.statistics();
    println!("{} packet in, {} out", statistics.received, statistics.transmitted);
    Ok(())
}

fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2).filter_map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()).collect()
}

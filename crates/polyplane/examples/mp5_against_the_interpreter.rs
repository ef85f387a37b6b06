//! Holds MP5 and a switch that recirculates against the interpreter, and prints the fewest packets that show a difference.

use polyplane::{Check, Failure, Machine, Program};

pub(crate) fn main() -> Result<(), Failure> {
    let program = Program::read("programs/domino/sequencer/sequencer.c")?;
    let check = Check::new(&program)
        .machine(Machine::named("mp5")?.with("pipelines", 8)?)
        .machine(Machine::named("recirculating")?.with("pipelines", 8)?)
        .traffic("uniform:flows=64")
        .packets(2_000);
    for outcome in check.run()? {
        println!("{}: {}", outcome.machine, if outcome.is_same() { "the same" } else { "DIFFERENT" });
        if let Some(difference) = outcome.difference {
            println!("{}", difference.witness);
        }
    }
    Ok(())
}

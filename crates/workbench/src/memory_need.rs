//! Checks that a program's state fits into memory before anything is allocated.
//!
//! A program with an array of 2^26 values is legal, and a failed allocation would abort the process.

use ir::Program;
use memory::Bytes;

use crate::machine::MachinePlan;
use diagnostics::Failure;

/// The size of an entry of the index-to-pipeline map in bytes: the pipeline of the index, its number of accesses, and
/// the number of packets on their way to it.
const MAP_ENTRY: u64 = 9;
/// The memory for known loads, in bytes for each index.
const KNOWN_LOAD: u64 = 24;

/// Checks that there is memory for a machine that runs a program beside the interpreter, and for comparing their
/// registers.
///
/// # Errors
/// If there is too little memory; the report says how much is needed and how much is available.
pub(crate) fn check_machine(program: &Program, plan: &MachinePlan) -> Result<(), Failure> {
    let state = program.register_bytes();
    let indices = state / 8;
    let pipelines = plan.parameters.pipelines();
    let on_machine = if plan.is_parallel() {
        state.saturating_mul(pipelines as u64).saturating_add(indices * MAP_ENTRY)
    } else {
        state
    };
    let known_load = plan.known_load.map_or(0, |_| indices * KNOWN_LOAD);
    // The registers of the interpreter, those of the machine merged into one copy, and a time for each value.
    let beside = 3 * state;
    let need = on_machine.saturating_add(known_load).saturating_add(beside);
    let name = plan.name;
    let machine = if plan.is_parallel() { format!("{name} with {pipelines} pipelines") } else { name.to_owned() };
    check(program, &format!("the registers on {machine}, compared with the interpreter,"), need)
}

/// Checks that there is memory for the state of a number of switches that run a program with a parser.
///
/// # Errors
/// If there is too little memory; the report says how much is needed and how much is available.
pub(crate) fn check_switches(program: &Program, switches: u64) -> Result<(), Failure> {
    check(program, "its registers, counters and meters", program.state_bytes().saturating_mul(switches))
}

/// The size of state, in bytes, up to which memory is not checked.
const SMALL: u64 = 16 << 20;

fn check(program: &Program, what: &str, need: u64) -> Result<(), Failure> {
    if need <= SMALL {
        return Ok(());
    }
    memory::check(need).map_err(|shortage| {
        let largest = program.registers.iter().max_by_key(|register| register.size());
        let hint = largest.map_or(String::new(), |register| {
            format!("  the largest register is `{}` of {} values\n", register.name, register.size())
        });
        let (need, available) = (Bytes(shortage.need), Bytes(shortage.available));
        Failure::DoesNotFit(format!(
            "`{}` does not fit this computer:\n- {what} need {need} of memory, and {available} are available\n{hint}",
            program.name
        ))
    })
}

#[cfg(test)]
mod tests {
    use ir::{Initial, Register, Type};

    use super::*;
    use crate::kinds::{BANZAI, MP5};

    fn program(arrays: usize) -> Program {
        let array = |number| Register {
            name: format!("r{number}"),
            ty: Type::INT32,
            length: Some(1 << 26),
            initial: Initial::Fill(0),
        };
        Program { name: "large".to_owned(), registers: (0..arrays).map(array).collect(), ..Program::default() }
    }

    #[test]
    fn a_program_that_needs_too_much_memory_is_rejected() {
        // 100,000 arrays of 2^29 bytes, eight of each on a switch of four pipelines beside the interpreter.
        let plan = MachinePlan::new(&MP5);
        let refused = check_machine(&program(100_000), &plan).expect_err("no computer has so much memory");
        let report = refused.render(false);
        assert_eq!(refused.exit_status(), 3);
        assert!(
            report.contains("mp5 with 4 pipelines") && report.contains("need 436.2 TB of memory, and "),
            "{report}"
        );
        assert!(report.contains("the largest register is `r99999` of 67108864 values"), "{report}");
        let refused = check_switches(&program(100_000), 2).expect_err("no computer has so much memory");
        assert!(refused.render(false).contains("need 107.4 TB of memory"), "{}", refused.render(false));
    }

    #[test]
    fn small_state_is_never_rejected() {
        let small = Program { registers: Vec::new(), ..program(0) };
        assert!(check_machine(&small, &MachinePlan::new(&BANZAI)).is_ok());
        assert!(check_switches(&small, 1000).is_ok());
    }
}

//! What the fuzzers share: texts out of bytes, packets out of bytes, and runs that are held against each other.

pub mod controllers;
mod cursor;
mod mutation;
mod programs;
mod refusal;
mod requests;
mod switch_run;
mod threads;

use ir::Program;
use ir::interpret::Interpreter;

pub use cursor::Cursor;
pub use mutation::mutated;
pub use programs::{Compiled, PROGRAMS, TNA_PROGRAMS, compile, compile_all, steps, steps_for};
pub use refusal::{is_reasoned, is_refusal};
pub use requests::request;
pub use switch_run::{Ran, Step, run_chip_on, run_switch, run_switch_on};
pub use threads::{run_image, run_threads};

/// Register values that a fuzzer is ready to allocate for each input.
const MOST_VALUES: usize = 1 << 16;

/// Two parts of an input, at its first zero byte: the second one is empty if there is none.
pub fn parts(data: &[u8]) -> (&[u8], &[u8]) {
    let end = data.iter().position(|&byte| byte == 0);
    end.map_or((data, &[]), |end| (&data[..end], &data[end + 1..]))
}

/// True if a program's registers are few enough to run it thousands of times a second.
pub fn is_small(program: &Program) -> bool {
    program.registers.iter().map(|register| register.size()).sum::<usize>() <= MOST_VALUES
}

/// Field values of packets out of bytes: one byte a value, small ones often, for branches compare with small numbers.
pub fn packets(program: &Program, data: &[u8]) -> Vec<Vec<u64>> {
    let fields: Vec<_> = program.fields().map(|(_, field)| field.ty).collect();
    let value = |(ty, &byte): (&ir::Type, &u8)| match byte {
        0..=15 => ty.value_of(byte.into()),
        16..=31 => ty.value_of(15 - i64::from(byte)),
        32..=47 => ty.value_of(1i64.rotate_left(u32::from(byte) * 4)),
        48..=63 => ty.value_of((1i64 << (u32::from(byte) - 16)) - 1),
        _ => ty.value_of(i64::from(byte).wrapping_mul(0x0101_0101_0101_0101)),
    };
    data.chunks_exact(fields.len().max(1)).map(|bytes| fields.iter().zip(bytes).map(value).collect()).collect()
}

/// What a run leaves: the fields of each packet, and the registers.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Final values, by packet and field.
    pub fields: Vec<Vec<u64>>,
    /// Final values, by register and index.
    pub registers: Vec<Vec<u64>>,
}

/// Runs packets through a program, each access within its register.
pub fn run(program: &Program, packets: &[Vec<u64>]) -> Outcome {
    let mut interpreter = Interpreter::new(program);
    let mut observe = |register, place| assert!(place < program.register(register).size(), "{place}\n{program}");
    let fields = run_each(program, packets, |values| interpreter.packet_observed(values, &mut observe));
    let registers = (0..program.registers.len()).map(|id| interpreter.registers().array(id).to_vec()).collect();
    Outcome { fields, registers }
}

/// Runs packets one after the other, each of which `run` takes through something; gives their fields.
pub fn run_each(program: &Program, packets: &[Vec<u64>], mut run: impl FnMut(&mut [u64])) -> Vec<Vec<u64>> {
    let mut values = vec![0; program.variables.len()];
    let mut one = |packet: &Vec<u64>| {
        values[..packet.len()].copy_from_slice(packet);
        run(&mut values);
        values[..packet.len()].to_vec()
    };
    packets.iter().map(&mut one).collect()
}

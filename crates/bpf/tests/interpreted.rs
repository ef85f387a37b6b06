//! Instructions mean to an interpreter of others what their names say.

use bpf::{Assembler, Comparison, Operation, Register, Size};

const R0: Register = Register::R0;
const R1: Register = Register::R1;
const R2: Register = Register::R2;
const R10: Register = Register::R10;

/// Runs a program with some memory as its argument.
fn run(memory: &[u8], write: impl FnOnce(&mut Assembler)) -> u64 {
    let mut assembler = Assembler::default();
    write(&mut assembler);
    assembler.exit();
    let bytes: Vec<u8> = assembler.finish().iter().flat_map(|instruction| instruction.bytes()).collect();
    let mut memory = memory.to_vec();
    let vm = rbpf::EbpfVmRaw::new(Some(&bytes)).expect("the program is valid");
    vm.execute_program(&mut memory).expect("the program stays in its memory")
}

#[test]
fn operations_compute() {
    let compute = |operation, left: i32, right: i32| {
        let with_register = run(&[0; 8], |a| {
            a.set(R0, left);
            a.set(R2, right);
            a.compute(operation, R0, R2);
        });
        let with_value = run(&[0; 8], |a| {
            a.set(R0, left);
            a.compute(operation, R0, right);
        });
        assert_eq!(with_register, with_value);
        with_value
    };
    assert_eq!(compute(Operation::Add, 40, 2), 42);
    assert_eq!(compute(Operation::Add, 1, -2), u64::MAX);
    assert_eq!(compute(Operation::And, 0b1100, 0b1010), 0b1000);
    assert_eq!(compute(Operation::Or, 0b1100, 0b1010), 0b1110);
    assert_eq!(compute(Operation::ShiftLeft, 3, 4), 48);
    assert_eq!(compute(Operation::ShiftRight, -1, 60), 15);
    assert_eq!(compute(Operation::Set, 3, 4), 4);
}

#[test]
fn loads_and_stores_have_their_sizes() {
    let memory = [0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89];
    let load = |size| run(&memory, |a| a.load(size, R0, R1, 1));
    assert_eq!(load(Size::Byte), 0x82);
    assert_eq!(load(Size::Half), u64::from(u16::from_ne_bytes([0x82, 0x83])));
    assert_eq!(load(Size::Word), u64::from(u32::from_ne_bytes([0x82, 0x83, 0x84, 0x85])));
    assert_eq!(load(Size::Double), u64::from_ne_bytes([0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89]));
    assert_eq!(run(&memory, |a| a.load_network_half(R0, R1, 0)), 0x8182);
    for (size, expected) in [(Size::Byte, 0x04), (Size::Half, 0x0304), (Size::Word, 0x0102_0304)] {
        let of_register = run(&memory, |a| {
            a.store_value(Size::Double, R10, -8, 0);
            a.set(R2, 0x0102_0304);
            a.store(size, R10, -8, R2);
            a.load(Size::Double, R0, R10, -8);
        });
        let of_value = run(&memory, |a| {
            a.store_value(Size::Double, R10, -8, 0);
            a.store_value(size, R10, -8, 0x0102_0304);
            a.load(Size::Double, R0, R10, -8);
        });
        if cfg!(target_endian = "little") {
            assert_eq!((of_register, of_value), (expected, expected), "{size:?}");
        }
    }
}

#[test]
fn jumps_go_where_comparisons_say() {
    let holds = |comparison, left: i32, right: i32| {
        run(&[0; 8], |a| {
            let (yes, end) = (a.label(), a.label());
            a.set(R2, left);
            a.jump_if(comparison, R2, right, yes);
            a.set(R0, 0);
            a.jump(end);
            a.bind(yes);
            a.set(R0, 1);
            a.bind(end);
        }) == 1
    };
    for (left, right) in [(1, 1), (1, 2), (2, 1), (-1, 1), (1, -1)] {
        let [unsigned_left, unsigned_right] = [left, right].map(|value| i64::from(value) as u64);
        assert_eq!(holds(Comparison::Equal, left, right), left == right);
        assert_eq!(holds(Comparison::Unequal, left, right), left != right);
        assert_eq!(holds(Comparison::Greater, left, right), unsigned_left > unsigned_right);
        assert_eq!(holds(Comparison::Less, left, right), unsigned_left < unsigned_right);
    }
}

#[test]
fn appended_instructions_go_on_behind_themselves() {
    let mut part = Assembler::default();
    let end = part.label();
    part.jump(end);
    part.set(R0, 7);
    part.bind(end);
    let part = part.finish();
    let result = run(&[0; 8], |a| {
        a.set(R0, 1);
        a.append(&part);
        a.compute(Operation::Add, R0, 1);
    });
    assert_eq!(result, 2);
}

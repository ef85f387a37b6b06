//! Bits by which packets say which members of groups are there: pipelines have none.

use ir::{Initial, Register, RegisterId, SelectionBits, Type};
use passes::flatten::{Options, flatten};

use crate::language::{NOTHING, Parts, program};
use crate::load::load;

/// Architectures whose programs have such bits pass bytes to egress, and are refused for that; so a program gets them here.
#[test]
fn bits_of_members_are_refused_with_the_table() {
    let parts = Parts {
        locals: "action_selector(HashAlgorithm.crc16, 32w16, 32w8) members;
            action set(bit<8> to) { hdr.h.b = to; }
            table chosen {
                key = { hdr.h.a: exact; hdr.h.d: selector; }
                actions = { set; }
                implementation = members;
            }",
        ingress: "chosen.apply();",
        ..NOTHING
    };
    let (mut program, _) = load("test.p4", &program(&parts));
    assert!(flatten(&program, &Options::default()).is_ok(), "without bits it is a program for pipelines");
    let register = RegisterId(program.registers.len() as u32);
    program.registers.push(Register {
        name: "bits".to_owned(),
        ty: Type::Bits(1),
        length: Some(128),
        initial: Initial::Fill(1),
    });
    let selection = program.profiles[0].selection.as_mut().expect("the profile has groups");
    selection.bits = Some(SelectionBits { register, places: 128 });
    ir::verify::program(&program).expect("the program is right");
    let findings = flatten(&program, &Options::default()).expect_err("a pipeline has no such bits");
    let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "packets say by a register which members of the groups of the table `In.chosen` are there, but in a pipeline \
          only the control plane changes what a table answers"
        ]
    );
}

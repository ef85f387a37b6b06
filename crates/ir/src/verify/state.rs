//! Verification of functions' parameters, of state other than registers and tables, and of the names that architectures
//! define.

use std::collections::HashSet;

use super::ids;
use super::item::{Findings, Item};
use crate::{Block, CounterId, DigestId, FunctionId, ProfileId, Program, SelectionBits, Type, typing};

pub(super) fn state(program: &Program, findings: &mut Findings) {
    for (number, function) in program.functions.iter().enumerate() {
        let item = Item::Function(FunctionId::from(number));
        let mut seen = HashSet::new();
        for &parameter in &function.parameters {
            findings.check(item, ids::variable(program, parameter).map(drop));
            if !seen.insert(parameter) {
                findings.push(item, "two parameters are the same variable");
            }
        }
    }
    for (number, counter) in program.counters.iter().enumerate() {
        if !(1..=64).contains(&counter.width) {
            let message = format!("a counter has 1 to 64 bits, not {}", counter.width);
            findings.push(Item::Counter(CounterId::from(number)), message);
        }
    }
    for (number, profile) in program.profiles.iter().enumerate() {
        let item = Item::Profile(ProfileId::from(number));
        if let Some(selection) = &profile.selection {
            findings.check(item, typing::algorithm(&selection.algorithm));
            findings.check(item, selection.bits.map_or(Ok(()), |bits| selection_bits(program, bits)));
        }
    }
    let mut bound = HashSet::new();
    for (number, profile) in program.profiles.iter().enumerate() {
        let register = profile.selection.as_ref().and_then(|selection| Some(selection.bits?.register));
        if register.is_some_and(|register| !bound.insert(register)) {
            findings.push(Item::Profile(ProfileId::from(number)), "the register has the bits of another profile too");
        }
    }
    for (number, digest) in program.digests.iter().enumerate() {
        for (_, ty) in &digest.fields {
            findings.check(Item::Digest(DigestId::from(number)), typing::width(*ty));
        }
    }
    let mut numbers = HashSet::new();
    for (place, list) in program.field_lists.iter().enumerate() {
        let item = Item::FieldList(place);
        if !numbers.insert(list.number) {
            findings.push(item, format!("another field list has the number {} too", list.number));
        }
        for &variable in &list.variables {
            findings.check(item, ids::variable(program, variable).map(drop));
        }
    }
    for (place, entrance) in program.entrances.iter().enumerate() {
        let found = match entrance.block {
            Block::Parser(id) => ids::parser(program, id).map(drop),
            Block::Function(id) => ids::function(program, id).map(drop),
        };
        findings.check(Item::Entrance(place), found);
    }
    for (place, (_, variable)) in program.intrinsics.iter().enumerate() {
        findings.check(Item::Intrinsic(place), ids::variable(program, *variable).map(drop));
    }
}

/// Checks the register with the bits of a profile's members.
fn selection_bits(program: &Program, bits: SelectionBits) -> Result<(), String> {
    let register = ids::register(program, bits.register)?;
    if register.ty != Type::Bits(1) {
        return Err(format!("the bits of members are in a register of bit<1>, not of {}", register.ty));
    }
    match register.length {
        None => Err("the bits of members are in a register that is an array".to_owned()),
        Some(length) if !(1..=length).contains(&bits.places) => {
            Err(format!("groups have {} places, and the register has {length} bits", bits.places))
        }
        Some(_) => Ok(()),
    }
}

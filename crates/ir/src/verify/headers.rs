//! Verification of arrays, headers and stacks.

use super::ids;
use super::item::{Findings, Item};
use crate::{Array, ArrayId, Header, HeaderId, Program, Stack, StackId, Type, typing};

pub(super) fn headers(program: &Program, findings: &mut Findings) {
    for (number, array) in program.arrays.iter().enumerate() {
        let item = Item::Array(ArrayId::from(number));
        findings.check(item, elements(program, array));
    }
    for (number, header) in program.headers.iter().enumerate() {
        check_header(program, Item::Header(HeaderId::from(number)), header, findings);
    }
    for (number, stack) in program.stacks.iter().enumerate() {
        let item = Item::Stack(StackId::from(number));
        findings.check(item, same_headers(program, stack));
        findings.check(
            item,
            ids::variable(program, stack.next)
                .and_then(|found| typing::takes("the next index of a stack", Type::Bits(32), found)),
        );
    }
}

/// Requires an array to have elements, all of one type.
fn elements(program: &Program, array: &Array) -> Result<(), String> {
    let first = *array.elements.first().ok_or("an array must have at least one variable")?;
    let expected = ids::variable(program, first)?;
    for &element in &array.elements {
        let found = ids::variable(program, element)?;
        if found != expected {
            return Err(format!("all variables of an array must have the same type, not {expected} and {found}"));
        }
    }
    Ok(())
}

fn check_header(program: &Program, item: Item, header: &Header, findings: &mut Findings) {
    let valid = ids::variable(program, header.valid);
    findings.check(item, valid.and_then(|found| typing::takes("the validity of a header", Type::Bool, found)));
    for field in &header.fields {
        match (ids::variable(program, field.variable), field.length) {
            (Err(error), _) => findings.push(item, error),
            (Ok(Type::Bits(_)), Some(length)) => {
                let found = ids::variable(program, length);
                findings.check(item, found.and_then(|found| typing::number("the length of a field", found)));
            }
            (Ok(other), Some(_)) => {
                findings.push(item, format!("a variable-length field must be a bit<N>, not {other}"));
            }
            (Ok(_), None) => (),
        }
    }
}

/// Requires a stack to have elements, all with fields of the same types.
fn same_headers(program: &Program, stack: &Stack) -> Result<(), String> {
    let first = *stack.elements.first().ok_or("a stack must have at least one header")?;
    let expected = shape(program, first)?;
    for &element in &stack.elements {
        if shape(program, element)? != expected {
            let names = [first, element].map(|id| program.headers[id.index()].name.as_str());
            return Err(format!(
                "the headers of a stack must have the same fields, but `{}` and `{}` differ",
                names[0], names[1]
            ));
        }
    }
    Ok(())
}

/// The type of each field of a header, and whether its length is variable.
fn shape(program: &Program, header: HeaderId) -> Result<Vec<(Type, bool)>, String> {
    let fields = ids::header(program, header)?.fields.iter();
    fields.map(|field| Ok((ids::variable(program, field.variable)?, field.length.is_some()))).collect()
}

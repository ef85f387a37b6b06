//! Who is told what happens to a packet, such as a trace.

use runtime::tables::{EntryHandle, Target};
use runtime::{Bits, Color};

use super::Request;
use crate::parser::StateId;
use crate::{CounterId, ErrorId, Expression, FunctionId, HeaderId, MeterId, ParserId, RegisterId, TableId, VariableId};

/// Where a condition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Before one of two blocks.
    If,
    /// Before each turn of a loop.
    Loop,
}

/// Is told what happens, in order. Everything is ignored unless it is asked for.
pub trait Observer {
    /// A register was read at a place, and this is what was there.
    fn read(&mut self, register: RegisterId, place: usize, value: &Bits) {
        let _ = (register, place, value);
    }

    /// A register was given a value at a place.
    fn written(&mut self, register: RegisterId, place: usize, value: &Bits) {
        let _ = (register, place, value);
    }

    /// A counter counted: the one at an index, which may be outside of the array, where nothing is counted; or, without
    /// an index, that of the entry that a table found.
    fn counted(&mut self, counter: CounterId, index: Option<u64>) {
        let _ = (counter, index);
    }

    /// A meter measured: the one at an index, which may be outside of the array, where all is green; or, without an
    /// index, that of the entry that a table found.
    fn measured(&mut self, meter: MeterId, index: Option<u64>, color: Color) {
        let _ = (meter, index, color);
    }

    /// A condition was evaluated. These are the values of all variables, by number.
    fn tested(&mut self, test: Test, condition: &Expression, holds: bool, values: &[Bits]) {
        let _ = (test, condition, holds, values);
    }

    /// What a parser verifies was evaluated. These are the values of all variables, by number. That it rejects comes
    /// after.
    fn verified(&mut self, condition: &Expression, holds: bool, values: &[Bits]) {
        let _ = (condition, holds, values);
    }

    /// A state compared values, and this is the place of the first case that matched, if one did.
    fn selected(&mut self, parser: ParserId, state: StateId, keys: &[Bits], case: Option<usize>) {
        let _ = (parser, state, keys, case);
    }

    /// Variables take the next bits of the packet, which go on to be there. That they change comes after.
    fn looked_ahead(&mut self, variables: &[VariableId], from: usize) {
        let _ = (variables, from);
    }

    /// The machine is asked for something.
    fn asked(&mut self, request: &Request) {
        let _ = request;
    }

    /// A parser enters a state.
    fn parser_state(&mut self, parser: ParserId, state: StateId) {
        let _ = (parser, state);
    }

    /// A header was extracted from these bits of the packet. That its fields and its validity change comes after.
    fn extracted(&mut self, header: HeaderId, from: usize, bits: usize) {
        let _ = (header, from, bits);
    }

    /// A header was emitted.
    fn emitted(&mut self, header: HeaderId, bits: usize) {
        let _ = (header, bits);
    }

    /// A parser rejects; the innermost one comes first, then those around it.
    fn rejected(&mut self, parser: ParserId, error: ErrorId) {
        let _ = (parser, error);
    }

    /// A header becomes valid or invalid otherwise. That its fields and its validity change comes after.
    fn validity(&mut self, header: HeaderId, valid: bool) {
        let _ = (header, valid);
    }

    /// A variable is given another value than it had, in whatever way: assigned, extracted, by a table, undefined.
    fn changed(&mut self, variable: VariableId, old: &Bits, new: &Bits) {
        let _ = (variable, old, new);
    }

    /// A table looked keys up: the entry that matched, if one did, and what runs. An entry whose member or group leads
    /// nowhere did not match.
    fn applied(&mut self, table: TableId, keys: &[Bits], entry: Option<EntryHandle>, target: &Target) {
        let _ = (table, keys, entry, target);
    }

    /// A function begins.
    fn entered(&mut self, function: FunctionId) {
        let _ = function;
    }

    /// That function ended.
    fn left(&mut self, function: FunctionId) {
        let _ = function;
    }

    /// The program said something for people, with all values in its text; also what an assertion that fails says.
    fn logged(&mut self, text: &str) {
        let _ = text;
    }
}

/// Ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}

//! Who is told what happens to a packet, such as a trace.

use runtime::Bits;
use runtime::tables::{EntryHandle, Target};

use crate::parser::StateId;
use crate::{ErrorId, FunctionId, HeaderId, ParserId, RegisterId, TableId, VariableId};

/// Is told what happens, in order. Everything is ignored unless it is asked for.
pub trait Observer {
    /// A register was read, or is about to be written, at a place.
    fn register(&mut self, register: RegisterId, place: usize) {
        let _ = (register, place);
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

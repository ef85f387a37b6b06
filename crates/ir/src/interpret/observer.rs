//! Observers of what happens to a packet, such as traces.

use runtime::tables::{EntryHandle, Target};
use runtime::{Bits, Color};

use super::Request;
use super::threads::{self, ThreadEnding, Ticket};
use crate::parser::StateId;
use crate::threads::InstructionId;
use crate::{
    CounterId, ErrorId, Expression, FilterId, FunctionId, HeaderId, MeterId, ParserId, RegisterId, TableId, VariableId,
    WredId,
};

/// The kind of statement that a condition belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// A conditional block.
    If,
    /// A loop.
    Loop,
}

/// Receives events in the order in which they happen. Each method ignores its event by default.
pub trait Observer {
    /// A register was read at an index and had this value.
    fn read(&mut self, register: RegisterId, place: usize, value: &Bits) {
        let _ = (register, place, value);
    }

    /// A value was written to a register at an index.
    fn written(&mut self, register: RegisterId, place: usize, value: &Bits) {
        let _ = (register, place, value);
    }

    /// A counter counted the packet. `index` may be outside of the array, where nothing is counted. For a direct counter
    /// that the program calls it is the slot of an entry, and for one that counts every hit `None`.
    fn counted(&mut self, counter: CounterId, index: Option<u64>) {
        let _ = (counter, index);
    }

    /// A meter measured the packet. `index` may be outside of the array, where every packet is green. For a direct meter
    /// that the program calls it is the slot of an entry, and for one that measures every hit `None`.
    fn measured(&mut self, meter: MeterId, index: Option<u64>, color: Color) {
        let _ = (meter, index, color);
    }

    /// A low-pass filter took a value and gave an output. `index` may be outside of the array, where the output is the value.
    fn filtered(&mut self, filter: FilterId, index: u64, value: u64, output: u64) {
        let _ = (filter, index, value, output);
    }

    /// A random early detector took a value and said whether the packet is to be dropped. `index` may be outside of the
    /// array, where nothing is dropped.
    fn detected(&mut self, wred: WredId, index: u64, value: u64, drops: bool) {
        let _ = (wred, index, value, drops);
    }

    /// A condition was evaluated. `values` holds the values of all variables, by index.
    fn tested(&mut self, test: Test, condition: &Expression, holds: bool, values: &[Bits]) {
        let _ = (test, condition, holds, values);
    }

    /// The condition of a `verify` statement was evaluated. `values` holds the values of all variables, by index. If
    /// the condition does not hold, the rejection follows as a separate event.
    fn verified(&mut self, condition: &Expression, holds: bool, values: &[Bits]) {
        let _ = (condition, holds, values);
    }

    /// A parser state compared its keys with its cases; `case` is the index of the first case that matched.
    fn selected(&mut self, parser: ParserId, state: StateId, keys: &[Bits], case: Option<usize>) {
        let _ = (parser, state, keys, case);
    }

    /// A lookahead read the next bits of the packet from position `from`, in bits, without consuming them. The changes
    /// of the variables follow as separate events.
    fn looked_ahead(&mut self, variables: &[VariableId], from: usize) {
        let _ = (variables, from);
    }

    /// The program made a request to the machine.
    fn asked(&mut self, request: &Request) {
        let _ = request;
    }

    /// A parser entered a state.
    fn parser_state(&mut self, parser: ParserId, state: StateId) {
        let _ = (parser, state);
    }

    /// A header was extracted from `bits` bits of the packet at position `from`, in bits. The changes of its fields and
    /// of its validity follow as separate events.
    fn extracted(&mut self, header: HeaderId, from: usize, bits: usize) {
        let _ = (header, from, bits);
    }

    /// A header of `bits` bits was emitted.
    fn emitted(&mut self, header: HeaderId, bits: usize) {
        let _ = (header, bits);
    }

    /// A parser rejected the packet. The innermost parser is reported first, then those that called it.
    fn rejected(&mut self, parser: ParserId, error: ErrorId) {
        let _ = (parser, error);
    }

    /// A header becomes valid or invalid other than by extraction. The changes of its fields and of its validity follow
    /// as separate events.
    fn validity(&mut self, header: HeaderId, valid: bool) {
        let _ = (header, valid);
    }

    /// The value of a variable changed, in whatever way: it was assigned, extracted, set by a table, or became
    /// undefined.
    fn changed(&mut self, variable: VariableId, old: &Bits, new: &Bits) {
        let _ = (variable, old, new);
    }

    /// A table was applied to keys. `entry` is the entry that matched, if one did; `target` is what runs. An entry
    /// whose member or group leads nowhere counts as a miss.
    fn applied(&mut self, table: TableId, keys: &[Bits], entry: Option<EntryHandle>, target: &Target) {
        let _ = (table, keys, entry, target);
    }

    /// A function was entered.
    fn entered(&mut self, function: FunctionId) {
        let _ = function;
    }

    /// A function returned or was unwound.
    fn left(&mut self, function: FunctionId) {
        let _ = function;
    }

    /// A thread executes an instruction. What the instruction changes follows as separate events, and then what it asks for.
    fn executed(&mut self, instruction: InstructionId) {
        let _ = instruction;
    }

    /// An instruction wrote a bit field of local memory, `from` bits behind the beginning.
    fn stored(&mut self, from: u64, width: u16, value: u64) {
        let _ = (from, width, value);
    }

    /// A thread asked for a transaction.
    fn requested(&mut self, ticket: Ticket, request: &threads::Request) {
        let _ = (ticket, request);
    }

    /// A transaction was answered. The variables or the local memory that the reply changes follow as separate events.
    fn replied(&mut self, ticket: Ticket, reply: &[u8]) {
        let _ = (ticket, reply);
    }

    /// Bytes of a reply were written to local memory.
    fn copied(&mut self, address: u64, bytes: &[u8]) {
        let _ = (address, bytes);
    }

    /// A thread has ended.
    fn thread_ended(&mut self, ending: ThreadEnding) {
        let _ = ending;
    }

    /// The program logged a message, with all values filled in; or an assertion failed and logged its message.
    fn logged(&mut self, text: &str) {
        let _ = text;
    }
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}

//! Recording of the events that an executor reports.

use ir::interpret::{Observer, Request, Test};
use ir::parser::StateId;
use ir::{
    CounterId, ErrorId, Expression, FilterId, FunctionId, HeaderId, MeterId, ParserId, RegisterId, TableId, VariableId,
    WredId,
};
use runtime::tables::{EntryHandle, Target};
use runtime::{Bits, Color};

use super::notes::{Noted, Seen};
use super::parts::Access;
use super::recorder::Recorder;

impl Observer for Recorder {
    fn read(&mut self, register: RegisterId, place: usize, value: &Bits) {
        self.observe(|_| Noted::Register { register, place, access: Access::Read, value: value.clone() });
    }

    fn written(&mut self, register: RegisterId, place: usize, value: &Bits) {
        self.observe(|_| Noted::Register { register, place, access: Access::Write, value: value.clone() });
    }

    fn counted(&mut self, counter: CounterId, index: Option<u64>) {
        self.observe(|_| Noted::Count(counter, index));
    }

    fn measured(&mut self, meter: MeterId, index: Option<u64>, color: Color) {
        self.observe(|_| Noted::Measure(meter, index, color));
    }

    fn filtered(&mut self, filter: FilterId, index: u64, value: u64, output: u64) {
        self.observe(|_| Noted::Filter(filter, [index, value, output]));
    }

    fn detected(&mut self, wred: WredId, index: u64, value: u64, drops: bool) {
        self.observe(|_| Noted::Detect(wred, [index, value], drops));
    }

    fn tested(&mut self, test: Test, condition: &Expression, holds: bool, values: &[Bits]) {
        self.observe(|validity| {
            let mut variables = condition.variables();
            variables.sort_unstable();
            variables.dedup();
            let seen = |variable: VariableId| {
                let is_defined = validity[variable.index()].is_none_or(|valid| !values[valid.index()].is_zero());
                Seen { variable, value: is_defined.then(|| values[variable.index()].clone()) }
            };
            Noted::Test { test, condition: condition.clone(), holds, seen: variables.into_iter().map(seen).collect() }
        });
    }

    fn selected(&mut self, parser: ParserId, state: StateId, keys: &[Bits], case: Option<usize>) {
        self.observe(|_| Noted::Select { parser, state, keys: keys.to_vec(), case });
    }

    fn looked_ahead(&mut self, variables: &[VariableId], from: usize) {
        self.observe(|_| Noted::Lookahead { variables: variables.to_vec(), from });
    }

    fn asked(&mut self, request: &Request) {
        self.observe(|_| Noted::Ask(request.clone()));
    }

    fn parser_state(&mut self, parser: ParserId, state: StateId) {
        self.observe(|_| Noted::State(parser, state));
    }

    fn extracted(&mut self, header: HeaderId, from: usize, bits: usize) {
        self.observe(|_| Noted::Extract { header, from, bits });
    }

    fn emitted(&mut self, header: HeaderId, bits: usize) {
        self.observe(|_| Noted::Emit(header, bits));
    }

    // The ending of the block contains the error.
    fn rejected(&mut self, _parser: ParserId, _error: ErrorId) {}

    fn validity(&mut self, header: HeaderId, valid: bool) {
        self.observe(|_| Noted::Validity(header, valid));
    }

    fn changed(&mut self, variable: VariableId, old: &Bits, new: &Bits) {
        self.change(variable, old, new);
    }

    fn applied(&mut self, table: TableId, keys: &[Bits], entry: Option<EntryHandle>, target: &Target) {
        self.observe(|_| Noted::Apply { table, keys: keys.to_vec(), entry, target: target.clone() });
    }

    fn entered(&mut self, function: FunctionId) {
        self.observe(|_| Noted::Enter(function));
    }

    fn left(&mut self, _function: FunctionId) {
        self.observe(|_| Noted::Leave);
    }

    fn logged(&mut self, text: &str) {
        self.observe(|_| Noted::Log(text.to_owned()));
    }
}

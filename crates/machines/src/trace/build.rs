//! Construction of a trace, a tree with names, from notes.

use std::collections::BTreeMap;

use ir::interpret::Ending;
use ir::{FunctionId, HeaderId, Program, TableId, VariableId};
use runtime::{Bits, ProgramState};

use super::names::{TraceNames, kind};
use super::notes::{Noted, Noting};
use super::parts::{Argument, Ended, Field, Hex};
use super::tree::{Origin, Pass, Step};

/// Builds the trees of arriving packets, which have these indices in `passes`.
pub(super) fn passes(
    program: &Program,
    state: &ProgramState,
    passes: Vec<Noting>,
    roots: impl Iterator<Item = usize>,
) -> Vec<Pass> {
    let names = TraceNames::new(program, state);
    let mut passes: Vec<Option<Noting>> = passes.into_iter().map(Some).collect();
    roots.map(|root| build(&names, root, &mut passes, &Given::new())).collect()
}

/// The latest values of action parameters by variable; missing ones are 0.
type Given = BTreeMap<VariableId, Bits>;

fn build(names: &TraceNames<'_>, number: usize, passes: &mut [Option<Noting>], given: &Given) -> Pass {
    let Noting { origin, bytes, length, notes, .. } = passes[number].take().expect("a packet begins once");
    // Only copies start with the variables of their original.
    let given = if matches!(origin, Origin::Copy { .. }) { given.clone() } else { Given::new() };
    let open = vec![Open::new(Around::Pass)];
    let mut builder = Builder { names, bytes: bytes.clone(), open, silent: Silent::Nothing, given };
    for noted in notes {
        match noted {
            Noted::Fork(child) if let Some(more) = passes[child].as_mut().and_then(|child| child.more.take()) => {
                builder.step(Step::More(more));
            }
            Noted::Fork(child) => {
                let pass = build(names, child, passes, &builder.given);
                builder.step(Step::Fork { pass });
            }
            noted => builder.add(noted),
        }
    }
    let steps = builder.finish();
    let length = (length != bytes.len()).then_some(length);
    Pass { origin, length, bytes: Hex(bytes), steps }
}

/// The construct that encloses the next step.
enum Around {
    Pass,
    Block(&'static str),
    /// The main function of a block, which is not shown as a separate call.
    Body,
    /// A call of a function, with its arguments.
    Call(FunctionId, Vec<Argument>),
    /// The action of the table that was applied in this step of the enclosing construct.
    Action(usize),
}

struct Open {
    around: Around,
    steps: Vec<Step>,
    /// The table that was applied, and its step, until its action begins.
    applied: Option<(TableId, usize)>,
}

/// Changes that earlier steps already imply.
enum Silent {
    Nothing,
    /// A header became valid or invalid: its fields change, and finally its validity.
    Validity(HeaderId),
    /// A header was extracted with these values: finally its validity changes, if it was invalid.
    Extraction(HeaderId, Vec<(VariableId, Bits)>),
}

struct Builder<'n> {
    names: &'n TraceNames<'n>,
    /// The bytes that parsers read.
    bytes: Vec<u8>,
    open: Vec<Open>,
    silent: Silent,
    given: Given,
}

impl Open {
    const fn new(around: Around) -> Self {
        Self { around, steps: Vec::new(), applied: None }
    }
}

impl Builder<'_> {
    fn add(&mut self, noted: Noted) {
        let names = self.names;
        if let Noted::Change { variable, old, new } = noted {
            return self.change(variable, old, new);
        }
        self.silent = Silent::Nothing;
        if !matches!(
            noted,
            Noted::Enter(_) | Noted::Register { .. } | Noted::Count(_, None) | Noted::Measure(_, None, _)
        ) {
            // The action of an applied table would have begun immediately.
            self.innermost().applied = None;
        }
        match noted {
            Noted::Begin(block) => self.open.push(Open::new(Around::Block(block))),
            Noted::Reads(bytes) => self.bytes = bytes,
            Noted::End(ending) => self.end(ending),
            Noted::State(parser, state) => {
                let parser = &names.program.parsers[parser.index()];
                let state = parser.states[state.index()].name.clone();
                self.step(Step::State { parser: parser.name.clone(), state });
            }
            Noted::Extract { header, from, bits } => {
                let (values, fields): (Vec<(VariableId, Bits)>, Vec<Field>) = names
                    .extracted(header, &self.bytes, from, bits)
                    .into_iter()
                    .map(|(variable, field)| ((variable, field.value.bits.clone()), field))
                    .unzip();
                self.silent = Silent::Extraction(header, values);
                self.step(Step::Extract { header: names.header(header), from, bits, fields });
            }
            Noted::Lookahead { variables, from } => self.step(names.looked_ahead(&variables, &self.bytes, from)),
            Noted::Select { parser, state, keys, case } => self.step(names.selected(parser, state, keys, case)),
            Noted::Test { test, condition, holds, seen } => {
                if let Some(step) = names.tested(test, &condition, holds, seen) {
                    self.step(step);
                }
            }
            Noted::Apply { table, keys, entry, target } => {
                self.step(names.applied(table, keys, entry, target));
                let open = self.innermost();
                open.applied = Some((table, open.steps.len() - 1));
            }
            Noted::Enter(function) => self.enter(function),
            Noted::Leave => self.close(),
            Noted::Validity(header, valid) => {
                self.silent = Silent::Validity(header);
                if !names.is_made(header) {
                    self.step(Step::Validity { header: names.header(header), valid });
                }
            }
            Noted::Register { register, place, access, value } => {
                self.step(names.accessed(register, place, access, value));
            }
            Noted::Count(counter, index) => self.counted(names.counted(counter, index), index),
            Noted::Measure(meter, index, color) => self.counted(names.measured(meter, index, color), index),
            Noted::Filter(filter, [index, value, output]) => self.step(names.filtered(filter, index, value, output)),
            Noted::Detect(wred, [index, value], drops) => self.step(names.detected(wred, index, value, drops)),
            Noted::Emit(header, bits) => self.step(Step::Emit { header: names.header(header), bits }),
            Noted::Log(text) => self.step(Step::Log { text }),
            Noted::Ask(request) => self.step(names.asked(request)),
            Noted::Multicast(group) => self.step(Step::Multicast { group }),
            Noted::Queue { port, instance } => self.step(Step::Queue { port, instance }),
            Noted::Transmit { port, length, bytes } => self.step(Step::Transmit { port, length, bytes: Hex(bytes) }),
            Noted::Discard(reason, detail) => self.step(Step::Discard { reason: reason.to_string(), detail }),
            Noted::Ignore(request) => self.step(Step::Ignore { request }),
            Noted::Named(step) => self.step(*step),
            Noted::Omit(steps, changed) => {
                let changed = changed.into_iter().filter(|(variable, _)| names.is_parameter(*variable));
                self.given.extend(changed);
                self.omitted(steps);
            }
            Noted::Change { .. } | Noted::Fork(_) => unreachable!("taken above"),
        }
    }

    fn change(&mut self, variable: VariableId, old: Bits, new: Bits) {
        let names = self.names;
        if self.is_silent(variable, &new) {
            return;
        }
        self.silent = Silent::Nothing;
        if names.is_parameter(variable) {
            self.given.insert(variable, new);
            return;
        }
        if let Some(header) = names.validity_of(variable) {
            // The whole header was assigned.
            if !names.is_made(header) {
                self.step(Step::Validity { header: names.header(header), valid: !new.is_zero() });
            }
            return;
        }
        if !names.is_hidden(variable) {
            let (old, new) = (names.value(variable, old), names.value(variable, new));
            self.step(Step::Change { name: names.variable(variable), old, new });
        }
    }

    /// Returns true if an earlier step implies the change.
    fn is_silent(&mut self, variable: VariableId, new: &Bits) -> bool {
        let of = self.names.header_of(variable);
        let is_validity = self.names.validity_of(variable).is_some();
        match &self.silent {
            Silent::Nothing => false,
            Silent::Validity(header) if of == Some(*header) => {
                if is_validity {
                    self.silent = Silent::Nothing;
                }
                true
            }
            // A later write to an extracted header has another value than the extracted one, or it would not be a
            // change.
            Silent::Extraction(header, values) if of == Some(*header) => {
                if is_validity {
                    self.silent = Silent::Nothing;
                    return true;
                }
                let extracted = values.iter().find(|(own, _)| *own == variable);
                // The length of a variable-length field is shown as the width of its value.
                extracted.is_none_or(|(_, value)| value.limbs()[0] == new.low())
            }
            _ => false,
        }
    }

    fn enter(&mut self, function: FunctionId) {
        let (names, program) = (self.names, self.names.program);
        // This may be a member of an action profile; its data has been copied to the variables by now.
        let member = names.action(function, &mut |parameter| self.given.get(&parameter).cloned());
        let open = self.innermost();
        let around = match (&open.around, open.applied.take()) {
            (_, Some((table, place))) if runs(program, table, function) => Around::Action(place),
            (Around::Block(_), _) if open.steps.is_empty() => Around::Body,
            _ => Around::Call(function, member.arguments.clone()),
        };
        if let Around::Action(place) = around
            && let Step::Apply { action: action @ None, .. } = &mut open.steps[place]
        {
            *action = Some(member);
        }
        self.open.push(Open::new(around));
    }

    /// Closes a function that has ended.
    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        match open.around {
            Around::Pass | Around::Block(_) => self.open.push(open),
            Around::Body => self.innermost().steps.extend(open.steps),
            Around::Call(function, arguments) => {
                let function = &self.names.program.functions[function.index()];
                let (name, kind) = (function.name.clone(), kind(function.kind));
                self.step(Step::Call { function: name, kind, arguments, steps: open.steps });
            }
            Around::Action(place) => {
                if let Step::Apply { steps, .. } = &mut self.innermost().steps[place] {
                    *steps = open.steps;
                }
            }
        }
    }

    /// Adds a step of a counter or meter, possibly the direct one of the entry that a table matched.
    fn counted(&mut self, step: Step, index: Option<u64>) {
        let open = self.innermost();
        if let (None, Some((_, place))) = (index, open.applied)
            && let Step::Apply { direct, .. } = &mut open.steps[place]
        {
            return direct.push(step);
        }
        self.step(step);
    }

    /// Adds the number of omitted steps at the end of the block, outside of any functions that they may have been in.
    fn omitted(&mut self, steps: u64) {
        while !matches!(self.innermost().around, Around::Block(_) | Around::Pass) {
            self.close();
        }
        self.step(Step::Omit { steps });
    }

    /// Closes a block that has ended, with everything that is open in it.
    fn end(&mut self, ending: Ending) {
        while !matches!(self.innermost().around, Around::Block(_) | Around::Pass) {
            self.close();
        }
        let ended = match ending {
            Ending::Done => Ended::Done,
            Ending::Rejected(error) => Ended::Rejected(self.error(error.index())),
            Ending::AssertionFailed => Ended::AssertionFailed,
            Ending::Unfinished => Ended::Unfinished,
        };
        if let Some(Open { around: Around::Block(block), steps, .. }) = self.open.pop() {
            self.step(Step::Block { block, steps, ended });
        }
    }

    fn error(&self, number: usize) -> String {
        self.names.program.errors.get(number).cloned().unwrap_or_else(|| number.to_string())
    }

    fn step(&mut self, step: Step) {
        self.innermost().steps.push(step);
    }

    fn innermost(&mut self) -> &mut Open {
        self.open.last_mut().expect("the packet itself is always open")
    }

    fn finish(mut self) -> Vec<Step> {
        std::mem::take(&mut self.open[0].steps)
    }
}

fn runs(program: &Program, table: TableId, function: FunctionId) -> bool {
    program.tables[table.index()].actions.iter().any(|action| action.function == function)
}

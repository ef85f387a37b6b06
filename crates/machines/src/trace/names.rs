//! Translation of the numbers in a program to the names that its author gave.

use ir::interpret::Request;
use ir::lookup::Found;
use ir::{
    CounterId, Expression, FilterId, Flow, FunctionId, FunctionKind, HeaderId, MeterId, Program, RegisterId, Statement,
    TableId, VariableId, WredId,
};
use runtime::tables::{EntryHandle, Target};
use runtime::{Bits, Color, ProgramState, read_bits};

use super::parts::{Access, Action, Asked, Choice, Field, Hex, Key};
use super::tree::Step;
use super::value::Value;

/// A program with the information that a trace needs to name its parts.
pub(crate) struct TraceNames<'a> {
    pub(super) program: &'a Program,
    state: &'a ProgramState,
    /// The header that each variable belongs to.
    headers: Vec<Option<HeaderId>>,
    /// Whether each variable is not shown, because the front end made it or something else implies it.
    hidden: Vec<bool>,
    /// Whether each variable is a parameter of an action.
    parameters: Vec<bool>,
    /// The table that assigns its result to each variable.
    found: Vec<Option<TableId>>,
    /// The expression that each variable made by the front end stands for, if it is assigned in only one place.
    kept: Vec<Option<&'a Expression>>,
}

impl<'a> TraceNames<'a> {
    pub(crate) fn new(program: &'a Program, state: &'a ProgramState) -> Self {
        let mut headers = vec![None; program.variables.len()];
        for (number, header) in program.headers.iter().enumerate() {
            let fields = header.fields.iter().flat_map(|field| [Some(field.variable), field.length]).flatten();
            fields.chain([header.valid]).for_each(|variable| headers[variable.index()] = Some(HeaderId::from(number)));
        }
        let hidden: Vec<bool> = program.variables.iter().map(|variable| is_made(&variable.name)).collect();
        let mut parameters = vec![false; program.variables.len()];
        let all = program.functions.iter().flat_map(|function| &function.parameters);
        all.for_each(|parameter| parameters[parameter.index()] = true);
        let (found, kept) = (found(program), kept(program, &hidden));
        Self { program, state, headers, hidden, parameters, found, kept }
    }

    /// Returns the header that a variable belongs to.
    pub(super) fn header_of(&self, variable: VariableId) -> Option<HeaderId> {
        self.headers[variable.index()]
    }

    /// Returns the header whose validity bit a variable is.
    pub(super) fn validity_of(&self, variable: VariableId) -> Option<HeaderId> {
        self.header_of(variable).filter(|header| self.program.headers[header.index()].valid == variable)
    }

    pub(super) fn is_hidden(&self, variable: VariableId) -> bool {
        self.hidden[variable.index()]
    }

    /// Returns true if the front end made the header.
    pub(super) fn is_made(&self, header: HeaderId) -> bool {
        is_made(&self.program.headers[header.index()].name)
    }

    /// Returns the table that sets a variable to whether an entry matched, or to the action that was chosen.
    pub(super) fn table_that_sets(&self, variable: VariableId) -> Option<TableId> {
        self.found[variable.index()]
    }

    /// Returns the expression whose value a variable made by the front end holds.
    pub(super) fn kept_in(&self, variable: VariableId) -> Option<&'a Expression> {
        self.kept[variable.index()]
    }

    /// Returns true for parameters of actions, whose values are shown with the action.
    pub(super) fn is_parameter(&self, variable: VariableId) -> bool {
        self.parameters[variable.index()]
    }

    pub(crate) fn variable(&self, variable: VariableId) -> String {
        self.program.variable(variable).name.clone()
    }

    pub(super) fn header(&self, header: HeaderId) -> String {
        self.program.headers[header.index()].name.clone()
    }

    pub(crate) fn value(&self, variable: VariableId, bits: Bits) -> Value {
        Value { ty: self.program.variable(variable).ty, bits }
    }

    /// Returns the fields of a header that was extracted from the given bits, each with its variable.
    pub(super) fn extracted(&self, id: HeaderId, bytes: &[u8], from: usize, bits: usize) -> Vec<(VariableId, Field)> {
        let header = &self.program.headers[id.index()];
        let width = |variable| self.program.variable(variable).ty.width() as usize;
        let fixed = header.fields.iter().filter(|field| field.length.is_none());
        // At most one field has variable length (P4_16, 13.8.2); it gets the bits that the others leave.
        let variable_length = bits.saturating_sub(fixed.map(|field| width(field.variable)).sum());
        let mut position = from;
        let field = |field: &ir::HeaderField| {
            let own = &self.program.variable(field.variable);
            let read = if field.length.is_some() { variable_length as u32 } else { own.ty.width() };
            let value = read_bits(bytes, position, read);
            position += read as usize;
            let ty = if field.length.is_some() { ir::Type::Bits(read as u16) } else { own.ty };
            let name = own.name.strip_prefix(&format!("{}.", header.name)).unwrap_or(&own.name).to_owned();
            (field.variable, Field { name, value: Value { ty, bits: value } })
        };
        header.fields.iter().map(field).collect()
    }

    /// Returns the step of a table that was applied, before anything in its action has run.
    pub(super) fn applied(&self, id: TableId, keys: Vec<Bits>, entry: Option<EntryHandle>, target: Target) -> Step {
        let table = &self.program.tables[id.index()];
        let matches = self.state.tables[id.index()].matches();
        let entry = entry.and_then(|entry| matches.get(entry));
        let asked = |place: usize| entry.and_then(|entry| entry.key.get(place)).cloned().map(Asked);
        let named = table.keys.iter().zip(keys).enumerate().map(|(place, (key, bits))| Key {
            name: key.name.clone(),
            value: Value { ty: self.program.type_of(&key.value), bits },
            entry: asked(place),
        });
        let has_priorities = table.keys.iter().any(|key| key.kind.has_priority());
        let (choice, action) = match target {
            Target::Action { action, data } => {
                let mut data = data.into_iter();
                (None, Some(self.action(table.actions[action as usize].function, &mut |_| data.next())))
            }
            Target::Member(member) => (Some(Choice::Member(member)), None),
            Target::Group(group) => (Some(Choice::Group(group)), None),
            Target::ActionSet(_) => (Some(Choice::ActionSet), None),
        };
        Step::Apply {
            table: table.name.clone(),
            hit: entry.is_some(),
            keys: named.collect(),
            priority: entry.filter(|_| has_priorities).map(|entry| entry.priority),
            choice,
            action,
            direct: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Returns the step of a look-up by a stage.
    pub(crate) fn looked_up(&self, table: TableId, keys: Vec<Bits>, found: &Found<'_>) -> Step {
        let runs = found.runs.map(|(action, data)| Target::Action { action, data: data.to_vec() });
        // Nothing runs if the default action refers to a member that no longer exists.
        let is_nothing = runs.is_none();
        let target = runs.unwrap_or(Target::Member(0));
        match self.applied(table, keys, found.entry, target) {
            Step::Apply { table, hit, keys, action, .. } => {
                Step::LookUp { table, hit, keys, action: action.filter(|_| !is_nothing) }
            }
            other => other,
        }
    }

    /// Returns an action with its arguments; `given` returns the value of a parameter, or `None` for 0.
    pub(super) fn action(&self, function: FunctionId, given: &mut dyn FnMut(VariableId) -> Option<Bits>) -> Action {
        let function = &self.program.functions[function.index()];
        let argument = |&parameter: &VariableId| {
            let name = self.variable(parameter);
            let short = name.rsplit('.').next().unwrap_or(&name).to_owned();
            let zero = || Bits::zero(self.program.variable(parameter).ty.width());
            Field { name: short, value: self.value(parameter, given(parameter).unwrap_or_else(zero)) }
        };
        Action { name: function.name.clone(), arguments: function.parameters.iter().map(argument).collect() }
    }

    /// Returns the step of a register access.
    pub(crate) fn accessed(&self, id: RegisterId, index: usize, access: Access, bits: Bits) -> Step {
        let register = self.program.register(id);
        Step::Register { register: register.name.clone(), index, access, value: Value { ty: register.ty, bits } }
    }

    /// Returns the step of a counter.
    pub(super) fn counted(&self, id: CounterId, index: Option<u64>) -> Step {
        let counter = &self.program.counters[id.index()];
        Step::Count {
            counter: counter.name.clone(),
            index,
            inside: self.is_inside(index, counter.size, self.program.table_of_counter(id)),
        }
    }

    /// Returns the step of a meter.
    pub(super) fn measured(&self, id: MeterId, index: Option<u64>, color: Color) -> Step {
        let meter = &self.program.meters[id.index()];
        let color = match color {
            Color::Green => "green",
            Color::Yellow => "yellow",
            Color::Red => "red",
        };
        Step::Meter {
            meter: meter.name.clone(),
            index,
            inside: self.is_inside(index, meter.size, self.program.table_of_meter(id)),
            color,
        }
    }

    /// Returns the step of a low-pass filter.
    pub(super) fn filtered(&self, id: FilterId, index: u64, value: u64, output: u64) -> Step {
        let ir::Filter { name, size } = &self.program.filters[id.index()];
        Step::Filter { filter: name.clone(), index, inside: index < u64::from(*size), value, output }
    }

    /// Returns the step of a random early detector.
    pub(super) fn detected(&self, id: WredId, index: u64, value: u64, drops: bool) -> Step {
        let ir::Wred { name, size } = &self.program.wreds[id.index()];
        Step::Detect { wred: name.clone(), index, inside: index < u64::from(*size), value, drops }
    }

    /// Returns whether a counter or meter exists: at an index of an array of `size`, or for the entry of `table` whose slot
    /// the index is.
    fn is_inside(&self, index: Option<u64>, size: Option<u32>, table: Option<TableId>) -> bool {
        let Some(index) = index else { return true };
        let has_entry = |table: TableId| self.state.tables[table.index()].entry_at(index).is_some();
        size.map_or_else(|| table.is_some_and(has_entry), |size| index < size.into())
    }

    /// Returns the step of a request to the machine.
    pub(super) fn asked(&self, request: Request) -> Step {
        match request {
            Request::Clone { kind, session, keep } => Step::AskClone { session, kind, keep: self.kept(keep) },
            Request::Mirror { session, data } => Step::AskMirror { session, data: Hex(data) },
            Request::Resubmit { keep, data } => Step::AskResubmit { keep: self.kept(keep), data: Hex(data) },
            Request::Recirculate { keep } => Step::AskRecirculate { keep: self.kept(keep) },
            Request::Truncate { length } => Step::AskTruncate { length },
            Request::Digest { digest, values } => {
                let digest = &self.program.digests[digest.index()];
                let field = |((name, ty), bits): (&(String, ir::Type), Bits)| Field {
                    name: name.clone(),
                    value: Value { ty: *ty, bits },
                };
                let fields = digest.fields.iter().zip(values).map(field).collect();
                Step::Digest { digest: digest.name.clone(), fields }
            }
        }
    }

    fn kept(&self, list: Option<usize>) -> Vec<String> {
        let list = list.and_then(|list| self.program.field_lists.get(list));
        list.map_or_else(Vec::new, |list| list.variables.iter().map(|&variable| self.variable(variable)).collect())
    }
}

/// Returns the name of a kind of function.
pub(super) const fn kind(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::Control => "control",
        FunctionKind::Action => "action",
        FunctionKind::Function => "function",
    }
}

/// Returns true for names made by a front end, which begin with `$`.
fn is_made(name: &str) -> bool {
    name.split('.').any(|part| part.starts_with('$'))
}

fn found(program: &Program) -> Vec<Option<TableId>> {
    let mut found = vec![None; program.variables.len()];
    for statement in program.functions.iter().flat_map(|function| &function.body) {
        statement.walk(&mut |statement| {
            if let Statement::Flow(Flow::Apply { table, hit, action, .. }) = statement {
                hit.iter().chain(action).for_each(|variable| found[variable.index()] = Some(*table));
            }
        });
    }
    found
}

fn kept<'p>(program: &'p Program, hidden: &[bool]) -> Vec<Option<&'p Expression>> {
    let mut kept: Vec<Option<&Expression>> = vec![None; program.variables.len()];
    let mut places = vec![0; program.variables.len()];
    let functions = program.functions.iter().map(|function| &function.body);
    let states = program.parsers.iter().flat_map(|parser| &parser.states).map(|state| &state.body);
    for statement in functions.chain(states).flatten() {
        statement.walk(&mut |statement| {
            if let Statement::Assign { variable, value } = statement
                && hidden[variable.index()]
            {
                places[variable.index()] += 1;
                // A variable that stands for itself, directly or through another one, has no expression.
                let is_later = value.variables().iter().any(|other| other >= variable);
                kept[variable.index()] = (places[variable.index()] == 1 && !is_later).then_some(value);
            }
        });
    }
    kept
}

//! The subjects of findings about the structure of a program. The parser maps them to locations in the text; programs
//! that were made by code get their names.

use crate::parser::StateId;
use crate::threads::{InstructionId, RecordTableId, SegmentId, TimerId};
use crate::{
    ArrayId, CounterId, DigestId, FunctionId, HeaderId, MeterId, ParserId, ProfileId, Program, StackId, TableId,
    ValueSetId, VariableId, print,
};

/// A part of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Item {
    Array(ArrayId),
    Header(HeaderId),
    Stack(StackId),
    Errors,
    Parser(ParserId),
    State(ParserId, StateId),
    /// A case of the `select` of a state.
    Case(ParserId, StateId, usize),
    ValueSet(ValueSetId),
    Function(FunctionId),
    Table(TableId),
    Key(TableId, usize),
    TableAction(TableId, usize),
    Default(TableId),
    Entry(TableId, usize),
    Counter(CounterId),
    Meter(MeterId),
    Profile(ProfileId),
    Digest(DigestId),
    FieldList(usize),
    Entrance(usize),
    Intrinsic(usize),
    Variable(VariableId),
    /// A program of threads as a whole.
    Threads,
    LocalMemory,
    Head,
    Segment(SegmentId),
    Records(RecordTableId),
    Timer(TimerId),
    PacketFlow,
    Instruction(InstructionId),
    /// A move of an instruction, by its place.
    Move(InstructionId, usize),
    Transaction(InstructionId),
    /// A way of an instruction's branch, by its place; the one without a condition is the last one.
    Way(InstructionId, usize),
    ThreadEntrance(usize),
}

/// A defect in a part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub item: Item,
    pub message: String,
}

/// The findings so far.
#[derive(Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    pub fn push(&mut self, item: Item, message: impl Into<String>) {
        self.0.push(Finding { item, message: message.into() });
    }

    pub fn check(&mut self, item: Item, outcome: Result<(), String>) {
        if let Err(message) = outcome {
            self.push(item, message);
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn into_vec(self) -> Vec<Finding> {
        self.0
    }
}

impl Item {
    /// Describes a part of a program of threads.
    fn describe_of_threads(self, program: &Program) -> String {
        let Some(threads) = &program.threads else { return "threads".to_owned() };
        let instruction = |id| format!("instruction `{}`", print::threads::instruction(threads, id));
        match self {
            Self::Segment(id) => format!("segment `{}`", print::threads::segment(threads, id)),
            Self::Records(id) => format!("table of records `{}`", print::threads::records(threads, id)),
            Self::Timer(id) => format!("timer `{}`", print::threads::timer(threads, id)),
            Self::Instruction(id) => instruction(id),
            Self::Move(id, place) => format!("{}, move {place}", instruction(id)),
            Self::Transaction(id) => format!("{}, transaction", instruction(id)),
            Self::Way(id, place) => format!("{}, way {place}", instruction(id)),
            Self::ThreadEntrance(place) => format!("entrance {place} of threads"),
            Self::Variable(id) => format!("`{}`", print::variable(program, id)),
            Self::Threads => "threads".to_owned(),
            Self::Head => "head".to_owned(),
            Self::PacketFlow => "flow".to_owned(),
            _ => "local memory".to_owned(),
        }
    }

    /// Describes the item in messages.
    pub fn describe(self, program: &Program) -> String {
        match self {
            Self::Array(id) => format!("array `{}`", print::array(program, id)),
            Self::Header(id) => format!("header `{}`", print::header(program, id)),
            Self::Stack(id) => format!("stack `{}`", print::stack(program, id)),
            Self::Errors => "errors".to_owned(),
            Self::Parser(id) => format!("parser `{}`", print::parser(program, id)),
            Self::State(parser, id) | Self::Case(parser, id, _) => {
                let state = program.parsers.get(parser.index()).and_then(|parser| parser.states.get(id.index()));
                let name = state.map_or_else(|| format!("<state {}>", id.index()), |state| state.name.clone());
                let state = format!("parser `{}`, state `{name}`", print::parser(program, parser));
                if let Self::Case(_, _, case) = self { format!("{state}, case {case}") } else { state }
            }
            Self::ValueSet(id) => format!("value set `{}`", print::value_set(program, id)),
            Self::Function(id) => format!("function `{}`", print::function(program, id)),
            Self::Table(id) => format!("table `{}`", print::table(program, id)),
            Self::Key(id, key) => format!("table `{}`, key {key}", print::table(program, id)),
            Self::TableAction(id, action) => format!("table `{}`, action {action}", print::table(program, id)),
            Self::Default(id) => format!("table `{}`, default", print::table(program, id)),
            Self::Entry(id, entry) => format!("table `{}`, entry {entry}", print::table(program, id)),
            Self::Counter(id) => format!("counter `{}`", print::counter(program, id)),
            Self::Meter(id) => format!("meter `{}`", print::meter(program, id)),
            Self::Profile(id) => format!("profile `{}`", print::profile(program, id)),
            Self::Digest(id) => format!("digest `{}`", print::digest(program, id)),
            Self::FieldList(place) => format!("field list {place}"),
            Self::Entrance(place) => format!("entrance {place}"),
            Self::Intrinsic(place) => format!("intrinsic {place}"),
            _ => self.describe_of_threads(program),
        }
    }
}

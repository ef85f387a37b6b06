//! The checker: it resolves names, computes types and constants, lays out memory, and makes the program in the IR.

mod access;
mod assign;
mod calls;
mod choice;
mod code;
mod contents;
mod declaration;
mod element;
mod expression;
mod instruction;
mod layout;
mod objects;
mod operand;
mod operator;
mod place;
mod reach;
mod statement;
mod transaction;
mod transactions;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use ir::threads::{HeadPlace, LocalMemory, MemoryKind, SegmentId, Threads};
use ir::{Initial, Program, VariableId};
use preprocessor::Report;

use crate::limits::{MOST_CONTENT_BYTES, MOST_OPERATIONS_TOGETHER};
use crate::predefined::{HEAD_BYTES, LOCAL_MEMORY_BYTES, PACKET_START};
use crate::syntax::{Item, Name, Unit};
use crate::types::{Structure, Type};
use value::Value;

/// The program in the IR, with the location of each instruction.
pub(crate) struct Checked {
    pub program: Program,
    pub places: Vec<Span>,
}

/// Returns the program, or `None` if it breaks a rule. All violations are reported.
pub(crate) fn check(unit: &Unit, name: &str, end: Span, report: &mut Report) -> Option<Checked> {
    let mut checker = Checker::new(name, report);
    checker.predefine();
    for item in &unit.items {
        match item {
            Item::Structure(structure) => drop(checker.structure(structure)),
            Item::Variable(variable) => checker.variable(variable),
            Item::Object(object) => checker.object(object),
            Item::Function(function) => checker.declare(&function.name, Entity::Subroutine),
            Item::Entrance(_) | Item::Flow(..) | Item::Code(_) => {}
        }
    }
    for broken in &unit.broken {
        checker.names.entry(broken.text.clone()).or_insert((Entity::Broken, broken.span));
    }
    checker.code(unit, end);
    checker.finish_memory();
    let errors = checker.report.errors.has_errors();
    (!errors).then_some(Checked { program: checker.program, places: checker.places })
}

struct Checker<'r> {
    report: &'r mut Report,
    /// The program as far as it is made; its threads are there.
    program: Program,
    /// The location of each instruction.
    places: Vec<Span>,
    /// The names that are declared outside of instructions.
    names: BTreeMap<Rc<str>, (Entity, Span)>,
    /// The structs and unions by name.
    structures: BTreeMap<Rc<str>, Rc<Structure>>,
    /// The first byte of local memory that no variable has.
    local_end: u64,
    /// The words with which local memory begins.
    local_words: Vec<u64>,
    /// The first byte of shared memory that no segment has, on the chip and off it.
    on_chip_end: u64,
    off_chip_end: u64,
    /// How many bytes of first contents may still be written down.
    content_left: u64,
    /// The predefined variables that are used.
    predefined: BTreeMap<Rc<str>, VariableId>,
    /// The names and labels of the instruction that is checked.
    current: instruction::Current,
    /// The numbers of the first instructions of subroutines.
    starts: BTreeMap<Rc<str>, usize>,
    /// The subroutine that is checked; `None` outside of all.
    inside: Option<Rc<str>>,
    /// Which subroutine calls which.
    calls: calls::Calls,
    /// The instructions whose labels are used as values.
    labels_taken: BTreeSet<usize>,
    /// How many operations instructions may still have.
    operations_left: u32,
    /// Whether it was reported that the program has too many operations.
    is_too_large: bool,
}

/// What a name stands for.
#[derive(Clone, Debug)]
enum Entity {
    /// A variable in local memory, at this address.
    Memory {
        ty: Type,
        address: u64,
    },
    /// A variable in a register.
    Register {
        ty: Type,
        variable: VariableId,
    },
    /// A name for a value.
    Value(Value),
    /// Memory that all threads share, at this address in bytes, with the distance of its elements in bytes.
    Shared {
        ty: Type,
        address: u64,
        stride: u64,
    },
    Hash {
        records: usize,
        key: Type,
        address: u64,
        stride: u64,
    },
    Filter {
        table: usize,
        key: Type,
    },
    Policer {
        address: u64,
        count: u64,
    },
    Timer(usize),
    Event(usize),
    Reason(usize),
    Digest {
        digest: usize,
        ty: Type,
    },
    Subroutine,
    /// An instruction, by its number.
    Label(usize),
    /// A name whose malformed declaration has been reported.
    Broken,
}

impl<'r> Checker<'r> {
    fn new(name: &str, report: &'r mut Report) -> Self {
        let threads = Threads {
            local_memory: LocalMemory { bytes: LOCAL_MEMORY_BYTES, initial: Initial::Fill(0) },
            head: HeadPlace { address: PACKET_START, bytes: HEAD_BYTES },
            segments: Vec::new(),
            records: Vec::new(),
            timers: Vec::new(),
            events: Vec::new(),
            reasons: Vec::new(),
            flow: Vec::new(),
            instructions: Vec::new(),
            entrances: Vec::new(),
        };
        let program = Program { name: name.to_owned(), threads: Some(threads), ..Program::default() };
        Checker {
            report,
            program,
            places: Vec::new(),
            names: BTreeMap::new(),
            structures: BTreeMap::new(),
            local_end: u64::from(PACKET_START + HEAD_BYTES),
            local_words: Vec::new(),
            // Address 0 stays free, so that no pointer to shared memory is 0.
            on_chip_end: ir::threads::LINE_BYTES,
            off_chip_end: declaration::OFF_CHIP_START,
            content_left: MOST_CONTENT_BYTES,
            predefined: BTreeMap::new(),
            current: instruction::Current::default(),
            starts: BTreeMap::new(),
            inside: None,
            calls: BTreeMap::new(),
            labels_taken: BTreeSet::new(),
            operations_left: MOST_OPERATIONS_TOGETHER,
            is_too_large: false,
        }
    }

    /// Returns the threads of the program.
    fn threads(&mut self) -> &mut Threads {
        self.program.threads.as_mut().expect("the program has threads from the beginning")
    }

    /// Reports an error.
    fn error(&mut self, error: Diagnostic) {
        self.report.push(error);
    }

    /// Declares a name outside of instructions.
    fn declare(&mut self, name: &Name, entity: Entity) {
        if crate::predefined::symbol(&name.text).is_some()
            || crate::predefined::STRUCTURES.contains(&&*name.text)
            || transactions::find(&name.text).is_some()
        {
            let error = Diagnostic::error(name.span, format!("`{}` is predefined", name.text));
            self.error(error.hint("choose another name"));
            return;
        }
        if let Some((_, first)) = self.names.get(&name.text) {
            let error = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
            let error = error.related(*first, "declared first");
            return self.error(error);
        }
        self.names.insert(name.text.clone(), (entity, name.span));
    }

    /// Returns the next free address of shared memory of a kind.
    fn shared_end(&mut self, kind: MemoryKind) -> &mut u64 {
        match kind {
            MemoryKind::OnChip => &mut self.on_chip_end,
            MemoryKind::OffChip => &mut self.off_chip_end,
        }
    }

    /// Sets what local memory begins with, and puts the segments of shared memory in the order of their addresses.
    fn finish_memory(&mut self) {
        let threads = self.threads();
        let mut order: Vec<usize> = (0..threads.segments.len()).collect();
        order.sort_by_key(|&segment| threads.segments[segment].address);
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &segment)| places[segment] = place);
        for records in &mut threads.records {
            records.segment = SegmentId::from(places[records.segment.index()]);
        }
        threads.segments.sort_by_key(|segment| segment.address);
        let mut words = std::mem::take(&mut self.local_words);
        while words.last() == Some(&0) {
            words.pop();
        }
        if !words.is_empty() {
            self.threads().local_memory.initial = Initial::List(words);
        }
    }
}

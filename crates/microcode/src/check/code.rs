//! The instructions of the program and its subroutines: their numbers, names and labels, and where threads begin.

use std::collections::BTreeMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span, did_you_mean};
use ir::threads::{self, InstructionId, Next, ThreadEntrance};

use super::instruction::Draft;
use super::statement::{Around, Path};
use super::{Checker, Entity};
use crate::limits::MOST_INSTRUCTIONS;
use crate::syntax::{Cause, Code, Entrance, Function, Instruction, Item, Name, Unit};

/// The labels of one piece of code, with the numbers of their instructions.
type Labels = BTreeMap<Rc<str>, usize>;

/// The code of the program, or of a subroutine.
struct Piece<'u> {
    /// The subroutine.
    function: Option<&'u Name>,
    instructions: Vec<(&'u Instruction, String)>,
    labels: Rc<Labels>,
    /// The number of the first instruction.
    first: usize,
}

impl Checker<'_> {
    /// Checks all instructions, and where threads begin.
    pub(super) fn code(&mut self, unit: &Unit, end: Span) {
        let main = unit.items.iter().filter_map(|item| match item {
            Item::Code(code) => Some(code),
            _ => None,
        });
        let functions: Vec<&Function> = unit
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Function(function) => Some(function),
                _ => None,
            })
            .collect();
        let mut pieces = vec![self.piece(None, main, 0)];
        for function in functions {
            let first = pieces.last().map_or(0, |piece| piece.first + piece.instructions.len());
            let piece = self.piece(Some(&function.name), function.code.iter(), first);
            self.starts.entry(function.name.text.clone()).or_insert(first);
            if piece.instructions.is_empty() {
                let message = format!("the subroutine `{}` has no instruction", function.name.text);
                self.error(Diagnostic::error(function.name.span, message).hint("write `begin return; end`"));
            }
            pieces.push(piece);
        }
        let all = pieces.last().map_or(0, |piece| piece.first + piece.instructions.len());
        if all > MOST_INSTRUCTIONS {
            let error = Diagnostic::error(end, format!("the program has {all} instructions"));
            return self.error(error.hint(format!("a program has at most {MOST_INSTRUCTIONS}")));
        }
        let main = pieces[0].labels.clone();
        self.flows(unit);
        for piece in &pieces {
            self.check_piece(piece);
        }
        self.entrances(unit, &main, end);
        self.check_calls(end);
        // After an error, nobody knows what leads where.
        if !self.report.errors.has_errors() {
            self.warn_of_unused_causes(unit);
            let pieces: Vec<_> =
                pieces.iter().map(|piece| (piece.function, piece.first, piece.instructions.len())).collect();
            self.warn_of_unreached(&pieces);
        }
    }

    /// Numbers and names the instructions of a piece of code.
    fn piece<'u>(
        &mut self,
        function: Option<&'u Name>,
        code: impl Iterator<Item = &'u Code>,
        first: usize,
    ) -> Piece<'u> {
        let mut labels = Labels::new();
        let mut instructions = Vec::new();
        let mut waiting: Vec<&Name> = Vec::new();
        let prefix = function.map_or_else(String::new, |function| format!("{}.", function.text));
        // An instruction without a label is named after the one before it that has one.
        let mut last = function.map_or_else(|| "begin".to_owned(), |function| function.text.to_string());
        let mut since = 0;
        for part in code {
            match part {
                Code::Label(label) => {
                    if self.is_free(label) && labels.insert(label.text.clone(), first + instructions.len()).is_some() {
                        let error = Diagnostic::error(label.span, format!("there are two labels `{}`", label.text));
                        self.error(error.hint("choose another name"));
                    }
                    waiting.push(label);
                }
                Code::Instruction(instruction) => {
                    let name = match waiting.first() {
                        Some(label) => {
                            last = format!("{prefix}{}", label.text);
                            since = 0;
                            last.clone()
                        }
                        None if instructions.is_empty() => last.clone(),
                        None => {
                            since += 1;
                            format!("{last}.{since}")
                        }
                    };
                    instructions.push((instruction, name));
                    waiting.clear();
                }
            }
        }
        for label in waiting {
            let error = Diagnostic::error(label.span, format!("the label `{}` has no instruction", label.text));
            self.error(error.hint("write `begin … end` after it"));
        }
        Piece { function, instructions, labels: Rc::new(labels), first }
    }

    /// Reports a label whose name means something else.
    fn is_free(&mut self, label: &Name) -> bool {
        let mut error = Diagnostic::error(label.span, format!("`{}` is declared twice", label.text));
        if let Some((_, first)) = self.names.get(&label.text) {
            error = error.related(*first, "declared first");
        } else if crate::predefined::symbol(&label.text).is_some() {
            error = error.hint(format!("`{}` is predefined", label.text));
        } else {
            return true;
        }
        self.error(error);
        false
    }

    fn check_piece(&mut self, piece: &Piece<'_>) {
        self.current.set_labels(piece.labels.clone());
        self.inside = piece.function.map(|function| function.text.clone());
        let count = piece.instructions.len();
        for (place, (instruction, name)) in piece.instructions.iter().enumerate() {
            let id = piece.first + place;
            let next = (place + 1 < count).then(|| InstructionId::from(id + 1));
            let made = self.instruction(instruction, name, next, piece.function.is_some());
            self.threads().instructions.push(made);
            self.places.push(instruction.span);
            if self.report.is_full() {
                return;
            }
        }
    }

    fn instruction(
        &mut self,
        instruction: &Instruction,
        name: &str,
        next: Option<InstructionId>,
        is_subroutine: bool,
    ) -> threads::Instruction {
        self.current.begin();
        let mut draft = Draft::default();
        let errors = self.report.errors.iter().count();
        let around = Around { is_last: true, next, is_subroutine };
        let left = self.statements(&instruction.statements, &Path::all(), around, &mut draft);
        let goes_on = left.number() != Some(1);
        let next = match next {
            Some(next) => Next::Goto(next),
            None if is_subroutine => Next::Return,
            None => {
                // After an error in the instruction, nobody knows where it leads.
                if goes_on && !instruction.is_incomplete && self.report.errors.iter().count() == errors {
                    let error = Diagnostic::error(instruction.span, "the last instruction goes on to nowhere");
                    self.error(error.hint("end it with `goto`, or with `exit;`, which ends the thread"));
                }
                Next::End
            }
        };
        draft.finish(name.to_owned(), goes_on.then_some(next))
    }

    /// Returns the number of the first instruction of a subroutine.
    pub(super) fn subroutine_start(&self, name: &Rc<str>) -> Option<InstructionId> {
        self.starts.get(name).map(|&first| InstructionId::from(first))
    }

    /// Reports a label that cannot be reached from here.
    pub(super) fn refuse_label(&mut self, text: &Rc<str>, span: Span) {
        let error = Diagnostic::error(span, format!("there is no label `{text}` here"));
        let known = self.current.names();
        let hint = did_you_mean(text, known.iter().map(|name| &**name));
        let inside = self
            .inside
            .as_ref()
            .map(|name| format!("labels belong to their subroutine: `{name}` is left by `return;` or `exit;`"));
        let hint = hint.or(inside).unwrap_or_else(|| "write the label in front of an instruction".to_owned());
        self.error(error.hint(hint));
    }

    /// `flow (value, …);`: which packets keep their order.
    fn flows(&mut self, unit: &Unit) {
        let mut first: Option<Span> = None;
        for item in &unit.items {
            let Item::Flow(values, span) = item else { continue };
            if let Some(first) = first {
                let error = Diagnostic::error(*span, "there are two flows").related(first, "the first one");
                self.error(error.hint("name all values that tell flows apart in one line"));
                continue;
            }
            first = Some(*span);
            self.current.begin();
            let values: Vec<_> = values.iter().filter_map(|value| self.value(value)).collect();
            let values = values.into_iter().map(|value| {
                let ty = if value.number().is_some() { ir::Type::Bits(64) } else { value.ty.in_ir() };
                value.to_ir(ty)
            });
            let values = values.collect();
            self.threads().flow = values;
        }
    }

    /// Finds the instructions at which threads begin.
    fn entrances(&mut self, unit: &Unit, labels: &Labels, end: Span) {
        let mut seen: BTreeMap<threads::Cause, Span> = BTreeMap::new();
        let mut any = false;
        for item in &unit.items {
            let Item::Entrance(entrance) = item else { continue };
            any = true;
            let cause = self.cause(entrance);
            let start = labels.get(&entrance.label.text).copied();
            if start.is_none() {
                let error =
                    Diagnostic::error(entrance.label.span, format!("there is no label `{}`", entrance.label.text));
                let hint = did_you_mean(&entrance.label.text, labels.keys().map(|name| &**name));
                self.error(error.hint(hint.unwrap_or_else(|| "threads begin outside of subroutines".to_owned())));
            }
            let (Some(cause), Some(start)) = (cause, start) else { continue };
            if let Some(first) = seen.insert(cause, entrance.span) {
                let error = Diagnostic::error(entrance.span, "threads of this cause begin twice");
                self.error(error.related(first, "the first beginning"));
                continue;
            }
            self.threads().entrances.push(ThreadEntrance { cause, start: InstructionId::from(start) });
        }
        if !any {
            let error = Diagnostic::error(end, "no thread ever begins");
            self.error(error.hint("say where: `on packet goto label;`"));
        }
    }

    fn cause(&mut self, entrance: &Entrance) -> Option<threads::Cause> {
        let (name, is_timer) = match &entrance.cause {
            Cause::Packet => return Some(threads::Cause::Packet),
            Cause::Timer(name) => (name, true),
            Cause::Event(name) => (name, false),
        };
        match self.names.get(&name.text) {
            Some((Entity::Timer(timer), _)) if is_timer => Some(threads::Cause::Timer(threads::TimerId::from(*timer))),
            Some((Entity::Event(event), _)) if !is_timer => Some(threads::Cause::Event(threads::EventId::from(*event))),
            Some((Entity::Broken, _)) => None,
            _ => {
                let what = if is_timer { "timer" } else { "event" };
                let error = Diagnostic::error(name.span, format!("there is no {what} `{}`", name.text));
                self.error(error.hint(format!("declare it: `{what} {};`", name.text)));
                None
            }
        }
    }
}

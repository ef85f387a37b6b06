//! Limits on the size of the lowered program: instances within instances, and types within types, may double with each
//! declaration.

use std::collections::HashMap;

use diagnostics::{Diagnostic, Span};
use ir::Program;

use super::Shapes;
use crate::findings::Findings;
use crate::types::{Type, TypeForm};

/// The most scalars of all variables: more than any chip has bits for, and a few hundred megabytes.
const MOST_SCALARS: u64 = 1 << 18;
/// The most applications of controls and parsers, and functions.
const MOST_INSTANCES: u64 = 1 << 14;
/// The depth to which controls, parsers and functions may nest: each level takes space on the stack of recursive
/// passes.
const MOST_DEPTH: u64 = 128;
/// The most bits of all registers together: two gigabytes.
const MOST_REGISTER_BITS: u64 = 1 << 34;
/// The most statements, including those of copies.
const MOST_STATEMENTS: u64 = 1 << 21;
/// The most counters of one array: 2^24, which take 256 megabytes.
pub(super) const MOST_COUNTERS: u32 = 1 << 24;
/// The most meters of one array: 2^22, which take 400 megabytes.
pub(super) const MOST_METERS: u32 = 1 << 22;

/// The use of each limit, and the place that reached it.
pub(super) struct Limits {
    /// The construct that is being written, where a limit that is exceeded is reported.
    pub here: Option<Span>,
    /// The construct from which each function was written, by its number.
    pub functions: Vec<Option<Span>>,
    /// The constructs that have each control-plane name. Only looked up.
    pub named: HashMap<String, Vec<Span>>,
    scalars: u64,
    instances: u64,
    statements: u64,
    register_bits: u64,
    counts: HashMap<Type, u64>,
    /// True once a limit was exceeded and reported: nothing more is written then.
    pub is_over: bool,
}

impl Limits {
    pub(super) fn unused() -> Self {
        Self {
            here: None,
            functions: Vec::new(),
            named: HashMap::new(),
            scalars: 0,
            instances: 0,
            statements: 0,
            register_bits: 0,
            counts: HashMap::new(),
            is_over: false,
        }
    }
}

impl Shapes<'_> {
    /// Returns an upper bound on the number of scalars of a type.
    pub(super) fn scalar_count(&mut self, of: Type) -> u64 {
        let of = self.original(of);
        if let Some(&known) = self.limits.counts.get(&of) {
            return known;
        }
        let count = match self.types.kind(of).clone() {
            TypeForm::Stack(element, Some(size)) => {
                self.scalar_count(element).saturating_mul(size.into()).saturating_add(1)
            }
            TypeForm::Varbit(_) => 2,
            TypeForm::Tuple(_) | TypeForm::Record(..) | TypeForm::Named(..) => {
                let parts = self.part_types(of);
                parts.into_iter().fold(1, |sum: u64, (_, part)| sum.saturating_add(self.scalar_count(part)))
            }
            _ => 1,
        };
        self.limits.counts.insert(of, count);
        count
    }

    /// Reserves the variables of a type, and returns whether there is room for them.
    pub(super) fn has_room(&mut self, of: Type) -> bool {
        let count = self.scalar_count(of);
        self.limits.scalars = self.limits.scalars.saturating_add(count);
        self.limits.within(self.found, self.limits.scalars, MOST_SCALARS, "variables")
    }

    /// Returns whether a value of a type has no more scalars than all variables may have.
    pub(super) fn is_small(&mut self, of: Type) -> bool {
        let count = self.scalar_count(of);
        self.limits.within(self.found, count, MOST_SCALARS, "values in one")
    }
}

impl Limits {
    /// Reserves a control, parser or function, and returns whether it may be written.
    pub(super) fn has_room_for_instance(&mut self, found: &mut Findings, depth: u64) -> bool {
        self.instances += 1;
        self.within(found, depth, MOST_DEPTH, "controls, parsers and functions inside one another")
            && self.within(found, self.instances, MOST_INSTANCES, "controls, parsers and functions")
    }

    /// Reserves an array of registers, and returns whether there is room for it. Each register takes whole words of 64
    /// bits.
    pub(super) fn has_room_for_registers(&mut self, found: &mut Findings, places: u32, width: u32) -> bool {
        let bits = u64::from(places) * u64::from(width.next_multiple_of(64));
        self.register_bits = self.register_bits.saturating_add(bits);
        self.within(found, self.register_bits, MOST_REGISTER_BITS, "bits of registers")
    }

    /// Reserves statements, and returns whether there is room for them.
    pub(super) fn has_room_for_statements(&mut self, found: &mut Findings, more: usize) -> bool {
        self.statements = self.statements.saturating_add(more as u64);
        self.within(found, self.statements, MOST_STATEMENTS, "statements")
    }

    /// Reports a function that is called at a depth at which executors would run out of stack.
    pub(super) fn require_shallow_calls(&mut self, found: &mut Findings, program: &Program) {
        let Some(deep) = ir::verify::function_called_too_deep(program) else { return };
        let most = ir::verify::MAX_CALL_DEPTH;
        let name = &program.functions[deep.index()].name;
        let message = format!("`{name}` is called more than {most} blocks and calls deep");
        let error = match self.functions.get(deep.index()).copied().flatten() {
            Some(place) => Diagnostic::error(place, message),
            None => Diagnostic::without_place(message),
        };
        found.report(error.hint("blocks around a call count with those around its caller"));
    }

    fn within(&mut self, found: &mut Findings, used: u64, most: u64, what: &str) -> bool {
        if used > most && !self.is_over {
            self.is_over = true;
            let message = format!("more than {most} {what}, once every instance stands for itself");
            let hint = "types within types and instances within instances multiply with each level";
            let error = match self.here {
                Some(place) => Diagnostic::error(place, message),
                None => Diagnostic::without_place(message),
            };
            found.report(error.hint(hint));
        }
        !self.is_over
    }

    /// Makes the diagnostic for a name or an id that is not unique, at its last declaration.
    pub(super) fn named_twice(&self, error: &control::IdentifierError) -> Diagnostic {
        let places = self.named.get(error.name()).map_or(&[][..], Vec::as_slice);
        let Some((last, before)) = places.split_last() else { return Diagnostic::without_place(error.to_string()) };
        let found = Diagnostic::error(*last, error.to_string());
        let found = found.hint("`@name(\"text\")` gives a name, and `@id(number)` an id, that nothing else has");
        match before.last().filter(|first| *first != last) {
            Some(first) => found.related(*first, "the other one"),
            None => found,
        }
    }
}

//! How large a program may become: instances of instances, and types of types, double with each declaration.

use std::collections::HashMap;

use diagnostics::{Diagnostic, Span};
use ir::Program;

use super::Shapes;
use crate::findings::Findings;
use crate::types::{Kind, Type};

/// Scalars of all variables and values: more than any chip has bits for, and a few hundred megabytes.
const MOST_SCALARS: u64 = 1 << 18;
/// Applications of controls and parsers, and functions.
const MOST_INSTANCES: u64 = 1 << 14;
/// Controls, parsers and functions inside one another: each takes room on the stack of whoever goes through them.
const MOST_DEPTH: u64 = 128;
/// Bits of all registers together: two gigabytes.
const MOST_REGISTER_BITS: u64 = 1 << 34;
/// Statements, those of copies among them.
const MOST_STATEMENTS: u64 = 1 << 21;
/// Counters of one array: 2^24, which take 256 megabytes.
pub(super) const MOST_COUNTERS: u32 = 1 << 24;
/// Meters of one array: 2^22, which take 400 megabytes.
pub(super) const MOST_METERS: u32 = 1 << 22;

/// What was used up.
pub(super) struct Limits {
    /// What is being written, for a limit that is reached there.
    pub here: Option<Span>,
    /// What was being written when each function was, by its number.
    pub functions: Vec<Option<Span>>,
    /// What was being written when the control plane was told of a name. Only looked up.
    pub named: HashMap<String, Vec<Span>>,
    scalars: u64,
    instances: u64,
    statements: u64,
    register_bits: u64,
    counts: HashMap<Type, u64>,
    /// True once one of the limits was told of: everything ends then.
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
    /// How many scalars a type has, at most.
    pub(super) fn scalar_count(&mut self, of: Type) -> u64 {
        let of = self.original(of);
        if let Some(&known) = self.limits.counts.get(&of) {
            return known;
        }
        let count = match self.types.kind(of).clone() {
            Kind::Stack(element, Some(size)) => {
                self.scalar_count(element).saturating_mul(size.into()).saturating_add(1)
            }
            Kind::Varbit(_) => 2,
            Kind::Tuple(_) | Kind::Record(..) | Kind::Named(..) => {
                let parts = self.part_types(of);
                parts.into_iter().fold(1, |sum: u64, (_, part)| sum.saturating_add(self.scalar_count(part)))
            }
            _ => 1,
        };
        self.limits.counts.insert(of, count);
        count
    }

    /// Whether there is room for the variables of a type.
    pub(super) fn has_room(&mut self, of: Type) -> bool {
        let count = self.scalar_count(of);
        self.limits.scalars = self.limits.scalars.saturating_add(count);
        self.limits.within(self.found, self.limits.scalars, MOST_SCALARS, "variables")
    }

    /// Whether a value of a type is not larger than all variables may be.
    pub(super) fn is_small(&mut self, of: Type) -> bool {
        let count = self.scalar_count(of);
        self.limits.within(self.found, count, MOST_SCALARS, "values in one")
    }
}

impl Limits {
    /// Whether another control, parser or function may be written.
    pub(super) fn has_room_for_instance(&mut self, found: &mut Findings, depth: u64) -> bool {
        self.instances += 1;
        self.within(found, depth, MOST_DEPTH, "controls, parsers and functions inside one another")
            && self.within(found, self.instances, MOST_INSTANCES, "controls, parsers and functions")
    }

    /// Whether there is room for an array of registers; each place takes whole words of 64 bits.
    pub(super) fn has_room_for_registers(&mut self, found: &mut Findings, places: u32, width: u32) -> bool {
        let bits = u64::from(places) * u64::from(width.next_multiple_of(64));
        self.register_bits = self.register_bits.saturating_add(bits);
        self.within(found, self.register_bits, MOST_REGISTER_BITS, "bits of registers")
    }

    /// Whether more statements may follow.
    pub(super) fn has_room_for_statements(&mut self, found: &mut Findings, more: usize) -> bool {
        self.statements = self.statements.saturating_add(more as u64);
        self.within(found, self.statements, MOST_STATEMENTS, "statements")
    }

    /// Reports a function that is called from so deep within others that whoever runs it would run out of stack.
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

    /// What names and ids make impossible, where the last one of the name is declared.
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

//! The checker, which resolves every name and enforces the rules of the language.

mod calls;
mod expression;
mod function;
mod state;

use std::collections::BTreeMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span, did_you_mean};
use ir::Register;
use runtime::hash::HashFunction;

use crate::resolved::Resolved;
use crate::syntax::{Function, Name, Struct, Unit};
use preprocessor::Report;

/// Returns the program with its names resolved, or `None` if it breaks a rule. All violations are reported.
pub(crate) fn check(unit: &Unit, end: Span, report: &mut Report) -> Option<Resolved> {
    let mut checker = Checker {
        report,
        packet_type: None,
        fields: BTreeMap::new(),
        fields_are_incomplete: unit.structs.iter().any(|structure| structure.is_incomplete),
        names: BTreeMap::new(),
        registers: Vec::new(),
        register_places: Vec::new(),
        signatures: Vec::new(),
    };
    let fields = checker.packet_type(&unit.structs, end);
    checker.globals(&unit.globals);
    let defined = checker.signatures(&unit.functions);
    for broken in &unit.broken {
        checker.names.entry(broken.text.clone()).or_insert((Entity::Broken, broken.span));
    }
    let packet = checker.packet_function(end);
    let bodies: Vec<_> = defined.iter().map(|function| checker.function(function)).collect();
    checker.warn_of_unused_registers();
    checker.check_calls(&bodies, packet);
    let functions = bodies.into_iter().map(|body| body.function).collect();
    let resolved = Resolved { fields, registers: checker.registers, functions, packet: packet? };
    (!report.errors.has_errors()).then_some(resolved)
}

struct Checker<'r> {
    report: &'r mut Report,
    packet_type: Option<Rc<str>>,
    fields: BTreeMap<Rc<str>, (usize, Span)>,
    /// Whether some field declaration is malformed, so that an unknown field may have been declared there.
    fields_are_incomplete: bool,
    /// The names that are declared outside of functions.
    names: BTreeMap<Rc<str>, (Entity, Span)>,
    registers: Vec<Register>,
    /// For each register, the location of its declaration and whether it is used.
    register_places: Vec<(Span, bool)>,
    signatures: Vec<Signature>,
}

#[derive(Clone, Copy)]
enum Entity {
    Register(usize),
    Function(usize),
    /// A name whose malformed declaration has been reported.
    Broken,
}

/// The properties of a function that a call depends on.
struct Signature {
    name: Name,
    parameters: usize,
    returns_value: bool,
    is_packet_function: bool,
}

impl Checker<'_> {
    /// Returns the fields of the packet, in order of declaration.
    fn packet_type(&mut self, structs: &[Struct], end: Span) -> Vec<Rc<str>> {
        let found = structs.iter().find(|structure| &*structure.name.text == "Packet");
        for other in structs.iter().filter(|other| found.is_none_or(|found| !std::ptr::eq(*other, found))) {
            let error = Diagnostic::error(other.name.span, "the packet is the only struct, and is called `Packet`");
            self.report.push(match found {
                Some(found) => error.related(found.name.span, "the packet"),
                None => error.hint("call it `struct Packet`"),
            });
        }
        let Some(packet) = found.or(structs.first()) else {
            let error = Diagnostic::error(end, "the program does not declare a packet");
            self.report.push(error.hint("declare its fields: `struct Packet { int length; };`"));
            return Vec::new();
        };
        self.packet_type = Some(packet.name.text.clone());
        let mut fields = Vec::new();
        for field in &packet.fields {
            match self.fields.get(&field.text) {
                Some((_, first)) => {
                    let error = Diagnostic::error(field.span, format!("the packet has two fields `{}`", field.text));
                    self.report.push(error.related(*first, "the first one"));
                }
                None => {
                    self.fields.insert(field.text.clone(), (fields.len(), field.span));
                    fields.push(field.text.clone());
                }
            }
        }
        fields
    }

    /// Declares a global name. Returns false if the name is taken.
    fn declare(&mut self, name: &Name, entity: Entity) -> bool {
        if HashFunction::from_name(&name.text).is_some() {
            let error = Diagnostic::error(name.span, format!("`{}` is a hash function of the language", name.text));
            self.report.push(error.hint("choose another name"));
            return false;
        }
        if let Some((_, first)) = self.names.get(&name.text) {
            let error = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
            self.report.push(error.related(*first, "declared first"));
            return false;
        }
        self.names.insert(name.text.clone(), (entity, name.span));
        true
    }

    /// Declares the functions, and returns those that have a body, in the order of their signatures.
    fn signatures<'u>(&mut self, functions: &'u [Function]) -> Vec<&'u Function> {
        let mut defined = Vec::new();
        for function in functions.iter().filter(|function| function.body.is_some()) {
            if HashFunction::from_name(&function.name.text).is_some() {
                let name = &function.name.text;
                let message = format!("`{name}` is a hash function of the language; this body is not used");
                self.report.push(Diagnostic::warning(function.name.span, message).hint("give it another name"));
                continue;
            }
            if !self.declare(&function.name, Entity::Function(defined.len())) {
                continue;
            }
            let is_packet_function = self.check_parameters(function);
            self.signatures.push(Signature {
                name: function.name.clone(),
                parameters: function.parameters.len(),
                returns_value: function.returns_value,
                is_packet_function,
            });
            defined.push(function);
        }
        for function in functions.iter().filter(|function| function.body.is_none()) {
            let name = &function.name;
            let known = matches!(self.names.get(&name.text), Some((Entity::Function(_), _)));
            if !known && HashFunction::from_name(&name.text).is_none() {
                let error = Diagnostic::error(name.span, format!("the function `{}` has no body", name.text));
                self.report.push(error.hint("calls are inlined, so each function needs a body"));
            }
        }
        defined
    }

    /// Checks the parameters of a function. Returns true if it takes the packet.
    fn check_parameters(&mut self, function: &Function) -> bool {
        let mut takes_packet = false;
        for parameter in &function.parameters {
            let Some(structure) = &parameter.structure else { continue };
            takes_packet = true;
            let packet = self.packet_type.as_deref().unwrap_or("Packet");
            if *structure.text != *packet {
                let error = Diagnostic::error(structure.span, format!("there is no `struct {}`", structure.text));
                let hint = did_you_mean(&structure.text, [packet]);
                self.report.push(error.hint(hint.unwrap_or_else(|| "the packet is `struct Packet`".to_owned())));
            }
        }
        if takes_packet && function.parameters.len() > 1 {
            let message = "the packet function takes only the packet";
            let error = Diagnostic::error(function.name.span, message);
            self.report.push(error.hint("another function cannot access the packet: pass it the fields that it needs"));
        }
        if takes_packet && function.returns_value {
            let error = Diagnostic::error(function.name.span, "the packet function cannot return a value");
            self.report.push(error.hint("make it `void`; it can store results in fields of the packet"));
        }
        takes_packet
    }

    /// Returns the index of the packet function among the defined functions.
    fn packet_function(&mut self, end: Span) -> Option<usize> {
        let mut all = (0..self.signatures.len()).filter(|&function| self.signatures[function].is_packet_function);
        let Some(first) = all.next() else {
            let error = Diagnostic::error(end, "no function takes the packet");
            self.report.push(error.hint("write the packet function: `void packet(struct Packet p) { ... }`"));
            return None;
        };
        let others: Vec<usize> = all.collect();
        for other in others {
            let error = Diagnostic::error(self.signatures[other].name.span, "two functions take the packet");
            let error = error.related(self.signatures[first].name.span, "the first one");
            self.report.push(error.hint("each packet runs one function; other functions take `int` parameters"));
        }
        Some(first)
    }

    fn warn_of_unused_registers(&mut self) {
        let mut unused = Vec::new();
        for (register, (span, used)) in self.registers.iter().zip(&self.register_places) {
            if !used {
                unused.push(Diagnostic::warning(*span, format!("`{}` is never used", register.name)));
            }
        }
        unused.into_iter().for_each(|warning| self.report.push(warning));
    }
}

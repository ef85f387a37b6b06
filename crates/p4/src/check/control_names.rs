//! The names of actions and tables in the control plane (section 18.3), which must be unique.

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::{Findings, Nodes};
use crate::ast;
use crate::types::{Definition, Sort, Type, Types};

/// An action or a table.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Named<'a> {
    Action(&'a ast::Action),
    Table,
}

impl Named<'_> {
    fn word(self) -> &'static str {
        if self == Self::Table { "table" } else { "action" }
    }
}

/// The machine that is being checked, by number; 0 is the top level.
pub(super) type MachineNumber = usize;

/// The control-plane names that were declared so far, and the parsers and controls that they are declared in.
pub(super) struct ControlNames<'a> {
    /// The name of each machine, and whether arguments of a constructor may decide which of its tables it applies.
    machines: Vec<(Rc<str>, bool)>,
    /// The machine of each definition, noted when it is declared.
    definitions: HashMap<Definition, MachineNumber>,
    /// The machine that is being checked.
    within: MachineNumber,
    /// The machines of which each machine constructs instances.
    made: Vec<(MachineNumber, Definition)>,
    /// Full names, in the order in which they are declared.
    names: Vec<(Named<'a>, String, Span, MachineNumber)>,
}

impl ControlNames<'_> {
    pub fn new() -> Self {
        Self {
            machines: vec![("".into(), false)],
            definitions: HashMap::new(),
            within: 0,
            made: Vec::new(),
            names: Vec::new(),
        }
    }
}

impl<'a> ControlNames<'a> {
    /// Begins a parser or control, and returns the machine that was being checked before.
    pub(super) fn begin_machine(&mut self, name: &ast::Name, constructor: &[ast::Parameter]) -> MachineNumber {
        self.machines.push((Rc::clone(&name.text), !constructor.is_empty()));
        std::mem::replace(&mut self.within, self.machines.len() - 1)
    }

    /// Ends the machine that [`ControlNames::begin_machine`] began, and returns its number.
    pub(super) fn end_machine(&mut self, before: MachineNumber) -> MachineNumber {
        std::mem::replace(&mut self.within, before)
    }

    /// Notes the definition of a machine.
    pub(super) fn note_machine(&mut self, machine: MachineNumber, definition: Definition) {
        self.definitions.insert(definition, machine);
    }

    /// Notes that an instance is constructed in the machine that is being checked.
    pub(super) fn note_made(&mut self, types: &Types, of: Type) {
        let Some((definition, _, Sort::Machine(_))) = types.named(of) else { return };
        let within = self.within;
        self.made.push((within, definition));
    }

    /// Notes the name of an action or a table, which `@name` may replace. An action in a control counts only if it has
    /// `@name`, because other names cannot clash.
    pub(super) fn note_name(
        &mut self,
        nodes: &Nodes<'a>,
        named: Named<'a>,
        name: &'a ast::Name,
        notes: &'a [ast::Annotation],
    ) {
        let noted = notes.iter().find(|note| &*note.name.text == "name");
        let within = self.within;
        let text = match noted {
            Some(note) => match nodes.annotation_text(note) {
                Some(text) => text,
                None => return,
            },
            None if within == 0 || named == Named::Table => Rc::clone(&name.text),
            None => return,
        };
        let full = match (text.strip_prefix('.'), within) {
            (Some(absolute), _) => absolute.to_owned(),
            (None, 0) => text.to_string(),
            (None, _) => format!("{}.{text}", self.machines[within].0),
        };
        self.names.push((named, full, name.span, within));
    }

    /// Reports names that are not unique. Two tables of a control whose constructor has parameters may have one name, if each
    /// instance applies one of them: that is only known when instances are expanded. A table with an absolute name in a control with several instances is several
    /// tables.
    pub(super) fn check(self, types: &Types, nodes: &Nodes<'a>, found: &mut Findings) {
        // Machines are declared before they are constructed, so the machine that constructs one has the higher number.
        let mut counts = vec![0u64; self.machines.len()];
        counts[0] = 1;
        let mut made = vec![Vec::new(); counts.len()];
        self.made.iter().for_each(|(within, definition)| made[*within].push(definition));
        for within in std::iter::once(0).chain((1..counts.len()).rev()) {
            for made in &made[within] {
                if let Some(&machine) = self.definitions.get(*made) {
                    counts[machine] = counts[machine].saturating_add(counts[within]);
                }
            }
        }
        let mut seen: HashMap<(&str, &str), (Named, Span, MachineNumber)> = HashMap::new();
        for (named, full, span, within) in &self.names {
            let word = named.word();
            let earlier = seen.insert((word, full), (*named, *span, *within));
            if let Some((other, earlier, machine)) = earlier {
                if *named == Named::Table && machine == *within && self.machines[machine].1 {
                    continue;
                }
                let message = format!("the control plane has another {word} `{full}`");
                // Translators of P4_14 programs write an action once for each table: to the control plane, actions with
                // the same data are the same.
                let finding = if take_the_same(types, nodes, *named, other) {
                    Diagnostic::warning(*span, message)
                } else {
                    Diagnostic::error(*span, message)
                };
                found.report(finding.related(earlier, "this one").hint("`@name(\"text\")` gives it another name"));
            } else if *named == Named::Table && counts[*within] > 1 && !full.starts_with(&*self.machines[*within].0) {
                let message = format!("{} tables have the name `{full}`", counts[*within]);
                found.hinted(
                    *span,
                    message,
                    "each instance of the control has one; a name that does not begin with a dot tells them apart",
                );
            }
        }
    }
}

/// Returns true for actions that take the same data from the control plane.
fn take_the_same<'a>(types: &Types, nodes: &Nodes<'a>, one: Named<'a>, other: Named<'a>) -> bool {
    let (Named::Action(one), Named::Action(other)) = (one, other) else { return false };
    let data = |action: &'a ast::Action| -> Option<Vec<Type>> {
        let Sort::Action(own) = types.sort(nodes.definition(&action.name)?) else { return None };
        let data = own.parameters.iter().filter(|parameter| parameter.direction == ast::Direction::None);
        Some(data.map(|parameter| parameter.of).collect())
    };
    data(one) == data(other)
}

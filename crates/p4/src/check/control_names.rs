//! The names by which a control plane calls actions and tables (section 18.3): each is the name of one thing.

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::Checker;
use crate::ast;
use crate::types::{Definition, Sort, Type};

/// What has a name in the control plane.
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
pub(super) type Machine = usize;

/// What was seen so far.
pub(super) struct ControlNames<'a> {
    /// The name of each machine.
    machines: Vec<Rc<str>>,
    /// Which machine stands for which definition; known when it is declared.
    definitions: HashMap<Definition, Machine>,
    /// The machine that is being checked.
    within: Machine,
    /// Who makes an instance of which.
    made: Vec<(Machine, Definition)>,
    /// Full names, in the order in which they are declared.
    names: Vec<(Named<'a>, String, Span, Machine)>,
}

impl ControlNames<'_> {
    pub fn new() -> Self {
        Self { machines: vec!["".into()], definitions: HashMap::new(), within: 0, made: Vec::new(), names: Vec::new() }
    }
}

impl<'a> Checker<'a> {
    /// Begins a parser or control; gives back what was being checked before.
    pub(super) fn begin_machine(&mut self, name: &ast::Name) -> Machine {
        let names = &mut self.control_names;
        names.machines.push(Rc::clone(&name.text));
        std::mem::replace(&mut names.within, names.machines.len() - 1)
    }

    /// Ends what [`Checker::begin_machine`] began.
    pub(super) fn end_machine(&mut self, before: Machine) -> Machine {
        std::mem::replace(&mut self.control_names.within, before)
    }

    /// Notes what a machine is declared as.
    pub(super) fn note_machine(&mut self, machine: Machine, definition: Definition) {
        self.control_names.definitions.insert(definition, machine);
    }

    /// Notes that an instance is made here.
    pub(super) fn note_made(&mut self, of: Type) {
        let Some((definition, _, Sort::Machine(_))) = self.checked.types.named(of) else { return };
        let within = self.control_names.within;
        self.control_names.made.push((within, definition));
    }

    /// Notes the name of an action or a table: what `@name` says, else its own; of an action in a control only what
    /// `@name` says, for others do not meet it.
    pub(super) fn note_control_name(&mut self, named: Named<'a>, name: &'a ast::Name, notes: &'a [ast::Annotation]) {
        let noted = notes.iter().find(|note| &*note.name.text == "name");
        let within = self.control_names.within;
        let text = match noted {
            Some(note) => match self.checked.annotation_text(note) {
                Some(text) => text,
                None => return,
            },
            None if within == 0 || named == Named::Table => Rc::clone(&name.text),
            None => return,
        };
        let full = match (text.strip_prefix('.'), within) {
            (Some(absolute), _) => absolute.to_owned(),
            (None, 0) => text.to_string(),
            (None, _) => format!("{}.{text}", self.control_names.machines[within]),
        };
        self.control_names.names.push((named, full, name.span, within));
    }

    /// True for actions that take the same data from the control plane.
    fn take_the_same(&self, one: Named<'a>, other: Named<'a>) -> bool {
        let (Named::Action(one), Named::Action(other)) = (one, other) else { return false };
        let data = |action: &'a ast::Action| -> Option<Vec<Type>> {
            let Sort::Action(own) = self.sort(self.checked.definition(&action.name)?) else { return None };
            let data = own.parameters.iter().filter(|parameter| parameter.direction == ast::Direction::None);
            Some(data.map(|parameter| parameter.of).collect())
        };
        data(one) == data(other)
    }

    /// Reports names that more than one thing has. A table of an absolute name in a control of which there are several
    /// instances is several tables.
    pub(super) fn check_control_names(&mut self) {
        let names = std::mem::replace(&mut self.control_names, ControlNames::new());
        // Machines are declared before they are made, so that those that make them have higher numbers.
        let mut counts = vec![0u64; names.machines.len()];
        counts[0] = 1;
        let mut made = vec![Vec::new(); counts.len()];
        names.made.iter().for_each(|(within, definition)| made[*within].push(definition));
        for within in std::iter::once(0).chain((1..counts.len()).rev()) {
            for made in &made[within] {
                if let Some(&machine) = names.definitions.get(*made) {
                    counts[machine] = counts[machine].saturating_add(counts[within]);
                }
            }
        }
        let mut seen: HashMap<(&str, &str), (Named, Span)> = HashMap::new();
        for (named, full, span, within) in &names.names {
            let word = named.word();
            let earlier = seen.insert((word, full), (*named, *span));
            if let Some((other, earlier)) = earlier {
                let message = format!("the control plane has another {word} `{full}`");
                // Translators of older programs write an action once for each table: the control plane gives them
                // the same data, and they mean the same to it.
                let finding = if self.take_the_same(*named, other) {
                    Diagnostic::warning(*span, message)
                } else {
                    Diagnostic::error(*span, message)
                };
                self.report(finding.related(earlier, "this one").hint("`@name(\"text\")` gives it another name"));
            } else if *named == Named::Table && counts[*within] > 1 && !full.starts_with(&*names.machines[*within]) {
                let message = format!("{} tables have the name `{full}`", counts[*within]);
                self.hinted(
                    *span,
                    message,
                    "each instance of the control has one; a name that does not begin with a dot tells them apart",
                );
            }
        }
    }
}

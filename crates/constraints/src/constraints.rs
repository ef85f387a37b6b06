//! The constraints of a program.

use control::{
    ActionCall, ActionNumber, EntrySelection, Info, ProfileRequest, Request, TableNumber, TableRequest, Target,
};
use diagnostics::{Diagnostic, Diagnostics, Findings, SourceId, Sources, Span};
use runtime::tables::FieldMatch;

use crate::annotation::text_of;
use crate::constraint::Constraint;
use crate::evaluate::Given;
use crate::finding::{Finding, Problems, Subject};
use crate::violation::Violation;

/// The constraints of a program on entries of its tables and on arguments of its actions.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// The constraint of each table, by its number.
    tables: Vec<Option<Constraint>>,
    /// The constraint of each action, by its number.
    actions: Vec<Option<Constraint>>,
}

impl Constraints {
    /// Reads the constraints of a program. Warnings are left out; [`Constraints::read`] has them.
    ///
    /// # Errors
    /// Returns all that is wrong if a constraint cannot be used, with places in the texts of the annotations.
    pub fn of(info: &Info) -> Result<Self, Findings> {
        let (constraints, findings) = Self::read(info);
        let (sources, found) = diagnostics_of(info, findings);
        if found.has_errors() { Err((sources, found)) } else { Ok(constraints) }
    }

    /// Reads the constraints of a program, and returns those that are right and what is wrong with them all, in the order
    /// of tables, then actions, then places.
    pub fn read(info: &Info) -> (Self, Vec<Finding>) {
        let mut findings = Vec::new();
        let mut read = |subject: Subject| {
            // A hidden entity is not known to the control plane, which can write nothing of it.
            if subject.identity(info).is_hidden {
                return None;
            }
            let mut problems = Problems::new(subject);
            let constraint = Constraint::read(info, subject, &mut problems);
            findings.append(&mut problems.found);
            constraint
        };
        let tables = (0..info.tables.len()).map(|at| read(Subject::Table(TableNumber::from(at)))).collect();
        let actions = (0..info.actions.len()).map(|at| read(Subject::Action(ActionNumber::from(at)))).collect();
        (Self { tables, actions }, findings)
    }

    /// Returns true if nothing is restricted.
    pub fn is_empty(&self) -> bool {
        self.tables.iter().chain(&self.actions).all(Option::is_none)
    }

    /// Returns the text of the constraint of a table or action; `None` if it has none.
    pub fn text(&self, subject: Subject) -> Option<&str> {
        let constraint = match subject {
            Subject::Table(number) => self.tables.get(number.index()),
            Subject::Action(number) => self.actions.get(number.index()),
        };
        constraint?.as_ref().map(Constraint::text)
    }

    /// Checks a request: the key and the priority of an entry that is inserted or modified, and the action that it, the
    /// default of a table or a member of a profile is given. Other requests violate nothing. A request that does not suit
    /// the program is not judged, for [`control::Plane`] refuses it.
    ///
    /// # Errors
    /// Returns the first violation: that of the entry before that of its action.
    pub fn check(&self, request: &Request) -> Result<(), Box<Violation>> {
        match request.without_pipe() {
            Request::Table(table, TableRequest::Insert { key, priority, target, .. }) => {
                self.check_entry(*table, key, *priority)?;
                self.check_target(target)
            }
            Request::Table(table, TableRequest::Modify { entry, target, .. }) => {
                if let EntrySelection::Key { key, priority } = entry {
                    self.check_entry(*table, key, *priority)?;
                }
                target.as_ref().map_or(Ok(()), |target| self.check_target(target))
            }
            Request::Table(_, TableRequest::SetDefault { target, .. }) => self.check_target(target),
            Request::Profile(_, ProfileRequest::InsertMember(_, call) | ProfileRequest::ModifyMember(_, call)) => {
                self.check_action(call)
            }
            _ => Ok(()),
        }
    }

    /// Checks the key and the priority of an entry.
    ///
    /// # Errors
    /// Returns the violation, if there is one.
    pub fn check_entry(
        &self,
        table: TableNumber,
        key: &[FieldMatch],
        priority: Option<u32>,
    ) -> Result<(), Box<Violation>> {
        match self.tables.get(table.index()) {
            Some(Some(constraint)) => constraint.check(&Given { key, priority: priority.unwrap_or(0), data: &[] }),
            _ => Ok(()),
        }
    }

    /// Checks the arguments of an action.
    ///
    /// # Errors
    /// Returns the violation, if there is one.
    pub fn check_action(&self, call: &ActionCall) -> Result<(), Box<Violation>> {
        match self.actions.get(call.action.index()) {
            Some(Some(constraint)) => constraint.check(&Given { key: &[], priority: 0, data: &call.data }),
            _ => Ok(()),
        }
    }

    /// Checks the action of a target. Members and groups were checked when the members were written.
    fn check_target(&self, target: &Target) -> Result<(), Box<Violation>> {
        match target {
            Target::Action(call) => self.check_action(call),
            Target::ActionSet(actions) => actions.iter().try_for_each(|action| self.check_action(&action.call)),
            Target::Member(_) | Target::Group(_) => Ok(()),
        }
    }
}

/// Returns findings as diagnostics, with the texts of the annotations as sources.
fn diagnostics_of(info: &Info, findings: Vec<Finding>) -> Findings {
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    let mut last: Option<(Subject, SourceId)> = None;
    for finding in findings {
        let subject = finding.subject;
        let id = match last {
            Some((of, id)) if of == subject => id,
            _ => {
                let own = subject.identity(info);
                let text = text_of(own, &mut Problems::new(subject), subject).unwrap_or_default();
                sources.add(format!("@{} of {}", subject.annotation(), own.name), text)
            }
        };
        last = Some((subject, id));
        diagnostics.push(Diagnostic {
            severity: finding.severity,
            // What concerns the whole annotation is shown at its beginning.
            span: Some(finding.place.map_or(Span::new(id, 0, 0), |place| Span::new(id, place.start, place.end))),
            hint: finding.hint,
            ..Diagnostic::without_place(finding.message)
        });
    }
    (sources, diagnostics)
}

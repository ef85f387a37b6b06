//! The constraint of one table or action.

use control::Info;
use runtime::tables::{FieldMatch, MatchKind};

use crate::annotation::text_of;
use crate::compile::compile;
use crate::condition::Condition;
use crate::evaluate::Given;
use crate::explain::{Mentioned, explain, mentioned};
use crate::finding::{Problems, Subject};
use crate::lexer::lex;
use crate::parser::parse;
use crate::types::Scope;
use crate::violation::{Place, Violation, quoted};

/// The constraint of one table or action, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    subject: Subject,
    /// The full name of the table or action.
    name: String,
    /// The names of keys or parameters, in order.
    names: Vec<String>,
    /// The match kinds of the keys; empty for an action.
    kinds: Vec<MatchKind>,
    text: String,
    condition: Condition,
}

impl Constraint {
    /// Reads the constraint of a table or action, if it has one that is right. What is wrong is added to `problems`.
    pub fn read(info: &Info, subject: Subject, problems: &mut Problems) -> Option<Self> {
        let identity = subject.identity(info);
        let text = text_of(identity, problems, subject)?;
        let condition = {
            let tokens = lex(&text, problems);
            let has_tokens = !problems.has_errors();
            let expressions = if has_tokens { parse(&tokens, problems) } else { Vec::new() };
            compile(&expressions, Scope::of(info, subject), problems)
        };
        let scope = Scope::of(info, subject);
        let kinds = match scope {
            Scope::Keys(fields) => fields.iter().map(|field| field.kind).collect(),
            Scope::Parameters(_) => Vec::new(),
        };
        let names = scope.names().map(str::to_owned).collect();
        let condition = condition.filter(|_| !problems.has_errors())?;
        Some(Self { subject, name: identity.name.clone(), names, kinds, text, condition })
    }

    /// Returns the text of the constraint.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Checks an entry or the arguments of an action. What does not suit the table or action is not judged: the control
    /// plane refuses it.
    pub fn check(&self, given: &Given) -> Result<(), Box<Violation>> {
        let is_whole = match self.subject {
            Subject::Table(_) => {
                self.kinds.len() == given.key.len()
                    && self.kinds.iter().zip(given.key).all(|(kind, own)| suits(*kind, own))
            }
            Subject::Action(_) => self.names.len() == given.data.len(),
        };
        if !is_whole || given.holds(&self.condition) { Ok(()) } else { Err(Box::new(self.violation(given))) }
    }

    fn violation(&self, given: &Given) -> Violation {
        let cause = explain(&self.condition, given);
        let values = mentioned(cause.condition).into_iter().map(|own| match own {
            Mentioned::Key(at) => (self.names[at].clone(), given.key[at].to_string()),
            Mentioned::Parameter(at) => (self.names[at].clone(), format!("{:#x}", given.data[at])),
            Mentioned::Priority => ("::priority".to_owned(), given.priority.to_string()),
        });
        Violation {
            subject: self.subject,
            name: self.name.clone(),
            place: Place::of(&self.text, cause.condition.place.start),
            part: quoted(&self.text[cause.condition.place.clone()]),
            must_hold: !cause.answer,
            values: values.collect(),
        }
    }
}

/// Returns whether a match has the form that a key of this kind demands.
fn suits(kind: MatchKind, own: &FieldMatch) -> bool {
    match own {
        FieldMatch::Exact(_) => matches!(kind, MatchKind::Exact | MatchKind::Optional),
        FieldMatch::Prefix { .. } => kind == MatchKind::Lpm,
        FieldMatch::Mask { .. } => kind == MatchKind::Ternary,
        FieldMatch::Range { .. } => kind == MatchKind::Range,
        FieldMatch::Any => kind != MatchKind::Exact,
    }
}

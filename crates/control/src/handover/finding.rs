//! Findings of a hand-over: what was carried over, and what did not fit and why.

use std::mem::discriminant;

use runtime::tables::MatchKind;

use crate::{EntityKind, Error};

/// The outcome of a hand-over.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The state that the new program has taken.
    pub carried: Vec<Carried>,
    /// The state that is lost, with the reasons. A part of which nothing is lost has no finding.
    pub findings: Vec<Finding>,
}

/// State that the new program has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The part of the program to which the state belongs.
    pub part: Part,
    /// The kind of state.
    pub what: What,
    /// The amount.
    pub count: u64,
}

/// A reason why state of the old program does not fit in the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The part of the old program to which the state belongs.
    pub part: Part,
    /// The reason.
    pub misfit: Misfit,
    /// The state that is lost for this reason; `None` before the state is carried over.
    pub loss: Option<Loss>,
}

/// State that is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The kind of state.
    pub what: What,
    /// The amount.
    pub count: u64,
    /// Descriptions of the first ones, at most ten.
    pub examples: Vec<String>,
}

/// A part of a program that has state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// An entity with a name.
    Entity {
        /// The kind of entity.
        kind: EntityKind,
        /// The full name.
        name: String,
    },
    /// The multicast group with this number.
    MulticastGroup(u32),
    /// The clone session with this number.
    CloneSession(u32),
}

/// A kind of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Entries of a table.
    Entries,
    /// Idle timeouts of entries.
    IdleTimeouts,
    /// Initial entries that the control plane has deleted.
    Deletions,
    /// The default action of a table, if the control plane has set it.
    DefaultAction,
    /// Members of an action profile or a value set.
    Members,
    /// Groups of an action profile.
    Groups,
    /// Counters that are not 0.
    Counters,
    /// Meters that have rates.
    Meters,
    /// Elements of a register; if they are lost, those that are not 0.
    Elements,
    /// A multicast group or clone session.
    Replication,
    /// Words of shared memory that are not what their segment was filled with at first.
    Words,
    /// Records.
    Records,
}

/// The reason why state does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The new program has nothing of this kind and name.
    Missing,
    /// A key field is gone.
    FieldMissing {
        /// The field.
        field: String,
    },
    /// The new key has a further field.
    FieldAdded {
        /// The field.
        field: String,
    },
    /// A key field has another width.
    FieldWidth {
        /// The field.
        field: String,
        /// The width in the old program, in bits.
        old: u32,
        /// The width in the new program, in bits.
        new: u32,
    },
    /// A key field is matched in another way.
    FieldKind {
        /// The field.
        field: String,
        /// The match kind in the old program.
        old: MatchKind,
        /// The match kind in the new program.
        new: MatchKind,
    },
    /// The entries of the table do not have idle timeouts any more.
    NoIdleTimeout,
    /// The table does not have an action any more.
    ActionMissing {
        /// The action.
        action: String,
    },
    /// An action does not have a parameter any more.
    ParameterMissing {
        /// The action.
        action: String,
        /// The parameter.
        parameter: String,
    },
    /// An action has a further parameter.
    ParameterAdded {
        /// The action.
        action: String,
        /// The parameter.
        parameter: String,
    },
    /// A parameter of an action has another width.
    ParameterWidth {
        /// The action.
        action: String,
        /// The parameter.
        parameter: String,
        /// The width in the old program, in bits.
        old: u32,
        /// The width in the new program, in bits.
        new: u32,
    },
    /// The table takes its actions from another action profile, or from none.
    Profile {
        /// The profile in the old program.
        old: Option<String>,
        /// The profile in the new program.
        new: Option<String>,
    },
    /// The elements of a register have another type, or keys or records another size.
    ElementType,
    /// The counters or meters have another unit.
    Unit,
    /// The counters or meters belong to the entries of another table, or are an array in one program only.
    Owner {
        /// The table in the old program; `None` for an array.
        old: Option<String>,
        /// The table in the new program; `None` for an array.
        new: Option<String>,
    },
    /// An array has fewer elements.
    Size {
        /// The number of elements in the old program.
        old: u32,
        /// The number of elements in the new program.
        new: u32,
    },
    /// The new program refuses it, for example because a table is full. With several such losses, this is the error of
    /// the first.
    Refused(Error),
}

impl Misfit {
    /// Returns true if two losses have the same reason, apart from the keys and numbers that an error names.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Refused(Error::Entry { error: one, .. }), Self::Refused(Error::Entry { error: other, .. })) => {
                discriminant(one) == discriminant(other)
            }
            (Self::Refused(Error::Profile { error: one, .. }), Self::Refused(Error::Profile { error: other, .. })) => {
                discriminant(one) == discriminant(other)
            }
            (Self::Refused(one), Self::Refused(other)) => discriminant(one) == discriminant(other),
            (one, other) => one == other,
        }
    }
}

/// The number of examples in a finding.
const EXAMPLES: usize = 10;

impl Outcome {
    /// Notes state that was carried over, if there was any.
    pub(super) fn carry(&mut self, part: &Part, what: What, count: u64) {
        if count > 0 {
            self.carried.push(Carried { part: part.clone(), what, count });
        }
    }

    /// Notes that one thing is lost. The findings of a part follow one another, and it has few reasons.
    pub(super) fn lose(&mut self, part: &Part, misfit: &Misfit, what: What, example: impl FnOnce() -> String) {
        let own = self.findings.iter_mut().rev().take_while(|finding| finding.part == *part);
        let alike = own.filter(|finding| finding.misfit.is_like(misfit));
        let mut losses = alike.filter_map(|finding| finding.loss.as_mut());
        let Some(loss) = losses.find(|loss| loss.what == what) else {
            let loss = Some(Loss { what, count: 1, examples: vec![example()] });
            self.findings.push(Finding { part: part.clone(), misfit: misfit.clone(), loss });
            return;
        };
        loss.count += 1;
        if loss.examples.len() < EXAMPLES {
            loss.examples.push(example());
        }
    }
}

//! The texts of findings.

use std::fmt;

use super::{Carried, Finding, Loss, Misfit, Part, What};
use crate::error_text::thousands;

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entity { kind, name } => write!(f, "{kind} `{name}`"),
            Self::MulticastGroup(number) => write!(f, "multicast group {number}"),
            Self::CloneSession(number) => write!(f, "clone session {number}"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, misfit, loss } = self;
        match misfit {
            Misfit::Missing => write!(f, "the new program has no {part}")?,
            // The error of a request names the table or profile itself.
            Misfit::Refused(error) => write!(f, "{error}")?,
            _ => write!(f, "{part}: {misfit}")?,
        }
        loss.as_ref().map_or(Ok(()), |loss| write!(f, "; {loss}"))
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(f, "the new program does not have it"),
            Self::FieldMissing { field } => write!(f, "the key has no field `{field}` now"),
            Self::FieldAdded { field } => write!(f, "the key field `{field}` is new"),
            Self::FieldWidth { field, old, new } => {
                write!(f, "the key field `{field}` has {new} bits now and had {old}")
            }
            Self::FieldKind { field, old, new } => {
                write!(f, "the key field `{field}` is of kind {new} now and was of kind {old}")
            }
            Self::NoIdleTimeout => write!(f, "the entries have no idle timeouts now"),
            Self::ActionMissing { action } => write!(f, "there is no action `{action}` now"),
            Self::ParameterMissing { action, parameter } => {
                write!(f, "the action `{action}` has no parameter `{parameter}` now")
            }
            Self::ParameterAdded { action, parameter } => {
                write!(f, "the parameter `{parameter}` of the action `{action}` is new")
            }
            Self::ParameterWidth { action, parameter, old, new } => {
                write!(f, "the parameter `{parameter}` of the action `{action}` has {new} bits now and had {old}")
            }
            Self::Profile { old: Some(old), new: Some(new) } => {
                write!(f, "the actions come from action profile `{new}` now and came from `{old}`")
            }
            Self::Profile { new: Some(new), .. } => write!(f, "the actions come from action profile `{new}` now"),
            Self::Profile { old, .. } => {
                let old = old.as_deref().unwrap_or_default();
                write!(f, "the actions do not come from action profile `{old}` now")
            }
            Self::ElementType => write!(f, "the elements have another type now"),
            Self::Unit => write!(f, "the unit is another one now"),
            Self::Owner { old: None, new: Some(table) } => {
                write!(f, "there is one for each entry of table `{table}` now, and it was an array")
            }
            Self::Owner { old: Some(table), new: None } => {
                write!(f, "it is an array now, and there was one for each entry of table `{table}`")
            }
            Self::Owner { old, new } => {
                let [old, new] = [old, new].map(|table| table.as_deref().unwrap_or_default());
                write!(f, "there is one for each entry of table `{new}` now, and was for those of `{old}`")
            }
            Self::Size { old, new } => {
                let [old, new] = [old, new].map(|size| thousands(u64::from(*size)));
                write!(f, "there are {new} elements now and were {old}")
            }
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl What {
    /// Returns a number of these with the noun for them.
    fn counted(self, count: u64) -> String {
        let (one, several) = match self {
            Self::Entries => ("entry", "entries"),
            Self::Deletions => ("deletion of an initial entry", "deletions of initial entries"),
            Self::DefaultAction => ("default action", "default actions"),
            Self::Members => ("member", "members"),
            Self::Groups => ("group", "groups"),
            Self::Counters => ("counter", "counters"),
            Self::Meters => ("meter", "meters"),
            Self::Elements => ("element", "elements"),
            Self::IdleTimeouts => ("idle timeout", "idle timeouts"),
            Self::Replication => ("set of copies", "sets of copies"),
            Self::Words => ("word", "words"),
            Self::Records => ("record", "records"),
        };
        format!("{} {}", thousands(count), if count == 1 { one } else { several })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let are = if self.count == 1 { "is" } else { "are" };
        write!(f, "{} {are} lost: {}", self.what.counted(self.count), self.examples.join("; "))?;
        match self.count - self.examples.len() as u64 {
            0 => Ok(()),
            more => write!(f, "; and {} more", thousands(more)),
        }
    }
}

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.what.counted(self.count))
    }
}

//! The times for which switches have entries, and the actions of the control plane that follow from them.

use std::collections::BTreeSet;

use basis::Instant;
use control::{Info, Request};

use super::SwitchEntry;
use crate::controlled::ControlAction;

/// An entry of a switch, and the time for which the switch has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenure {
    /// The entry.
    pub entry: SwitchEntry,
    /// The time from which on the switch has it.
    pub from: Instant,
    /// The time from which on it does not have it any more.
    pub until: Option<Instant>,
}

impl Tenure {
    /// An entry that a switch has from the beginning to the end.
    pub fn always(entry: SwitchEntry) -> Self {
        Self { entry, from: Instant::ZERO, until: None }
    }

    fn covers(&self, at: Instant) -> bool {
        self.from <= at && self.until.is_none_or(|until| at < until)
    }
}

/// Returns what the control plane of a switch does so that it has these entries at their times, in the order of time.
/// `known` gives the number by which the switch's program knows a port.
///
/// In each of the times `without_memory`, from the first instant to the second, the switch has nothing. After the second
/// it gets everything that it should have then: `always`, which whoever set it up has written already, and the entries.
///
/// # Errors
/// If the switch has nothing of a name.
pub fn actions(
    (info, known): (&Info, &dyn Fn(u16) -> u32),
    tenures: &[Tenure],
    always: &[Request],
    without_memory: &[(Instant, Instant)],
) -> Result<Vec<(Instant, ControlAction)>, control::Error> {
    let mut times: BTreeSet<Instant> = BTreeSet::new();
    times.extend(tenures.iter().flat_map(|tenure| std::iter::once(tenure.from).chain(tenure.until)));
    times.extend(without_memory.iter().flat_map(|&(from, until)| [from, until]));
    let (mut actions, mut present) = (Vec::new(), BTreeSet::<&SwitchEntry>::new());
    for at in times {
        let mut requests = Vec::new();
        if without_memory.iter().any(|&(from, _)| from == at) {
            actions.push((at, ControlAction::Forget));
            present.clear();
        }
        if without_memory.iter().any(|&(from, until)| from <= at && at < until) {
            continue;
        }
        if without_memory.iter().any(|&(_, until)| until == at) {
            requests.extend(always.iter().cloned());
        }
        let wanted: BTreeSet<&SwitchEntry> =
            tenures.iter().filter(|tenure| tenure.covers(at)).map(|tenure| &tenure.entry).collect();
        for gone in present.iter().rev().filter(|entry| !wanted.contains(*entry)) {
            requests.push(gone.removal(info)?);
        }
        for new in wanted.difference(&present) {
            requests.push(new.insertion(info, known)?);
        }
        present = wanted;
        if !requests.is_empty() {
            actions.push((at, ControlAction::Execute(requests)));
        }
    }
    Ok(actions)
}

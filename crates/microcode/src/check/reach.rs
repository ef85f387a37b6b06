//! Warnings about what no thread reaches: instructions and subroutines, and timers and events at which no thread begins.

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, Span};
use ir::threads::Next;

use super::Checker;
use crate::syntax::{Cause, Item, Name, ObjectKind, Unit};

impl Checker<'_> {
    /// Warns of timers and events at which no thread begins.
    pub(super) fn warn_of_unused_causes(&mut self, unit: &Unit) {
        let begun: BTreeSet<&str> = unit
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Entrance(entrance) => match &entrance.cause {
                    Cause::Timer(name) | Cause::Event(name) => Some(&*name.text),
                    Cause::Packet => None,
                },
                _ => None,
            })
            .collect();
        for item in &unit.items {
            let Item::Object(object) = item else { continue };
            let what = match object.kind {
                ObjectKind::Timer { .. } => "timer",
                ObjectKind::Event => "event",
                _ => continue,
            };
            let name = &object.name;
            if !begun.contains(&*name.text) {
                let warning = Diagnostic::warning(name.span, format!("no thread begins at the {what} `{}`", name.text));
                let hint = format!("say where threads begin: `on {what} {} goto label;`", name.text);
                self.report.push(warning.hint(hint));
            }
        }
    }

    /// Warns of subroutines and instructions that no thread reaches. `pieces` are the subroutine, or `None` for the program
    /// itself, the number of the first instruction and how many there are.
    pub(super) fn warn_of_unreached(&mut self, pieces: &[(Option<&Name>, usize, usize)]) {
        let reached = self.reached();
        for &(function, first, count) in pieces {
            if let Some(name) = function
                && !reached[first]
            {
                let warning =
                    Diagnostic::warning(name.span, format!("no thread reaches the subroutine `{}`", name.text));
                self.report.push(warning.hint(format!("call it, `{}();`, or remove it", name.text)));
                continue;
            }
            // One warning is enough for instructions that follow each other.
            let lost = (first..first + count).filter(|&id| !reached[id] && (id == first || reached[id - 1]));
            let places: Vec<Span> = lost.map(|id| self.places[id]).collect();
            for place in places {
                let warning = Diagnostic::warning(place, "no thread reaches this instruction");
                self.report.push(warning.hint("`goto` a label in front of it, or remove it"));
            }
        }
    }

    /// Returns which instructions threads can reach. A label whose value is taken may be where any `goto` of a variable leads.
    fn reached(&mut self) -> Vec<bool> {
        let mut waiting: Vec<usize> = self.labels_taken.iter().copied().collect();
        let threads = self.threads();
        waiting.extend(threads.entrances.iter().map(|entrance| entrance.start.index()));
        let mut reached = vec![false; threads.instructions.len()];
        while let Some(id) = waiting.pop() {
            if std::mem::replace(&mut reached[id], true) {
                continue;
            }
            for way in threads.instructions[id].branch.ways() {
                match way {
                    Next::Goto(to) => waiting.push(to.index()),
                    Next::Call { to, then } => waiting.extend([to.index(), then.index()]),
                    Next::Jump(_) | Next::Return | Next::End => {}
                }
            }
        }
        reached
    }
}

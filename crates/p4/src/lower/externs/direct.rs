//! Direct counters and meters, which have one cell for each entry of the table that names them.

use std::collections::BTreeSet;

use control::{Identity, Size};
use diagnostics::{Diagnostic, Span};
use ir::{CounterId, MeterId};

use crate::lower::Objects;

/// A direct counter or a direct meter.
#[derive(Clone, Copy)]
pub(in crate::lower) enum Direct {
    Counter(CounterId),
    Meter(MeterId),
}

impl<'a> Objects<'_, 'a> {
    /// Drops the direct counters and meters that no table names: they have no cells, count nothing and are hidden from
    /// the control plane. Those of a hidden table are hidden with it.
    pub(in crate::lower) fn drop_unattached(&mut self) {
        let mut told = BTreeSet::new();
        for (direct, span) in std::mem::take(&mut self.switch.direct) {
            let info = &mut self.info;
            let (identity, size, what): (&mut Identity, Size, &str) = match direct {
                Direct::Counter(counter) => {
                    let own = &mut info.counters[counter.index()];
                    (&mut own.identity, own.size, "direct_counter")
                }
                Direct::Meter(meter) => {
                    let own = &mut info.meters[meter.index()];
                    (&mut own.identity, own.size, "direct_meter")
                }
            };
            let is_attached = matches!(size, Size::Entries(_));
            let is_shown = matches!(size, Size::Entries(table) if !info.tables[table.index()].identity.is_hidden);
            identity.is_hidden |= !is_shown;
            // Each instance of a control has its own counter, but all are declared at one place.
            if !is_attached && told.insert(span) {
                self.shapes.found.report(unattached(what, span));
            }
        }
    }
}

fn unattached(what: &str, span: Span) -> Diagnostic {
    let property = if what == "direct_counter" { "counters" } else { "meters" };
    let message = format!("no table names this `{what}`: it is dropped");
    Diagnostic::warning(span, message).hint(format!("a table names it in its property `{property}`"))
}

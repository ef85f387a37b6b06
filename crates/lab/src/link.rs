//! Links that go down and up.

use diagnostics::Failure;

use crate::ip::Batch;
use crate::state::{Lab, Link, LinkEnd};

/// Takes a link down or up. This is done at its switches: a host sees that its carrier is gone, and keeps its routes.
///
/// # Errors
/// Fails if an interface or its namespace has gone.
pub fn set(lab: &Lab, link: &Link, is_up: bool) -> Result<(), Failure> {
    for end in at_switches(link) {
        let mut batch = Batch::new(Some(&lab.namespace_of(&end.node)?.name));
        batch.add(format!("link set {} {}", end.interface, if is_up { "up" } else { "down" }));
        batch.run()?;
    }
    Ok(())
}

/// Returns the ends of a link that are ports of switches: one or both.
pub(crate) fn at_switches(link: &Link) -> impl Iterator<Item = &LinkEnd> {
    link.ends.iter().filter(|end| end.port.is_some())
}

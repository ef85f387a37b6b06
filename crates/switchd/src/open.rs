//! The interfaces of a plan, opened.

use diagnostics::Failure;
use live::{Options, RIGHTS};
use node::Port;
use service::BoxedInterface;

use crate::plan::{Found, PortBinding, SwitchPlan};

/// Opens the interfaces of a plan. If any cannot be opened, the others are closed again, and those that were made vanish.
///
/// # Errors
/// Fails with every interface that cannot be opened, each at its place.
pub fn open_interfaces(plan: &SwitchPlan) -> Result<Vec<(Port, BoxedInterface)>, Failure> {
    let (mut opened, mut found) = (Vec::new(), Vec::new());
    for binding in &plan.ports {
        match open(binding) {
            Ok(interface) => opened.push((Port(binding.port), interface)),
            Err(error) => found.push(error),
        }
    }
    plan.refuse(found)?;
    Ok(opened)
}

/// Returns how the interface of a port is opened.
pub(crate) fn options(binding: &PortBinding) -> Options {
    Options { namespace: binding.namespace.clone(), ..Options::default() }
}

/// Opens the interface of a port.
fn open(binding: &PortBinding) -> Result<BoxedInterface, Found> {
    live::open(&binding.interface, &options(binding)).map_err(|error| {
        let is_busy = error.raw_os_error() == Some(rustix::io::Errno::BUSY.raw_os_error());
        let hint = if is_busy { "another program holds it" } else { RIGHTS };
        let message = format!("the interface `{}` cannot be opened: {error}", binding.interface);
        (binding.interface_place.clone(), message, hint.to_owned())
    })
}

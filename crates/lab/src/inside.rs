//! Commands inside of a host or a switch.

use std::process::Command;

use diagnostics::{Diagnostic, Failure};

use crate::state::{Lab, Namespace};

/// Returns a command that runs in the network namespace of a host or switch, with a `/sys` that shows its interfaces.
///
/// # Errors
/// Fails if there is no such node, or its namespace has gone.
pub fn command(lab: &Lab, node: &str, program: &str) -> Result<Command, Failure> {
    let namespace = lab.namespace_of(node)?;
    if !namespace.is_ours() {
        let error = Diagnostic::without_place(format!("the network namespace of `{node}` has gone"));
        return Err(error.hint(format!("`polyplane lab down {}` removes what is left", lab.name)).into());
    }
    Ok(in_namespace(namespace, program))
}

pub(crate) fn in_namespace(namespace: &Namespace, program: &str) -> Command {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &namespace.name, program]);
    command
}

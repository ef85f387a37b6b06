//! `polyplane lab`: hosts of Linux around live switches.

mod arguments;
mod ask;
mod inside;
mod up;

use polyplane::Failure;
use polyplane::rooms::lab::{Labs, check_rights, down, restart, set_link, status};

use crate::output;
use arguments::{LabCommand, LinkState};

pub use arguments::{EXAMPLES, LabArguments};

pub fn run(arguments: &LabArguments) -> Result<u8, Failure> {
    let labs = Labs::default();
    let find = |which: &arguments::Which| labs.find(which.lab.as_deref());
    // What enters namespaces or starts switches needs the rights of who made the lab.
    let find_to_enter = |which: &arguments::Which| check_rights(None).and_then(|()| find(which));
    match &arguments.command {
        LabCommand::Up(arguments) => return up::run(&labs, arguments),
        LabCommand::Down { name, which, all } => {
            return remove(&labs, name.as_deref().or(which.lab.as_deref()), *all);
        }
        LabCommand::Status { which, json } => {
            let status = status(&find_to_enter(which)?);
            if *json { output::print_json(&status)? } else { output::print(&status.to_string())? }
        }
        LabCommand::Exec { which, node, command } => return inside::run(&find_to_enter(which)?, node, command),
        LabCommand::Shell { which, node } => return inside::shell(&find_to_enter(which)?, node),
        LabCommand::Pcap { which, link, filter, write } => {
            return ask::capture(&find(which)?, link, filter, write.as_deref());
        }
        LabCommand::Log { which, switch } => ask::log(&find(which)?, switch)?,
        LabCommand::Link { which, state, link } => {
            let lab = find_to_enter(which)?;
            set_link(&lab, lab.link(link)?, *state == LinkState::Up)?;
        }
        LabCommand::Restart { which, switch } => restart(&find_to_enter(which)?, switch, &up::polyplane()?)?,
        LabCommand::Tables { which, switch, names, json } => return ask::tables(&find(which)?, switch, names, *json),
    }
    Ok(0)
}

/// Removes a lab or all of them, and tells what was left where it is.
fn remove(labs: &Labs, name: Option<&str>, all: bool) -> Result<u8, Failure> {
    check_rights(None)?;
    let names: Vec<Option<String>> = match all {
        true => labs.names_of_remains().into_iter().map(Some).collect(),
        false => vec![name.map(str::to_owned)],
    };
    let mut failures = Vec::new();
    for name in names {
        match labs.find_remains(name.as_deref()).and_then(|lab| Ok((down(&lab)?, lab))) {
            Ok((left, lab)) => {
                left.iter().for_each(|left| output::tell(&format!("{left}, and was left\n")));
                output::tell(&format!("removed the lab {}\n", lab.name));
            }
            Err(failure) => failures.push(failure),
        }
    }
    let Some(last) = failures.pop() else { return Ok(0) };
    failures.iter().for_each(|failure| output::tell(&failure.render(false)));
    Err(last)
}

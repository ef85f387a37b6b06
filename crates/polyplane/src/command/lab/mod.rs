//! `polyplane lab`: hosts of Linux around live switches.

mod arguments;
mod ask;
mod inside;
mod up;

use polyplane::rooms::lab::{Labs, down, restart, set_link, status};
use polyplane::{Diagnostic, Failure};

use crate::output;
use arguments::{LabCommand, LinkState};

pub use arguments::{EXAMPLES, LabArguments};

pub fn run(arguments: &LabArguments) -> Result<u8, Failure> {
    let labs = Labs::default();
    let find = |which: &arguments::Which| labs.find(which.lab.as_deref());
    match &arguments.command {
        LabCommand::Up(arguments) => return up::run(&labs, arguments),
        LabCommand::Down { name, all } => return remove(&labs, name.as_deref(), *all),
        LabCommand::Status { which, json } => {
            let status = status(&find(which)?);
            if *json { output::print_json(&status)? } else { output::print(&status.to_string())? }
        }
        LabCommand::Exec { which, node, command } => return inside::run(&find(which)?, node, command),
        LabCommand::Shell { which, node } => return inside::shell(&find(which)?, node),
        LabCommand::Pcap { which, link, filter, write } => {
            return ask::capture(&find(which)?, link, filter, write.as_deref());
        }
        LabCommand::Log { which, switch } => ask::log(&find(which)?, switch)?,
        LabCommand::Link { which, state, link } => {
            let lab = find(which)?;
            set_link(&lab, lab.link(link)?, *state == LinkState::Up)?;
        }
        LabCommand::Restart { which, switch } => restart(&find(which)?, switch, &up::polyplane()?)?,
        LabCommand::Tables { which, switch, names, json } => return ask::tables(&find(which)?, switch, names, *json),
    }
    Ok(0)
}

/// Removes a lab or all of them, and tells what was left where it is.
fn remove(labs: &Labs, name: Option<&str>, all: bool) -> Result<u8, Failure> {
    let names: Vec<Option<String>> = match all {
        true => labs.names().into_iter().map(Some).collect(),
        false => vec![name.map(str::to_owned)],
    };
    for name in names {
        let lab = labs.find(name.as_deref())?;
        for left in down(&lab)? {
            output::tell(&Diagnostic::without_place(format!("{left}, and was left")).message);
            output::tell("\n");
        }
        output::tell(&format!("removed the lab {}\n", lab.name));
    }
    Ok(0)
}

//! `polyplane vswitch topology`: what was between two ends at a past moment.

use polyplane::Failure;
use polyplane::rooms::vswitchd::topology::{Question, topology};

use super::arguments::TopologyArguments;
use crate::output;

pub fn run(arguments: &TopologyArguments) -> Result<u8, Failure> {
    let TopologyArguments { logs, at, within, one, other, json } = arguments;
    let within = within.picoseconds() / 1_000_000_000_000;
    let question = Question { folders: logs.clone(), at: *at, within, ends: [one.clone(), other.clone()] };
    let topology = topology(&question)?;
    if *json {
        output::print_json(&topology)?;
    } else {
        output::print(&topology.to_string())?;
    }
    Ok(0)
}

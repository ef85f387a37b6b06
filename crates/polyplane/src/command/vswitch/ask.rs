//! Asking a virtual switch that runs.

use std::path::{Path, PathBuf};

use polyplane::Failure;
use polyplane::rooms::files::PlanText;
use polyplane::rooms::vswitchd::Request;
use polyplane::rooms::vswitchd::socket::{Messages, PLACES};

use super::arguments::{Reach, Shown, VswitchCommand};
use crate::asking::{ask, write_stream};
use crate::capture_options::CaptureOptions;
use crate::output;

pub fn run(command: &VswitchCommand) -> Result<u8, Failure> {
    let (request, reach) = match command {
        VswitchCommand::Check(_)
        | VswitchCommand::Run(_)
        | VswitchCommand::Upgrade(_)
        | VswitchCommand::Topology(_)
        | VswitchCommand::Cni => return Ok(0),
        VswitchCommand::Capture(CaptureOptions { at, ports, filter, write, socket }) => {
            let request = Request::Capture { at: at.clone(), ports: ports.clone(), filter: filter.clone() };
            return write_stream::<Messages>(&PLACES.named(socket.as_deref())?, &request, write);
        }
        VswitchCommand::Events { vnic, socket } => {
            let request = Request::Events { vnic: vnic.clone() };
            return write_stream::<Messages>(&PLACES.named(socket.as_deref())?, &request, Path::new("-"));
        }
        VswitchCommand::Show { what, vnic, most, reach } => (shown(*what, vnic.as_deref(), *most)?, reach),
        VswitchCommand::Trace { protocol, source, destination, vpc, next, reach } => {
            let request = Request::Trace {
                protocol: protocol.clone(),
                source: source.0,
                source_port: source.1,
                destination: destination.0,
                destination_port: destination.1,
                vpc: vpc.clone(),
                next: *next,
            };
            (request, reach)
        }
        VswitchCommand::Diff { configuration, reach } => (apply(configuration, true)?, reach),
        VswitchCommand::Apply { configuration, reach } => (apply(configuration, false)?, reach),
        VswitchCommand::Cores { number, reach } => (Request::Cores { number: *number }, reach),
        VswitchCommand::Stop { reach } => (Request::Stop { successor: None }, reach),
    };
    tell(&request, reach)
}

fn tell(request: &Request, reach: &Reach) -> Result<u8, Failure> {
    let answer = ask::<Messages>(&PLACES.named(reach.socket.as_deref())?, request)?;
    if reach.json {
        output::print_json(&answer)?
    } else {
        output::print(&answer.to_string())?
    }
    Ok(0)
}

fn shown(what: Shown, vnic: Option<&str>, most: usize) -> Result<Request, Failure> {
    let vnic = vnic.map(str::to_owned);
    Ok(match what {
        Shown::Sessions => Request::Sessions { vnic, most },
        Shown::Flows => Request::Flows { vnic, most },
        _ if vnic.is_some() => return Err(Failure::plain("only sessions and flows are shown by vNIC")),
        Shown::Switch => Request::Switch {},
        Shown::Ports => Request::Ports {},
        Shown::Drops => Request::Drops {},
        Shown::Rules => Request::Rules {},
        Shown::Limiters => Request::Limiters {},
        Shown::Underlay => Request::Underlay {},
    })
}

/// Returns the request to apply a file. The switch reads the file itself, but what comes from a pipe is sent with the request.
fn apply(configuration: &Path, dry_run: bool) -> Result<Request, Failure> {
    let cannot = |error: std::io::Error| Failure::plain(format!("cannot read {}: {error}", configuration.display()));
    let is_file = std::fs::metadata(configuration).is_ok_and(|metadata| metadata.is_file());
    let (path, text): (PathBuf, Option<String>) = match is_file {
        true => (std::fs::canonicalize(configuration).map_err(cannot)?, None),
        false => (configuration.to_owned(), Some(PlanText::read(configuration)?.text)),
    };
    Ok(Request::Apply { path: path.to_string_lossy().into_owned(), text, dry_run })
}

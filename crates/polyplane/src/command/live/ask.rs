//! Asking a running switch.

use polyplane::Failure;
use polyplane::rooms::files::read_text;
use polyplane::rooms::switchd::socket::{Messages, PLACES};
use polyplane::rooms::switchd::{Answer, Request};

use super::arguments::{LiveCommand, Reach, Shown};
use crate::asking::{ask, write_stream};
use crate::capture_options::CaptureOptions;
use crate::output;

/// The most elements of a counter or register that are shown as text.
const MOST: usize = 64;

pub fn run(command: &LiveCommand) -> Result<u8, Failure> {
    let (request, reach) = match command {
        LiveCommand::Capture(CaptureOptions { at, ports, filter, write, socket }) => {
            let request = Request::Capture { at: at.clone(), ports: ports.clone(), filter: filter.clone() };
            return write_stream::<Messages>(&PLACES.named(socket.as_deref())?, &request, write);
        }
        LiveCommand::Show { what, names, reach } => (shown(*what, names)?, reach),
        LiveCommand::Entries { lines, file, stf, reach } => {
            let lines = match file {
                Some(file) => read_text(file)
                    .map_err(|error| Failure::plain(format!("cannot read {}: {error}", file.display())))?,
                None => lines.join("\n"),
            };
            let is_stf =
                *stf || file.as_ref().is_some_and(|file| file.extension().is_some_and(|ending| ending == "stf"));
            (Request::Execute { lines, stf: is_stf }, reach)
        }
        LiveCommand::Trace { filter, port, reach } => (Request::Trace { filter: filter.join(" "), port: *port }, reach),
        LiveCommand::Reload { dry_run, reach } => (Request::Reload { dry_run: *dry_run }, reach),
        LiveCommand::Stop { reach } => (Request::Stop {}, reach),
    };
    tell(ask::<Messages>(&PLACES.named(reach.socket.as_deref())?, &request)?, reach)
}

fn shown(what: Shown, names: &[String]) -> Result<Request, Failure> {
    let names = names.to_vec();
    Ok(match what {
        Shown::Tables => Request::Tables { names },
        Shown::Counters => Request::Counters { names, most: MOST },
        _ if !names.is_empty() => return Err(Failure::plain("only tables and counters are shown by name")),
        Shown::Switch => Request::Switch {},
        Shown::Ports => Request::Ports {},
        Shown::Drops => Request::Drops {},
    })
}

fn tell(answer: Answer, reach: &Reach) -> Result<u8, Failure> {
    match answer {
        Answer::Trace { traces, .. } if reach.json => output::print_json(&traces)?,
        answer if reach.json => output::print_json(&answer)?,
        answer => output::print(&answer.to_string())?,
    }
    Ok(0)
}

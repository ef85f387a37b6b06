//! Asking a running switch.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use polyplane::Failure;
use polyplane::rooms::files::read_text;
use polyplane::rooms::switchd::socket::{Client, find};
use polyplane::rooms::switchd::{Answer, Answered, Refusal, Request};

use super::arguments::{LiveCommand, Reach, Shown};
use crate::output;

/// The most elements of a counter or register that are shown as text.
const MOST: usize = 64;

pub fn run(command: &LiveCommand) -> Result<u8, Failure> {
    let (request, reach) = match command {
        LiveCommand::Capture { at, ports, filter, write, socket } => {
            let request = Request::Capture { at: at.clone(), ports: ports.clone(), filter: filter.clone() };
            return capture_from(&path_of(socket.as_deref())?, &request, write);
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
    tell(ask_socket(&path_of(reach.socket.as_deref())?, &request)?, reach)
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

/// Returns the socket that is named, that of the switch that is named, or that of the only one that runs.
fn path_of(socket: Option<&Path>) -> Result<PathBuf, Failure> {
    match socket {
        Some(path) if path.components().count() > 1 || path.exists() => Ok(path.to_owned()),
        Some(name) => find(name.to_str()),
        None => find(None),
    }
}

/// Asks the switch of a control socket.
pub fn ask_socket(path: &Path, request: &Request) -> Result<Answer, Failure> {
    ask(&mut Client::connect(path)?, request)
}

fn ask(client: &mut Client, request: &Request) -> Result<Answer, Failure> {
    let answered =
        client.ask(request).map_err(|error| Failure::plain(format!("the switch did not answer: {error}")))?;
    match answered {
        Answered::Ok { ok } => Ok(ok),
        Answered::Refused(Refusal { error, exit_status }) => Err(refused(error, exit_status)),
    }
}

/// Returns the failure that a switch has told, which was rendered there.
fn refused(error: String, exit_status: u8) -> Failure {
    match exit_status {
        3 => Failure::DoesNotFit(error),
        4 => Failure::StandsStill(error),
        _ => {
            let error = error.trim_end();
            Failure::plain(error.strip_prefix("error: ").unwrap_or(error))
        }
    }
}

fn tell(answer: Answer, reach: &Reach) -> Result<u8, Failure> {
    match answer {
        Answer::Trace { traces, .. } if reach.json => output::print_json(&traces)?,
        answer if reach.json => output::print_json(&answer)?,
        answer => output::print(&answer.to_string())?,
    }
    Ok(0)
}

/// Captures from the switch of a control socket until it ends, the reader of a pipe goes away, or Ctrl-C.
pub fn capture_from(path: &Path, request: &Request, write: &Path) -> Result<u8, Failure> {
    let mut client = Client::connect(path)?;
    ask(&mut client, request)?;
    let cannot = |error: io::Error| Failure::plain(format!("cannot write {}: {error}", write.display()));
    let mut out: Box<dyn Write> = match write == Path::new("-") {
        true => Box::new(io::stdout()),
        false => Box::new(File::create(write).map_err(cannot)?),
    };
    let mut bytes = client.into_bytes();
    let mut piece = vec![0; 64 << 10];
    loop {
        let count = match bytes.read(&mut piece) {
            Ok(0) => return Ok(0),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::plain(format!("the switch has gone: {error}"))),
        };
        // At once, so that whoever looks at the pipe or the file sees each packet as it comes.
        match out.write_all(&piece[..count]).and_then(|()| out.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(0),
            Err(error) => return Err(cannot(error)),
        }
    }
}

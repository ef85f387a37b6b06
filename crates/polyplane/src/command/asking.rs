//! Asking a switch that runs, by its control socket.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use polyplane::Failure;
use polyplane::rooms::service::socket::Client;
use polyplane::rooms::service::{Answered, Messages};

/// Asks the switch of a control socket.
///
/// # Errors
/// Fails if nobody listens there, or the switch refuses.
pub fn ask<M: Messages>(path: &Path, request: &M::Request) -> Result<M::Answer, Failure> {
    ask_by(&mut Client::<M>::connect(path)?, request)
}

fn ask_by<M: Messages>(client: &mut Client<M>, request: &M::Request) -> Result<M::Answer, Failure> {
    let answered =
        client.ask(request).map_err(|error| Failure::plain(format!("the switch did not answer: {error}")))?;
    match answered {
        Answered::Ok { ok } => Ok(ok),
        Answered::Refused(refusal) => Err(refusal.into()),
    }
}

/// Writes the bytes that follow the answer to a request into a file, or to standard output if it is `-`, until the switch ends,
/// the reader of a pipe goes away, or Ctrl-C.
///
/// # Errors
/// Fails if nobody listens there, the switch refuses, or the file cannot be written.
pub fn write_stream<M: Messages>(path: &Path, request: &M::Request, write: &Path) -> Result<u8, Failure> {
    let mut client = Client::<M>::connect(path)?;
    ask_by(&mut client, request)?;
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

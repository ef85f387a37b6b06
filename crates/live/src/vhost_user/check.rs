//! Whether a front end can meet the switch by a socket.

use std::path::Path;

use rustix::fs::{Access, access};

use super::socket::{is_abandoned, is_socket};
use crate::check::{Claim, Unusable, folder_of, written_file};

/// The longest path of a socket in bytes (unix(7)).
const LONGEST_PATH: usize = 107;

/// Checks the length of a path.
fn named(path: &str) -> Result<&Path, Unusable> {
    if path.is_empty() || path.len() > LONGEST_PATH {
        let hint = format!("a path has 1 to {LONGEST_PATH} bytes");
        return Err(Unusable::new(format!("`{path}` cannot be the path of a socket"), hint));
    }
    Ok(Path::new(path))
}

/// Checks the path of a socket on which the switch is to listen.
pub fn listening(path: &str) -> Result<Vec<Claim>, Unusable> {
    let file = named(path)?;
    let claim = written_file(file)?;
    if file.symlink_metadata().is_ok() && !is_abandoned(file) {
        let message = format!("`{path}` is there already, and no socket that its owner has left");
        let hint = "end the process that listens there, or name another path; if a front end listens there, \
                    `vhost-user-client:` connects to it";
        return Err(Unusable::new(message, hint));
    }
    Ok(vec![claim])
}

/// Checks the path of a socket on which a front end listens, now or some time later.
pub fn connecting(path: &str) -> Result<Vec<Claim>, Unusable> {
    let file = named(path)?;
    let folder = folder_of(file);
    if !folder.is_dir() {
        let message = format!("no front end can listen at `{path}`: there is no folder `{}`", folder.display());
        return Err(Unusable::new(message, "make the folder first"));
    }
    if file.exists() {
        if !is_socket(file) {
            let message = format!("no front end listens at `{path}`, which is no socket");
            return Err(Unusable::new(
                message,
                "name the socket that the front end makes, or one that is not there yet",
            ));
        }
        access(file, Access::WRITE_OK).map_err(|error| {
            let hint = "who connects to a socket needs the right to write it";
            Unusable::new(format!("the socket `{path}` cannot be connected to: {error}"), hint)
        })?;
    }
    // Two interfaces would take turns with one front end.
    Ok(vec![Claim::written_file(file)])
}

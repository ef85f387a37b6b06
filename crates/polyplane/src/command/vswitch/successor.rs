//! Starting the process that takes over: the program as it is installed now, with the options of this one.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::arguments::ServedArguments;
use crate::output;

/// The process that takes over when it is asked for.
pub struct Successor {
    /// The place of this program, where a newer one may lie later.
    program: PathBuf,
    arguments: Vec<OsString>,
    is_running: Arc<AtomicBool>,
}

impl Successor {
    /// Prepares the successor of a switch with a control socket, which is served and writes as this one.
    ///
    /// # Errors
    /// Returns the error of the system if it does not say where this program lies.
    pub fn of(socket: &Path, served: &ServedArguments) -> io::Result<Self> {
        let mut arguments: Vec<OsString> = ["vswitch", "upgrade", "--socket"].map(OsString::from).into();
        arguments.push(socket.into());
        arguments.extend(served.to_options());
        Ok(Self { program: std::env::current_exe()?, arguments, is_running: Arc::default() })
    }

    /// Starts it. If it fails, this switch goes on, and says so.
    pub fn start(&self) {
        if self.is_running.swap(true, Ordering::AcqRel) {
            return output::tell("another process is taking over already\n");
        }
        let started = Command::new(&self.program).args(&self.arguments).stdin(Stdio::null()).spawn();
        let is_running = Arc::clone(&self.is_running);
        let wait = |mut child: std::process::Child| {
            let wait = move || {
                let ended = child.wait();
                is_running.store(false, Ordering::Release);
                let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
                output::tell(&format!("the process that was to take over has ended ({how}), and the switch goes on\n"));
            };
            thread::Builder::new().name("successor".to_owned()).spawn(wait).map(|_| ())
        };
        if let Err(error) = started.and_then(wait) {
            self.is_running.store(false, Ordering::Release);
            let program = self.program.display();
            output::tell(&format!("`{program}` cannot be started to take over: {error}\n"));
        }
    }
}

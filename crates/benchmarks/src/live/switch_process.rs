//! A switch that runs as a process of its own.

use std::fs;
use std::process::{Child, Command, Stdio};

use diagnostics::Failure;

/// A running switch. It is killed when this is dropped.
pub struct SwitchProcess {
    child: Child,
    name: String,
}

impl SwitchProcess {
    /// Starts a switch in this thread's namespace.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(command: &mut Command) -> Result<Self, Failure> {
        let name = command.get_program().display().to_string();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.map_err(|error| Failure::plain(format!("cannot run {name}: {error}")))?;
        Ok(Self { child, name })
    }

    /// Returns an error if the switch has ended by itself.
    ///
    /// # Errors
    /// If it has, with its exit status.
    pub fn check(&mut self) -> Result<(), Failure> {
        match self.child.try_wait() {
            Ok(Some(status)) => Err(Failure::plain(format!("{} has ended: {status}", self.name))),
            _ => Ok(()),
        }
    }

    /// Returns the processor time that all threads of the process have used, in nanoseconds; `None` if the kernel does
    /// not tell.
    pub fn processor_time(&self) -> Option<u64> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id())).ok()?;
        let time = |thread: std::io::Result<fs::DirEntry>| -> Option<u64> {
            let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            text.split_whitespace().next()?.parse().ok()
        };
        threads.map(time).sum()
    }
}

impl Drop for SwitchProcess {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

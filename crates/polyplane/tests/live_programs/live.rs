//! The command `polyplane live` while a test runs.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common;

/// A running `polyplane live` on the interfaces `port1` and `port2`. It ends when this is dropped.
pub struct Live(Child);

impl Live {
    /// Starts a program of `programs/p4` with its `commands.txt`, as machine code.
    pub fn start(program: &str) -> Self {
        let folder = format!("programs/p4/{program}");
        let child = Command::new(env!("CARGO_BIN_EXE_polyplane"))
            .args(["live", &format!("{folder}/{program}.p4"), "--machine", "native", "--for", "50s"])
            .args(["--tables", &format!("{folder}/commands.txt"), "--port", "1=port1", "--port", "2=port2"])
            .current_dir(common::project())
            // Its control socket, which stays when it is killed, is in nobody's way there.
            .env("XDG_RUNTIME_DIR", env!("CARGO_TARGET_TMPDIR"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.expect("the command is built"))
    }

    /// Repeats something until it succeeds, at most for ten seconds: the command may still be compiling the program.
    pub fn once_ready(&self, mut body: impl FnMut() -> bool) {
        for _ in 0..100 {
            if body() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("nothing crosses the program");
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

//! `polyplane serve` and `polyplane live` in a process of their own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A running `polyplane serve` or `polyplane live`, which waits for a program. It ends when this is dropped.
pub struct Server {
    child: Child,
    folder: PathBuf,
    /// Where it listens.
    pub address: String,
}

impl Server {
    /// Starts a server of a device at any free port.
    pub fn start(device: u64) -> Self {
        Self::start_at(device, "127.0.0.1:0")
    }

    pub fn start_at(device: u64, listen: &str) -> Self {
        Self::run(&["serve", "--p4runtime", listen, "--device-id", &device.to_string()])
    }

    /// Starts device 1 on a machine and on interfaces, each given as `PORT=INTERFACE`.
    pub fn live(machine: &str, ports: &[&str]) -> Self {
        let mut arguments = vec!["live", "--machine", machine, "--p4runtime", "127.0.0.1:0"];
        ports.iter().for_each(|port| arguments.extend(["--port", port]));
        Self::run(&arguments)
    }

    fn run(arguments: &[&str]) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("controllers-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyplane"));
        command.args(arguments).args(["--for", "60s", "--socket"]);
        command.arg(folder.join("switch.sock")).stderr(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("P4Runtime: ").map(str::to_owned));
        Self { child, folder, address: address.expect("it says where it listens") }
    }

    /// Writes what controllers load for a program, and returns the folder.
    pub fn controller_files(&self, program: &Path) -> PathBuf {
        let folder = self.folder.join("build");
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyplane"));
        let output = command.arg("compile").arg(program).arg("--controller-files").arg(&folder).output();
        let output = output.expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

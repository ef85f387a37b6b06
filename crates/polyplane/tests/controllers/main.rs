//! Controllers that others have written, unmodified, against `polyplane serve` and `polyplane live`.
//!
//! Each lives in a virtual environment in `target/python`, which `scripts/setup.sh tests` makes. Where one is missing, its test
//! says so and passes. The tutorials' controller comes from a copy of the tutorials that `TUTORIALS` names.

#[cfg(target_os = "linux")]
mod bridge;
#[cfg(target_os = "linux")]
#[path = "../../../live/tests/linux/namespace.rs"]
mod namespace;
mod server;

use std::path::{Path, PathBuf};
use std::process::Command;

use server::Server;

/// The program of the tests: it sends a controller's packets back, except those that a table drops.
const ECHO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../p4runtime/tests/service/echo.p4");

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the Python of a virtual environment, if there is one.
fn python(name: &str) -> Option<PathBuf> {
    let python = workspace().join("target/python").join(name).join("bin/python");
    if !python.exists() {
        eprintln!("skipped: there is no {}; `scripts/setup.sh tests` makes it", python.display());
        return None;
    }
    Some(python)
}

/// Runs a script, and returns what it has printed. It must not take long, and has to end well.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("Python starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Runs a script of this folder against a switch that waits for the program, whose files are in the given folder.
fn script(client: &str, script: &str) {
    let Some(python) = python(client) else { return };
    let server = Server::start(1);
    let files = server.controller_files(Path::new(ECHO));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/controllers").join(script);
    let text = run(Command::new(python).arg(path).arg(&server.address).arg(files.join("echo")));
    assert_eq!(text.trim().lines().last(), Some("done"), "{text}");
}

#[test]
fn p4runtime_shell_writes_reads_and_exchanges_packets() {
    script("shell", "shell.py");
}

#[test]
fn the_manual_shows_this_controller() {
    let page = std::fs::read_to_string(workspace().join("docs/p4runtime.md")).expect("the page is there");
    assert!(page.contains(include_str!("shell.py")), "the code of docs/p4runtime.md is not that of shell.py");
}

#[test]
fn finsy_writes_reads_and_exchanges_packets() {
    script("finsy", "finsy_controller.py");
}

#[test]
fn the_tutorials_controller_fills_two_switches() {
    let Some(tutorials) = std::env::var_os("TUTORIALS").map(PathBuf::from) else {
        eprintln!("skipped: TUTORIALS names no copy of the P4 tutorials");
        return;
    };
    let Some(python) = python("shell") else { return };
    // The addresses are those of the controller's text; a lab beside this test may have them.
    const ADDRESSES: [&str; 2] = ["127.0.0.1:50051", "127.0.0.1:50052"];
    if let Some(taken) = ADDRESSES.iter().find(|address| std::net::TcpListener::bind(address).is_err()) {
        eprintln!("skipped: {taken} is taken, and the controller knows no other address");
        return;
    }
    let servers = [Server::start_at(0, ADDRESSES[0]), Server::start_at(1, ADDRESSES[1])];
    let exercise = tutorials.join("exercises/p4runtime");
    let files = servers[0].controller_files(&exercise.join("advanced_tunnel.p4"));
    let wrapper = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/controllers/tutorials.py");
    let mut command = Command::new(python);
    command.arg(wrapper).arg(tutorials.join("utils")).arg(exercise.join("solution/mycontroller.py"));
    command.arg("--p4info").arg(files.join("advanced_tunnel.p4.p4info.txtpb"));
    command.arg("--bmv2-json").arg(files.join("advanced_tunnel.json"));
    std::fs::create_dir_all(files.join("logs")).expect("a folder can be made");
    let text = run(command.current_dir(&files));
    for line in
        ["Installed P4 Program using SetForwardingPipelineConfig on s2", "MyIngress.myTunnel_egress", "0 packets"]
    {
        assert!(text.contains(line), "{text}");
    }
}

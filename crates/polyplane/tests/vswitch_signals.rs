//! What signals do to `polyplane vswitch run`. Its guest is a UDP socket, so that it needs no rights.

#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::net::UdpSocket;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The time after which something will not happen any more.
const LONGEST: Duration = Duration::from_secs(20);

/// Starts a switch in a folder by a shell that runs a command first, and returns when its control socket is there.
fn started(folder: &Path, first: &str) -> Child {
    let free = || UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("there are ports");
    let configuration = format!(
        "name = \"host\"\n[[vpc]]\nname = \"red\"\nvni = 7001\n[[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\ngateway = \"10.0.1.254\"\n\
         [[vnic]]\nname = \"one\"\ninterface = \"udp:{},{}\"\nvpc = \"red\"\nmac = \"02:00:00:00:00:01\"\naddresses = [\"10.0.1.1\"]\n",
        free(),
        free()
    );
    fs::create_dir_all(folder).expect("a folder can be made");
    fs::write(folder.join("host.toml"), configuration).expect("a file can be written");
    let script = format!(
        "{first}; exec '{}' vswitch run host.toml --socket host.sock --for 60s --tenant oen=tenant.sock",
        env!("CARGO_BIN_EXE_polyplane")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.process_group(0).spawn().expect("there is a shell");
    let began = Instant::now();
    while !Command::new(env!("CARGO_BIN_EXE_polyplane"))
        .args(["vswitch", "show", "switch", "--socket", "host.sock"])
        .current_dir(folder)
        .output()
        .is_ok_and(|output| output.status.success())
    {
        assert!(began.elapsed() < LONGEST, "the switch does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

fn hang_up(child: &Child) {
    let sent = Command::new("kill").args(["-HUP", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

fn ended(child: Child) -> Output {
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    output
}

#[test]
fn a_switch_whose_terminal_is_closed_ends_in_order() {
    let folder = common::absent_folder();
    let child = started(&folder, ":");
    assert!(folder.join("host.sock").exists());
    hang_up(&child);
    let output = ended(child);
    let [said, noted] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(said.contains("received        0") && said.contains("one             sent 0"), "{said}");
    assert!(noted.contains("note: there is no vNIC `oen` yet") && noted.contains("did you mean `one`?"), "{noted}");
    assert!(!folder.join("host.sock").exists() && !folder.join("tenant.sock").exists());
}

#[test]
fn a_switch_that_ignores_its_terminal_goes_on() {
    let folder = common::absent_folder();
    let child = started(&folder, "trap '' HUP");
    hang_up(&child);
    let asked = |what: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyplane"));
        command.arg("vswitch").args(what).args(["--socket", "host.sock"]).current_dir(&*folder);
        command.output().is_ok_and(|output| output.status.success())
    };
    assert!(asked(&["show", "switch"]) && asked(&["stop"]));
    ended(child);
}

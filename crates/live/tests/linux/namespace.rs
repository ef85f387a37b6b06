//! A network namespace for one test, which is gone when the test is over.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Set for the test when it runs inside.
const INSIDE: &str = "POLYPLANE_TEST_NAMESPACE";
/// After so long a test has hung.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs `body` in a network namespace of its own, which needs `/dev/net/tun`, `ip` and `unshare`, and the right to make
/// user namespaces or to be root. Where one of them is missing it says so, and nothing is tested.
///
/// The test calls itself, by its `name`, in a process of its own.
pub fn within(name: &str, body: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    if let Some(missing) = missing() {
        eprintln!("SKIPPED {name}: {missing}; TCP was not held against the kernel's");
        return;
    }
    let itself = std::env::current_exe().expect("a test has an executable");
    let mut child = unshare()
        .arg(itself)
        .args([name, "--exact", "--test-threads=1"])
        .env(INSIDE, "1")
        // What it says is short enough for a pipe, and of interest only if it fails.
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("unshare was there a moment ago");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            break status;
        }
        if started.elapsed() > LONGEST {
            child.kill().expect("it is our child");
            child.wait().expect("it was killed");
            panic!("still busy after {LONGEST:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    if !status.success() {
        let output = child.wait_with_output().expect("it has ended");
        let [stdout, stderr] = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        panic!("the test failed in its namespace: {status}\n{stdout}\n{stderr}");
    }
}

fn unshare() -> Command {
    let mut unshare = Command::new("unshare");
    // A user namespace of its own makes root of anybody, for this namespace.
    if !is_root() {
        unshare.args(["--user", "--map-root-user"]);
    }
    unshare.args(["--net", "--"]);
    unshare
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

/// What is missing, if something is.
fn missing() -> Option<&'static str> {
    let succeeds = |command: &mut Command| {
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    if !std::path::Path::new("/dev/net/tun").exists() {
        return Some("there is no /dev/net/tun");
    }
    if !succeeds(Command::new("ip").arg("-V")) {
        return Some("there is no command ip (iproute2)");
    }
    if !succeeds(unshare().arg("true")) {
        return Some("unshare (util-linux) may not make a network namespace here");
    }
    let makes_tap = ["ip", "tuntap", "add", "dev", "try0", "mode", "tap"];
    (!succeeds(unshare().args(makes_tap))).then_some("no TAP interface may be made here")
}

/// Does something with `ip`, which must succeed.
pub fn ip(arguments: &str) {
    let status = Command::new("ip").args(arguments.split(' ')).status().expect("ip was there a moment ago");
    assert!(status.success(), "ip {arguments}: {status}");
}

/// Sets something of the namespace under `/proc/sys/net`; false if the kernel does not have it.
pub fn set(name: &str, value: &str) -> bool {
    std::fs::write(format!("/proc/sys/net/{name}"), value).is_ok()
}

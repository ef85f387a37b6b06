//! A network namespace for one test, which is removed when the test is over.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The environment variable that is set when the test runs inside the namespace.
const INSIDE: &str = "POLYPLANE_TEST_NAMESPACE";
/// The time after which a test is considered hung.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs `body` in a network namespace of its own. This needs `/dev/net/tun`, `ip` and `unshare`, and the permission to
/// create user namespaces or root. If one of them is missing, the function says so and tests nothing.
///
/// The test executes itself, by its `name`, in a process of its own.
pub fn within(name: &str, body: impl FnOnce()) {
    within_time(name, LONGEST, body);
}

/// As [`within`], for a test that is considered hung after another time.
pub fn within_time(name: &str, longest: Duration, body: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    if let Some(missing) = missing() {
        eprintln!("SKIPPED {name}: {missing}; nothing was held against the kernel");
        return;
    }
    let itself = std::env::current_exe().expect("the executable of the test exists");
    let mut child = unshare()
        .arg(itself)
        .args([name, "--exact", "--test-threads=1"])
        .env(INSIDE, "1")
        // The output is short enough for a pipe, and only matters if the test fails.
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("unshare was found before");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child can be waited for") {
            break status;
        }
        if started.elapsed() > longest {
            child.kill().expect("the child can be killed");
            child.wait().expect("the killed child can be waited for");
            panic!("still busy after {longest:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let output = child.wait_with_output().expect("the child has ended");
    let [stdout, stderr] = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(status.success(), "the test failed in its namespace: {status}\n{stdout}\n{stderr}");
    // A name without its modules is that of no test, which succeeds.
    assert!(stdout.contains("running 1 test"), "there is no test called {name}");
}

pub fn unshare() -> Command {
    let mut unshare = Command::new("unshare");
    // In a user namespace of its own, any user is root.
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

/// Returns what is missing, if anything is.
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

/// Runs `ip`, which must succeed.
pub fn ip(arguments: &str) {
    let status = Command::new("ip").args(arguments.split(' ')).status().expect("ip was found before");
    assert!(status.success(), "ip {arguments}: {status}");
}

/// Sets a value of the namespace under `/proc/sys/net`. Returns false if the kernel does not have it.
pub fn set(name: &str, value: &str) -> bool {
    std::fs::write(format!("/proc/sys/net/{name}"), value).is_ok()
}

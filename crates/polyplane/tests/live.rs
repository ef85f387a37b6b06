//! `polyplane live` in a network namespace: frames of one TAP interface go through a P4 program to the other.

#![cfg(target_os = "linux")]

mod common;
#[path = "../../live/tests/linux/namespace.rs"]
#[expect(dead_code, reason = "the tests of TCP set more")]
mod namespace;

use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use namespace::{ip, within};

/// The frames that the kernel has taken from the program on an interface.
fn received(interface: &str) -> u64 {
    let output = Command::new("ip").args(["-s", "-j", "link", "show", interface]).output();
    let links = output.ok().and_then(|output| serde_json::from_slice::<serde_json::Value>(&output.stdout).ok());
    links.and_then(|links| links[0]["stats64"]["rx"]["packets"].as_u64()).unwrap_or(0)
}

/// Waits until something holds; true if it does within ten seconds.
fn soon(holds: impl Fn() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(10) {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn frames_cross_a_learning_switch() {
    within("frames_cross_a_learning_switch", || {
        let program = "programs/p4/learning_switch/learning_switch.p4";
        let tables = "programs/p4/learning_switch/commands.txt";
        let child = Command::new(env!("CARGO_BIN_EXE_polyplane"))
            .args(["live", program, "--machine", "native", "--tables", tables, "--json", "--for", "20s"])
            .args(["--interface", "0=pp0", "--interface", "1=pp1"])
            .current_dir(common::project())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command is built");
        let is_there =
            |name: &str| Command::new("ip").args(["link", "show", name]).output().is_ok_and(|it| it.status.success());
        assert!(soon(|| is_there("pp0") && is_there("pp1")), "the interfaces were not made");
        ip("link set pp0 up");
        ip("link set pp1 up");
        ip("addr add 10.9.0.1/24 brd 10.9.0.255 dev pp0");
        let socket = UdpSocket::bind("10.9.0.1:0").expect("the address is ours");
        socket.set_broadcast(true).expect("a socket may broadcast");
        let crossed = || {
            let _ = socket.send_to(b"polyplane", "10.9.0.255:4000");
            received("pp1") > 0
        };
        assert!(soon(crossed), "no frame went from pp0 to pp1");
        // Ctrl-C ends it with its counts.
        let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(interrupted.is_ok_and(|status| status.success()), "the command ended too early");
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let result: serde_json::Value = serde_json::from_str(&text).expect("it prints JSON");
        assert!(result["received"].as_u64() > Some(0) && result["transmitted"].as_u64() > Some(0), "{text}");
    });
}

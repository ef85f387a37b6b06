//! `polyplane live` in a network namespace: frames of one interface go through a P4 program to the other.

#![cfg(target_os = "linux")]

mod common;
#[path = "../../live/tests/linux/namespace.rs"]
mod namespace;

use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use namespace::{ip, set, within};

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

/// Runs a learning switch on two interfaces, `ports`, and sends frames from one of the kernel's ends to the other.
fn frames_cross(ports: [&str; 2], ends: [&str; 2]) {
    // The kernel sends nothing by itself then.
    set("ipv6/conf/all/disable_ipv6", "1");
    set("ipv6/conf/default/disable_ipv6", "1");
    let program = "programs/p4/learning_switch/learning_switch.p4";
    let tables = "programs/p4/learning_switch/commands.txt";
    let child = Command::new(env!("CARGO_BIN_EXE_polyplane"))
        .args(["live", program, "--machine", "native", "--tables", tables, "--json", "--for", "20s"])
        .args(["--port", &format!("0={}", ports[0]), "--port", &format!("1={}", ports[1])])
        .current_dir(common::project())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command is built");
    let is_there =
        |name: &str| Command::new("ip").args(["link", "show", name]).output().is_ok_and(|it| it.status.success());
    assert!(soon(|| is_there(ports[0]) && is_there(ports[1])), "the interfaces were not made");
    for interface in ports.iter().chain(&ends) {
        ip(&format!("link set {interface} up"));
    }
    ip(&format!("addr add 10.9.0.1/24 brd 10.9.0.255 dev {}", ends[0]));
    let socket = UdpSocket::bind("10.9.0.1:0").expect("the address is ours");
    socket.set_broadcast(true).expect("a socket may broadcast");
    let crossed = || {
        let _ = socket.send_to(b"polyplane", "10.9.0.255:4000");
        received(ends[1]) > 0
    };
    assert!(soon(crossed), "no frame went from {} to {}", ends[0], ends[1]);
    // Ctrl-C ends it with its counts.
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.is_ok_and(|status| status.success()), "the command ended too early");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let result: serde_json::Value = serde_json::from_str(&text).expect("it prints JSON");
    assert!(result["received"].as_u64() > Some(0) && result["transmitted"].as_u64() > Some(0), "{text}");
}

#[test]
fn frames_cross_a_learning_switch() {
    within("frames_cross_a_learning_switch", || frames_cross(["pp0", "pp1"], ["pp0", "pp1"]));
}

#[test]
fn frames_cross_between_veth_pairs() {
    within("frames_cross_between_veth_pairs", || {
        set("ipv6/conf/default/disable_ipv6", "1");
        ip("link add port0 type veth peer name far0");
        ip("link add port1 type veth peer name far1");
        frames_cross(["port0", "port1"], ["far0", "far1"]);
    });
}

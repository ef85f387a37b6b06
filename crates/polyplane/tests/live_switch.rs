//! `polyplane live switch.toml` in a network namespace, and the commands that ask the switch while it runs.

#![cfg(target_os = "linux")]

mod common;
#[path = "../../live/tests/linux/namespace.rs"]
mod namespace;

use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use namespace::{ip, set, within};

/// Waits until something holds; true if it does within twenty seconds.
fn soon(mut holds: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(20) {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// A folder with a plan for a learning switch between two veth pairs, and the control socket.
struct Room {
    folder: common::AbsentFolder,
}

impl Room {
    fn new() -> Self {
        set("ipv6/conf/default/disable_ipv6", "1");
        set("ipv6/conf/all/disable_ipv6", "1");
        for number in 0..2 {
            ip(&format!("link add port{number} type veth peer name far{number}"));
            ip(&format!("link set port{number} up"));
            ip(&format!("link set far{number} up"));
        }
        ip("link set lo up");
        ip("addr add 10.9.0.1/24 brd 10.9.0.255 dev far0");
        let folder = common::absent_folder();
        fs::create_dir_all(&*folder).expect("a temporary folder can be made");
        let programs = common::project().join("programs/p4/learning_switch");
        for name in ["learning_switch.p4", "commands.txt"] {
            fs::copy(programs.join(name), folder.join(name)).expect("the program is there");
        }
        let plan = "program = \"learning_switch.p4\"\nmachine = \"native\"\ntables = [\"commands.txt\"]\n\n\
                    [[port]]\nport = 0\ninterface = \"port0\"\n\n[[port]]\nport = 1\ninterface = \"port1\"\n\n\
                    [queues]\nqueue = \"drop-tail\"\nlimit = \"64 packets\"\n\n\
                    [metrics]\nlisten = \"127.0.0.1:9105\"\n\n[control]\nsocket = \"switch.sock\"\n";
        fs::write(folder.join("switch.toml"), plan).expect("it can be written");
        Self { folder }
    }

    fn plan(&self) -> PathBuf {
        self.folder.join("switch.toml")
    }

    fn start(&self) -> Child {
        let child = Command::new(env!("CARGO_BIN_EXE_polyplane"))
            .args(["live", "--json", "--for", "50s"])
            .arg(self.plan())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command is built");
        assert!(soon(|| self.ask("show switch").status.success()), "the switch does not answer");
        child
    }

    /// Asks the switch.
    fn ask(&self, line: &str) -> Output {
        let words = line.split(' ');
        let socket = self.folder.join("switch.sock");
        let command =
            Command::new(env!("CARGO_BIN_EXE_polyplane")).arg("live").args(words).arg("--socket").arg(socket).output();
        command.expect("the command is built")
    }

    fn answer(&self, line: &str) -> String {
        let output = self.ask(line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("a text")
    }
}

/// Broadcasts a datagram from the first far end.
fn broadcast() {
    let socket = UdpSocket::bind("10.9.0.1:0").expect("the address is ours");
    socket.set_broadcast(true).expect("a socket may broadcast");
    let _ = socket.send_to(b"polyplane", "10.9.0.255:4000");
}

fn signalled(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.is_ok_and(|status| status.success()), "the switch ended too early");
}

fn ports_json(room: &Room) -> serde_json::Value {
    serde_json::from_str(&room.answer("show ports --json")).expect("JSON")
}

#[test]
fn a_plan_runs_and_the_switch_is_asked_while_it_does() {
    within("a_plan_runs_and_the_switch_is_asked_while_it_does", || {
        let room = Room::new();
        let check = Command::new(env!("CARGO_BIN_EXE_polyplane")).args(["live", "--check"]).arg(room.plan()).output();
        assert!(check.is_ok_and(|output| output.status.success()), "the plan is right");
        let child = room.start();
        let crossed = || {
            broadcast();
            ports_json(&room)["ports"][1]["transmitted"]["packets"].as_u64() > Some(0)
        };
        assert!(soon(crossed), "{}", room.answer("show ports"));
        assert!(room.answer("show ports").contains("port1"));
        assert!(soon(|| room.answer("show drops").contains("in block")), "{}", room.answer("show drops"));
        assert!(room.answer("show tables").contains("add "), "{}", room.answer("show tables"));
        // A trace of the next broadcast.
        let socket = room.folder.join("switch.sock");
        let mut trace = Command::new(env!("CARGO_BIN_EXE_polyplane"))
            .args(["live", "trace", "udp port 4000", "--port", "0", "--socket"])
            .arg(&socket)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command is built");
        let capture_file = room.folder.join("in.pcapng");
        let mut capture = Command::new(env!("CARGO_BIN_EXE_polyplane"))
            .args(["live", "capture", "--at", "in", "--port", "0", "--write"])
            .arg(&capture_file)
            .arg("--socket")
            .arg(&socket)
            .spawn()
            .expect("the command is built");
        let is_traced = soon(|| {
            broadcast();
            trace.try_wait().is_ok_and(|ended| ended.is_some())
        });
        assert!(is_traced, "no packet was traced");
        let traced = trace.wait_with_output().expect("it has ended");
        assert!(String::from_utf8_lossy(&traced.stdout).contains("ingress"), "{traced:?}");
        let has_packets = || {
            broadcast();
            fs::read(&capture_file).is_ok_and(|bytes| bytes.windows(9).any(|window| window == b"polyplane"))
        };
        assert!(soon(has_packets), "no packet was captured");
        match Command::new("tshark")
            .args(["-Y", "udp", "-T", "fields", "-e", "frame.interface_name", "-r"])
            .arg(&capture_file)
            .output()
        {
            Ok(output) => assert!(String::from_utf8_lossy(&output.stdout).contains("port0 (port 0)"), "{output:?}"),
            Err(_) => eprintln!("SKIPPED: there is no tshark, which should read the capture too"),
        }
        assert!(room.answer("reload --dry-run").contains("nothing has changed"));
        fs::write(room.folder.join("learning_switch.p4"), "nonsense").expect("it can be written");
        let refused = room.ask("reload");
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("learning_switch.p4:1:1"), "{refused:?}");
        // Metrics of the same counters.
        let mut stream = std::net::TcpStream::connect("127.0.0.1:9105").expect("it listens");
        std::io::Write::write_all(&mut stream, b"GET /metrics HTTP/1.1\r\n\r\n").expect("it reads");
        let text = std::io::read_to_string(stream).expect("it answers");
        assert!(text.contains("polyplane_port_received_packets_total{port=\"0\",interface=\"port0\"}"), "{text}");
        room.answer("stop");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
        let totals: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
        assert!(totals["received"].as_u64() > Some(0), "{totals}");
        assert!(!socket.exists(), "the socket is removed");
        let _ = capture.wait();
    });
}

/// Returns the settings of an interface that a switch could have changed.
fn settings(name: &str) -> String {
    let shown = Command::new("ip").args(["-d", "addr", "show", name]).output().expect("ip is there");
    // Counters of promiscuous users, which the kernel counts down when a socket is closed, are part of it.
    String::from_utf8_lossy(&shown.stdout).into_owned()
}

#[test]
fn a_switch_that_is_killed_leaves_everything_as_it_was() {
    within("a_switch_that_is_killed_leaves_everything_as_it_was", || {
        let room = Room::new();
        let plan = fs::read_to_string(room.plan()).expect("it is there");
        fs::write(room.plan(), format!("{plan}\n[[port]]\nport = 2\ninterface = \"made0\"\n"))
            .expect("it can be written");
        let before = [settings("port0"), settings("port1")];
        let mut child = room.start();
        assert!(Path::new("/sys/class/net").exists() && settings("made0").contains("made0"));
        let twice = Command::new(env!("CARGO_BIN_EXE_polyplane")).arg("live").arg(room.plan()).output();
        let twice = twice.expect("the command is built");
        assert!(!twice.status.success() && String::from_utf8_lossy(&twice.stderr).contains("already"), "{twice:?}");
        signalled(&child, "-KILL");
        child.wait().expect("it ends");
        assert!(soon(|| [settings("port0"), settings("port1")] == before), "{} was {}", settings("port0"), before[0]);
        assert!(!settings("made0").contains("made0"), "the TAP interface is still there");
        // Its socket is stale, and is replaced.
        let child = room.start();
        signalled(&child, "-TERM");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
    });
}

#[test]
fn ports_of_udp_need_no_rights() {
    let folder = common::absent_folder();
    fs::create_dir_all(&*folder).expect("a temporary folder can be made");
    let socket = folder.join("switch.sock");
    let far = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").expect("a port is free"));
    // Ports that are free now; nobody else takes them in the meantime, as the system gives out others first.
    let near = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").expect("a port is free"));
    let address = |socket: &UdpSocket| socket.local_addr().expect("it is bound");
    let bindings: Vec<String> =
        (0..2).map(|port| format!("{port}=udp:{},{}", address(&near[port]), address(&far[port]))).collect();
    drop(near);
    let child = Command::new(env!("CARGO_BIN_EXE_polyplane"))
        .args(["live", "programs/p4/learning_switch/learning_switch.p4", "--for", "50s", "--json"])
        .args(["--tables", "programs/p4/learning_switch/commands.txt", "--port", &bindings[0], "--port", &bindings[1]])
        .arg("--socket")
        .arg(&socket)
        .current_dir(common::project())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command is built");
    far[1].set_read_timeout(Some(Duration::from_millis(100))).expect("it is a socket");
    let mut frame = vec![0xFF; 6];
    frame.extend([2, 0, 0, 0, 0, 1, 0x88, 0xB5]);
    frame.resize(60, 7);
    let crossed = soon(|| {
        let _ = far[0]
            .send_to(&frame, bindings[0].split(['=', ',']).nth(1).and_then(|it| it.strip_prefix("udp:")).unwrap_or(""));
        let mut out = [0; 100];
        far[1].recv(&mut out).is_ok_and(|length| out[..length] == frame[..])
    });
    let stop = Command::new(env!("CARGO_BIN_EXE_polyplane")).args(["live", "stop", "--socket"]).arg(&socket).output();
    let output = child.wait_with_output().expect("it ends");
    assert!(crossed && stop.is_ok_and(|stop| stop.status.success()), "{output:?}");
    assert!(output.status.success(), "{output:?}");
}

//! `polyplane vswitch upgrade`, run as an operator runs it, while packets pass between two guests of Linux.

#![cfg(target_os = "linux")]

mod command;
#[path = "../../../vswitchd/tests/linux/guest.rs"]
mod guest;
mod interfaces;
#[path = "../../../live/tests/linux/namespace.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod namespace;
#[path = "../../../vswitchd/tests/upgrade/probes.rs"]
mod probes;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use command::{CONFIGURATION, Site};
use guest::Guest;
use namespace::{ip, within};
use polyplane::rooms::live::namespace::within as inside_of;
use probes::Probes;

/// Opens a TCP connection between two guests: the ends of the client and of the server.
fn connection(one: &Guest, two: &Guest) -> [TcpStream; 2] {
    let inside = |guest: &Guest| Some(guest.path());
    let listener = inside_of(inside(two).as_deref(), || TcpListener::bind("10.0.1.2:80")).expect("a port");
    let client = inside_of(inside(one).as_deref(), || TcpStream::connect("10.0.1.2:80"));
    let (server, _) = listener.accept().expect("the client connects");
    let ends = [client.expect("the server listens"), server];
    for end in &ends {
        end.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout can be set");
    }
    ends
}

/// Sends bytes from one end of a connection to the other.
fn says(from: &mut TcpStream, to: &mut TcpStream, what: &[u8]) {
    from.write_all(what).expect("the connection is there");
    let mut heard = vec![0; what.len()];
    to.read_exact(&mut heard).expect("the connection goes on");
    assert_eq!(heard, what);
}

/// Asks for the metrics at an address.
fn metrics(address: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text).map(|_| text)
}

#[test]
fn the_command_takes_over_while_packets_pass() {
    within("the_command_takes_over_while_packets_pass", || {
        ip("link set lo up");
        let (one, two) = (Guest::new(1), Guest::new(2));
        let site = Site::new(CONFIGURATION);
        let served = ["--metrics", "127.0.0.1:9471", "--tenant", &format!("one={}", site.path("one.sock"))];
        let mut old = site.runs(&served);
        let [mut client, mut server] = connection(&one, &two);
        says(&mut client, &mut server, b"hello");
        let probes = Probes::start(&one, &two);
        probes.wait_for(300);
        let new = site.upgrades(&served);
        assert!(old.ends(), "the old one ends, with success");
        probes.wait_for(300);
        // The server could say nothing by itself: the new switch knows the connection.
        says(&mut server, &mut client, b"welcome");
        says(&mut client, &mut server, b"goodbye");
        probes.end_without_gap();
        // It is served at the same places.
        site.waits_for("the new one is served", || metrics("127.0.0.1:9471").is_ok());
        assert!(metrics("127.0.0.1:9471").is_ok_and(|text| text.contains("polyplane_vswitch_sessions 2")));
        let drops = site.asks("drops");
        assert!(drops.contains("another process passes packets on"), "{drops}");
        assert!(!drops.contains("denied by a security group"), "no session is lost: {drops}");
        assert!(std::os::unix::net::UnixStream::connect(site.path("one.sock")).is_ok());
        let said = site.stops(new);
        assert!(said.contains("took over from process"), "{said}");
        assert!(!std::path::Path::new(&site.path("host.sock")).exists(), "the socket is gone with the switch");
    });
}

#[test]
fn a_successor_that_cannot_start_changes_nothing() {
    within("a_successor_that_cannot_start_changes_nothing", || {
        ip("link set lo up");
        let (one, two) = (Guest::new(1), Guest::new(2));
        let site = Site::new(CONFIGURATION);
        let old = site.runs(&[]);
        let [mut client, mut server] = connection(&one, &two);
        says(&mut client, &mut server, b"hello");
        let taken = TcpListener::bind("127.0.0.1:9472").expect("a port");
        std::fs::write(site.path("file"), "").expect("a file can be written");
        let [file, below] = ["one=", "one="].map(str::to_owned);
        let (file, below) = (file + &site.path("file"), below + &site.path("file/below.sock"));
        for (arguments, why) in [
            (["--metrics", "127.0.0.1:9472"], "metrics cannot be served at 127.0.0.1:9472"),
            (["--tenant", &file], "is no socket"),
            (["--tenant", &below], "cannot listen at"),
            (["--flow-logs", &site.path("file/logs")], "no flow log can be written"),
        ] {
            let (status, said) = site.fails_to_upgrade(&arguments);
            assert_eq!(status, 2, "{said}");
            assert!(said.contains(why), "{said}");
            says(&mut server, &mut client, b"still");
            says(&mut client, &mut server, b"here");
        }
        drop(taken);
        let drops = site.asks("drops");
        assert!(!drops.contains("another process passes packets on"), "it has never stood by: {drops}");
        // The interface of a guest has gone meanwhile, as in a file that does not fit this computer any more.
        ip("link delete guest2");
        let (status, said) = site.fails_to_upgrade(&[]);
        assert!(status == 2 && said.contains("guest2"), "{said}");
        assert!(one.pings("10.0.1.254"), "the old one goes on");
        let remains = std::fs::read_dir(site.folder()).expect("it is there").flatten();
        let remains: Vec<_> =
            remains.map(|file| file.file_name()).filter(|name| name.to_string_lossy().contains("sock")).collect();
        assert_eq!(remains, ["host.sock"], "nothing is left behind");
        site.stops(old);
    });
}

// The end of the old process was the end of the service, and systemd then stopped the new one.
#[test]
fn a_service_manager_is_told_who_has_taken_over() {
    within("a_service_manager_is_told_who_has_taken_over", || {
        ip("link set lo up");
        let (one, two) = (Guest::new(1), Guest::new(2));
        let site = Site::new(CONFIGURATION);
        let logs = site.path("logs");
        let (mut old, manager) = site.is_managed(&["--flow-logs", &logs, "--metrics", "127.0.0.1:9473"]);
        assert_eq!(manager.hears(), "READY=1");
        let [mut client, mut server] = connection(&one, &two);
        says(&mut client, &mut server, b"hello");
        let mut process = old.process();
        for turn in 1..=2 {
            signal("USR2", &process);
            let main = manager.hears();
            let successor = main.strip_prefix("MAINPID=").expect(&main).to_owned();
            assert_ne!(successor, process);
            process = successor;
            if turn == 1 {
                assert!(old.ends(), "the old one ends, with success");
            }
            says(&mut server, &mut client, b"welcome");
            says(&mut client, &mut server, b"goodbye");
            // It has the options of the first.
            site.waits_for("the new one is served", || metrics("127.0.0.1:9473").is_ok());
            let served = || old.said().matches("metrics: http://127.0.0.1:9473").count() == turn + 1;
            site.waits_for("it says so", served);
        }
        // A successor that fails changes nothing.
        ip("link delete guest2");
        signal("USR2", &process);
        site.waits_for("it fails", || old.said().contains("(exit status: 2), and the switch goes on"));
        assert!(one.pings("10.0.1.254"), "the old one goes on");
        signal("TERM", &process);
        site.waits_for("it ends", || !std::path::Path::new(&site.path("host.sock")).exists());
    });
}

/// Sends a signal to a process.
fn signal(name: &str, process: &str) {
    let status = std::process::Command::new("kill").args(["-s", name, process]).status().expect("kill is there");
    assert!(status.success());
}

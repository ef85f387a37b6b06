//! The control socket: what clients may do wrong costs others nothing.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use common::{LONG, Running, frame, soon, start};
use switchd::socket::{Client, LONGEST_LINE, Server, SocketFile, serve};
use switchd::{Answer, Answered, Request};

/// A running switch with its socket.
struct Served {
    path: PathBuf,
    _server: Server,
    switch: Running,
}

fn served() -> Served {
    let switch = start();
    let path = switch.folder.0.join("control.sock");
    let file = SocketFile::listen(&path).expect("the path is free");
    let server = serve(file, switch.handle.clone()).expect("there are threads");
    Served { path, _server: server, switch }
}

impl Served {
    fn connect(&self) -> UnixStream {
        let stream = UnixStream::connect(&self.path).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("it is a socket");
        stream.set_write_timeout(Some(LONG)).expect("it is a socket");
        stream
    }

    /// Asks for the ports as a client of its own.
    fn answers(&self) -> bool {
        let mut client = Client::connect(&self.path).expect("it listens");
        matches!(client.ask(&Request::Ports {}), Ok(Answered::Ok { ok: Answer::Ports(_) }))
    }
}

/// Sends lines, and returns the answers.
fn asked(stream: &mut UnixStream, lines: &[u8], answers: usize) -> Vec<serde_json::Value> {
    stream.write_all(lines).expect("it is read");
    let mut reader = BufReader::new(stream.try_clone().expect("a descriptor"));
    let answer = |_| {
        let mut line = String::new();
        reader.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    };
    (0..answers).map(answer).collect()
}

#[test]
fn each_line_is_answered_in_order_and_wrong_ones_with_why() {
    let served = served();
    let mut stream = served.connect();
    let lines = b"{\"request\":\"ports\"}\n\nnonsense\n{\"request\":\"portss\"}\n[1]\n\xff\xfe\n{\"request\":\"tables\",\"x\":1}\r\n\
                  {\"request\":\"capture\",\"filter\":\"hosst 1\"}\n{\"request\":\"drops\"}\n";
    let answers = asked(&mut stream, lines, 8);
    assert_eq!(answers[0]["ok"]["ports"][1]["interface"], "link1");
    for wrong in &answers[1..7] {
        assert!(wrong["error"].is_string() && wrong["exit_status"] == 2, "{wrong}");
    }
    assert!(answers[2]["error"].as_str().is_some_and(|error| error.contains("portss")), "{}", answers[2]);
    assert!(answers[6]["error"].as_str().is_some_and(|error| error.contains("did you mean `host`?")), "{}", answers[6]);
    assert_eq!(answers[7]["ok"]["drops"], serde_json::json!([]));
}

#[test]
fn a_request_behind_which_the_client_sends_no_more_is_still_answered() {
    let served = served();
    let mut stream = served.connect();
    stream.write_all(b"{\"request\":\"drops\"}\n{\"request\":\"ports\"}\n{\"request\"").expect("it is read");
    stream.shutdown(std::net::Shutdown::Write).expect("it is open");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it answers and closes");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn a_flood_without_an_end_of_line_is_cut_off() {
    let served = served();
    let mut stream = served.connect();
    let piece = vec![b'x'; 64 << 10];
    let mut sent = 0;
    // It closes its end while we write, so that writing fails sooner or later.
    while sent < 64 * LONGEST_LINE && stream.write_all(&piece).is_ok() {
        sent += piece.len();
    }
    assert!(sent < 64 * LONGEST_LINE, "it read {sent} bytes");
    assert!(served.answers());
}

#[test]
fn a_client_that_reads_nothing_holds_up_nobody() {
    let served = served();
    let mut stalled = served.connect();
    stalled.set_nonblocking(true).expect("it is a socket");
    let request = b"{\"request\":\"tables\"}\n".repeat(1000);
    let mut sent = 0;
    // Until the switch reads no more of it.
    loop {
        match stalled.write(&request) {
            Ok(count) => sent += count,
            Err(_) if !soon_writable(&mut stalled) => break,
            Err(_) => {}
        }
        assert!(sent < 256 << 20, "the switch reads requests whose answers nobody takes");
    }
    assert!(served.answers());
    let out = served.switch.cross(0, &frame(1));
    assert_eq!(common::pair(&out), [1, 1]);
}

/// Returns whether a stream takes a byte within a tenth of a second.
fn soon_writable(stream: &mut UnixStream) -> bool {
    (0..20).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        stream.write(b"\n").is_ok()
    })
}

#[test]
fn clients_that_break_off_are_forgotten_and_more_than_enough_wait() {
    let served = served();
    for number in 0..200 {
        let mut stream = served.connect();
        let _ = stream.write_all(&b"{\"request\":\"ports\"}\n{\"requ"[..number % 27]);
    }
    assert!(served.answers());
    let crowd: Vec<UnixStream> = (0..40).map(|_| served.connect()).collect();
    let waiting = std::thread::spawn({
        let path = served.path.clone();
        move || Client::connect(&path).is_ok_and(|mut client| client.ask(&Request::Ports {}).is_ok())
    });
    drop(crowd);
    assert!(waiting.join().expect("no panic"), "it is served when others have gone");
}

#[test]
fn a_trace_and_a_capture_end_with_their_client() {
    let served = served();
    for _ in 0..30 {
        // More than may wait at once: those that have gone away do not count.
        let mut stream = served.connect();
        stream.write_all(b"{\"request\":\"trace\",\"filter\":\"arp\"}\n").expect("it is read");
        drop(stream);
        let mut stream = served.connect();
        let answers = asked(&mut stream, b"{\"request\":\"capture\"}\n", 1);
        if answers[0]["ok"]["capture"]["format"] != "pcapng" {
            assert!(answers[0]["error"].as_str().is_some_and(|error| error.contains("captures run already")));
        }
    }
    let mut stream = served.connect();
    let has_begun = soon(|| {
        let answers = asked(&mut stream, b"{\"request\":\"trace\",\"filter\":\"hosst\"}\n", 1);
        answers[0]["error"].as_str().is_some_and(|error| error.contains("hosst"))
    });
    assert!(has_begun, "threads of clients that have gone still wait");
}

#[test]
fn a_capture_streams_pcapng_until_the_switch_ends() {
    let served = served();
    let mut client = Client::connect(&served.path).expect("it listens");
    let request = Request::Capture { at: Vec::new(), ports: vec![0], filter: String::new() };
    assert!(matches!(client.ask(&request), Ok(Answered::Ok { ok: Answer::Capture { .. } })));
    for _ in 0..5 {
        served.switch.cross(0, &frame(1));
    }
    let Served { switch, _server, .. } = served;
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        client.into_bytes().read_to_end(&mut bytes).map(|_| bytes)
    });
    switch.stop();
    let bytes = reader.join().expect("no panic").expect("the connection is closed in order");
    let packets = wire::capture::Reader::new(bytes.as_slice()).expect("a capture").count();
    assert_eq!(packets, 5);
}

#[test]
fn a_live_socket_is_taken_and_a_stale_one_is_replaced() {
    let served = served();
    let mode = fs::metadata(&served.path).expect("the file is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let taken = SocketFile::listen(&served.path).expect_err("it is taken");
    assert!(taken.to_string().contains("already"), "{taken}");
    assert!(served.answers());
    let folder = served.switch.folder.0.clone();
    let stale = folder.join("stale.sock");
    // A listener that is dropped leaves its file, as a killed process does.
    drop(UnixListener::bind(&stale).expect("the path is free"));
    assert!(UnixStream::connect(&stale).is_err());
    let file = SocketFile::listen(&stale).expect("a stale socket is replaced");
    assert!(UnixStream::connect(&stale).is_ok());
    drop(file);
    assert!(!stale.exists());
    let text = folder.join("text");
    fs::write(&text, "mine").expect("it can be written");
    assert!(SocketFile::listen(&text).is_err());
    assert_eq!(fs::read_to_string(&text).expect("it is there"), "mine");
}

#[test]
fn an_answer_reaches_a_client_that_has_said_all() {
    let served = served();
    let mut stream = served.connect();
    stream.write_all(b"{\"request\":\"reload\",\"dry_run\":true}\n{\"request\":\"ports\"}\n").expect("it is read");
    stream.shutdown(std::net::Shutdown::Write).expect("it is open");
    let mut answers = String::new();
    stream.read_to_string(&mut answers).expect("it answers");
    assert_eq!(answers.lines().count(), 2, "{answers}");
}

#[test]
fn a_request_with_a_field_that_it_lacks_is_refused() {
    let served = served();
    let mut stream = served.connect();
    let answers = asked(&mut stream, b"{\"request\":\"stop\",\"dry_run\":true}\n{\"request\":\"ports\"}\n", 2);
    assert!(answers[0].to_string().contains("unknown field `dry_run`"), "{}", answers[0]);
    assert!(served.answers(), "the switch has not stopped");
}

#[test]
fn of_two_starts_at_one_moment_one_gets_the_socket() {
    let folder = common::Folder::new();
    let path = folder.0.join("one.sock");
    for round in 0..50 {
        if round % 2 == 0 {
            // The socket of a switch that was killed, which several would replace.
            drop(UnixListener::bind(&path).expect("the path is free"));
        }
        let barrier = std::sync::Barrier::new(4);
        let listening: Vec<_> = std::thread::scope(|scope| {
            let start = || {
                barrier.wait();
                SocketFile::listen(&path)
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(start)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let (got, refused): (Vec<_>, Vec<_>) = listening.into_iter().partition(Result::is_ok);
        assert_eq!(got.len(), 1, "round {round}");
        for failure in refused.into_iter().filter_map(Result::err) {
            assert!(failure.to_string().contains("a switch listens at"), "{failure}");
        }
        assert!(UnixStream::connect(&path).is_ok(), "the one that got it listens there");
    }
}

#[test]
fn a_request_that_is_too_long_is_refused_with_the_limit() {
    let served = served();
    let mut client = Client::connect(&served.path).expect("it listens");
    let lines = "add firsts hdr.ethernet.destination:1 set_first(value:1)\n".repeat(20_000);
    let answered = client.ask(&Request::Execute { lines, stf: true }).expect("the connection stays");
    let Answered::Refused(refusal) = answered else { panic!("{answered:?}") };
    assert!(refusal.error.contains(&format!("may have {LONGEST_LINE} bytes")), "{}", refusal.error);
    assert!(matches!(client.ask(&Request::Ports {}), Ok(Answered::Ok { .. })), "the client is still served");
}

#[test]
fn traces_that_wait_for_ever_leave_room_for_a_reload() {
    let served = served();
    let mut waiting: Vec<UnixStream> = Vec::new();
    for _ in 0..8 {
        let mut stream = served.connect();
        stream.write_all(b"{\"request\":\"trace\",\"filter\":\"udp port 9\"}\n").expect("it is read");
        waiting.push(stream);
    }
    // The ninth is refused once the others wait.
    let is_refused = || {
        let mut client = Client::connect(&served.path).expect("it listens");
        let mut stream = served.connect();
        stream.set_read_timeout(Some(std::time::Duration::from_millis(50))).expect("it is a socket");
        stream.write_all(b"{\"request\":\"trace\",\"filter\":\"udp port 9\"}\n").expect("it is read");
        let is_refused = stream.read(&mut [0; 16]).is_ok_and(|count| count > 0);
        assert!(matches!(client.ask(&Request::Ports {}), Ok(Answered::Ok { .. })));
        is_refused
    };
    assert!(soon(is_refused));
    let mut client = Client::connect(&served.path).expect("it listens");
    let answered = client.ask(&Request::Reload { dry_run: false }).expect("it answers");
    assert!(matches!(answered, Answered::Ok { .. }), "{answered:?}");
}

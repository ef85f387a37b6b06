//! Clients that keep their connections without asking, or without listening, leave room for those that ask.

#![cfg(unix)]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use service::socket::{Answers, Begun, Client, Manner, SocketFile, Stream, serve};
use service::{Answered, Cancel, Refusal};

struct Texts;

impl service::Messages for Texts {
    type Request = String;
    type Answer = String;
    const INSTEAD_OF_LONG: &'static str = "say less";
}

/// Answers at once: `long` by more than a socket holds, `listen` by a stream without bytes, and everything else by itself.
#[derive(Clone)]
struct AtOnce;

struct Silence;

impl Stream for Silence {
    fn take(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
}

impl Answers for AtOnce {
    type Messages = Texts;

    fn manner(&self, request: &String) -> Manner {
        if request == "listen" { Manner::Stream } else { Manner::AtOnce }
    }

    fn answer(&self, request: String, _: &Cancel) -> Result<String, Refusal> {
        Ok(if request == "long" { "long ".repeat(1 << 18) } else { request })
    }

    fn stream(&self, request: String, _: Box<dyn Fn() + Send + Sync>) -> Result<Begun<String>, Refusal> {
        Ok((request, Box::new(Silence)))
    }
}

const LONG: Duration = Duration::from_secs(20);

/// Connects and sends some bytes.
fn connected(path: &Path, bytes: &[u8]) -> UnixStream {
    let mut stream = UnixStream::connect(path).expect("it listens");
    stream.set_read_timeout(Some(LONG)).expect("it is a time");
    stream.write_all(bytes).expect("there is room");
    stream
}

fn is_answered(path: &Path) {
    let mut client = Client::<Texts>::connect(path).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let answered = client.ask_until(&"question".to_owned(), Instant::now() + LONG).expect("an answer in time");
    assert_eq!(answered, Answered::Ok { ok: "question".to_owned() });
}

/// Forty clients of a kind connect, more than are served at once, and stay while another one asks.
fn others_are_answered_beside(hold: impl Fn(&Path) -> UnixStream) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("held.sock");
    let server = serve(SocketFile::listen(&path).expect("it is free"), AtOnce).expect("there are threads");
    let mut held: Vec<UnixStream> = (0..40).map(|_| hold(&path)).collect();
    held.iter().for_each(|stream| stream.set_nonblocking(true).expect("it is a socket"));
    // Those that go on to send bytes, but never a whole line, ask nothing either.
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                held.iter_mut().for_each(|stream| drop(stream.write(b" ")));
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let asked = std::panic::catch_unwind(|| (0..3).for_each(|_| is_answered(&path)));
        is_over.store(true, Ordering::Relaxed);
        assert!(asked.is_ok(), "others are not answered");
    });
    drop(server);
}

#[test]
fn who_asks_is_answered_beside_those_that_send_no_whole_line() {
    others_are_answered_beside(|path| connected(path, b"\"half"));
}

#[test]
fn who_asks_is_answered_beside_those_that_take_no_answer() {
    others_are_answered_beside(|path| connected(path, b"\"long\"\n"));
}

#[test]
fn who_asks_is_answered_beside_those_that_listen() {
    others_are_answered_beside(|path| connected(path, b"\"listen\"\n"));
}

/// A client for whose stream there is no room is told so.
#[test]
fn streams_have_a_bound_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("streams.sock");
    let server = serve(SocketFile::listen(&path).expect("it is free"), AtOnce).expect("there are threads");
    let answer = |stream: &mut UnixStream| {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer in time");
            line.extend(byte);
        }
        String::from_utf8(line).expect("text")
    };
    let mut listening: Vec<UnixStream> = (0..13).map(|_| connected(&path, b"\"listen\"\n")).collect();
    let answers: Vec<String> = listening.iter_mut().map(answer).collect();
    assert!(answers[..12].iter().all(|line| line == "{\"ok\":\"listen\"}\n"), "{answers:?}");
    assert!(answers[12].contains("12 clients listen") && answers[12].contains("\"busy\":true"), "{answers:?}");
    drop(server);
}

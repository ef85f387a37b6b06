//! A switch to which too many requests are made at once says so, in a way that any client can tell from other refusals.

#![cfg(unix)]

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use service::socket::{Answers, Begun, Client, Manner, SocketFile, serve};
use service::{Answered, Cancel, Refusal};

struct Texts;

impl service::Messages for Texts {
    type Request = String;
    type Answer = String;
    const INSTEAD_OF_LONG: &'static str = "say less";
}

/// Answers each request with itself when somebody lets it, and says when it has begun one.
#[derive(Clone)]
struct WhenLet(Arc<Mutex<Receiver<()>>>, Sender<()>);

impl Answers for WhenLet {
    type Messages = Texts;

    fn manner(&self, _: &String) -> Manner {
        Manner::Aside { waits_for_packet: false, what: "requests are being answered" }
    }

    fn answer(&self, request: String, _: &Cancel) -> Result<String, Refusal> {
        self.1.send(()).expect("the test waits");
        self.0.lock().expect("nobody panics").recv().expect("the test lets it");
        Ok(request)
    }

    fn stream(&self, _: String, _: Box<dyn Fn() + Send + Sync>) -> Result<Begun<String>, Refusal> {
        Err(Refusal::new("nothing follows"))
    }
}

#[test]
fn too_many_requests_at_once_are_told_from_others_that_are_refused() {
    const LONG: Duration = Duration::from_secs(20);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("busy.sock");
    let ((allow, allowed), (begin, begun)) = (channel(), channel());
    let answers = WhenLet(Arc::new(Mutex::new(allowed)), begin);
    let server = serve(SocketFile::listen(&path).expect("it is free"), answers).expect("there are threads");
    let client = || Client::<Texts>::connect(&path).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let ask = |number: usize| {
        let mut client = client();
        std::thread::spawn(move || client.ask(&number.to_string()).expect("an answer"))
    };
    let asked: Vec<_> = (0..8).map(ask).collect();
    (0..8).for_each(|_| begun.recv_timeout(LONG).expect("it has begun"));
    let mut late = client();
    let Answered::Refused(refusal) = late.ask(&"late".to_owned()).expect("an answer") else { panic!("it is refused") };
    assert_eq!(refusal, Refusal::busy("8 requests are being answered already\n"));
    let json = "{\"error\":\"8 requests are being answered already\\n\",\"exit_status\":2,\"busy\":true}";
    assert_eq!(serde_json::to_string(&refusal).expect("it is JSON"), json);
    // Who asks again is answered once there is room.
    (0..9).for_each(|_| allow.send(()).expect("it is waited for"));
    let answered = late.ask_until(&"late".to_owned(), Instant::now() + LONG).expect("an answer");
    assert_eq!(answered, Answered::Ok { ok: "late".to_owned() });
    for (number, thread) in asked.into_iter().enumerate() {
        assert_eq!(thread.join().expect("it does not panic"), Answered::Ok { ok: number.to_string() });
    }
    drop(server);
}

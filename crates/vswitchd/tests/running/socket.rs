//! The control socket: captures and events are streams behind an answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;

use vswitchd::socket::{SocketFile, serve};
use vswitchd::{Answer, Answered, EventRow, Request};
use wire::capture::Reader;

use crate::host::{Guest, LONG, Started, VPC, group};

fn connected(path: &std::path::Path, request: &Request) -> BufReader<UnixStream> {
    let mut stream = UnixStream::connect(path).expect("it listens");
    stream.set_read_timeout(Some(LONG)).expect("a socket");
    let mut line = serde_json::to_vec(request).expect("it is JSON");
    line.push(b'\n');
    stream.write_all(&line).expect("it is read");
    let mut reader = BufReader::new(stream);
    let mut answer = String::new();
    reader.read_line(&mut answer).expect("it answers");
    assert!(answer.starts_with("{\"ok\""), "{answer}");
    reader
}

#[test]
fn every_stage_is_captured_and_tenants_hear_of_their_own_vnics() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = [1, 2].map(Guest::new);
    let text = format!("{VPC}{}{}{}", one.section(""), two.section("\"web\""), group(&[53]));
    let switch = Started::new(&text);
    let path = folder.path().join("host.vswitch");
    let server = serve(SocketFile::listen(&path).expect("it is free"), switch.handle.clone()).expect("threads");
    let request = Request::Capture { at: Vec::new(), ports: Vec::new(), filter: "udp".into() };
    let mut capture = connected(&path, &request);
    let mut events = connected(&path, &Request::Events { vnic: Some("guest-2".into()) });
    one.send_from(9, 2, [1, 1]);
    one.send(2, [1000, 53]);
    assert_eq!(two.receive(), [1000, 53]);
    one.send(2, [1000, 54]);
    two.send_from(9, 1, [1, 1]);
    let mut line = String::new();
    events.read_line(&mut line).expect("an event");
    let event: EventRow = serde_json::from_str(&line).expect("a line of JSON");
    assert_eq!((&*event.vnic, &*event.event, event.count), ("guest-2", "spoofed source", 1), "and none of guest-1");
    switch.end();
    let mut bytes = Vec::new();
    capture.read_to_end(&mut bytes).expect("it ends with the switch");
    let packets: Vec<_> = Reader::new(&bytes[..]).expect("pcapng").collect();
    assert!(packets.iter().all(Result::is_ok));
    // Four arrive and are matched, one is acted upon and leaves, three are dropped.
    assert_eq!(packets.len(), 4 + 4 + 1 + 1 + 3);
    let text = String::from_utf8_lossy(&bytes);
    for comment in ["dropped: spoofed source", "no session of udp 10.0.1.1:1000 > 10.0.1.2:53", "discarded: "] {
        assert!(text.contains(comment), "{comment}");
    }
    drop(server);
    assert!(!path.exists(), "the socket's file is gone");
}

#[test]
fn the_socket_of_a_tenant_answers_for_its_own_vnic_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let guests = [1, 2, 3].map(Guest::new);
    let sections: String = guests.iter().map(|guest| guest.section("")).collect();
    let switch = Started::new(&format!("{VPC}{sections}{}", group(&[])));
    guests[0].send(2, [1, 1]);
    guests[1].receive();
    guests[1].send(3, [1, 1]);
    guests[2].receive();
    let path = folder.path().join("tenant.sock");
    let tenant = switch.handle.tenant("guest-1");
    let server = serve(SocketFile::listen(&path).expect("it is free"), tenant).expect("threads");
    let asked = |request: &Request| {
        let mut client = service::socket::Client::<vswitchd::socket::Messages>::connect(&path).expect("it listens");
        client.ask(request).expect("it answers")
    };
    match asked(&Request::Sessions { vnic: None, most: 10 }) {
        Answered::Ok { ok: Answer::Sessions { sessions, more: 0 } } => {
            assert_eq!(sessions.iter().map(|session| session.to.as_str()).collect::<Vec<_>>(), ["10.0.1.2:1"]);
        }
        other => panic!("{other:?}"),
    }
    for refused in [
        Request::Sessions { vnic: Some("guest-2".into()), most: 10 },
        Request::Events { vnic: Some("guest-2".into()) },
        Request::Ports {},
        Request::Stop {},
        Request::Capture { at: Vec::new(), ports: Vec::new(), filter: String::new() },
        Request::Detach { name: "guest-2".into() },
    ] {
        assert!(matches!(asked(&refused), Answered::Refused(_)), "{refused:?}");
    }
    let mut events = connected(&path, &Request::Events { vnic: None });
    guests[1].send_from(9, 3, [1, 1]);
    guests[0].send_from(9, 3, [1, 1]);
    let mut line = String::new();
    events.read_line(&mut line).expect("an event");
    assert!(line.contains("guest-1") && !line.contains("guest-2"), "{line}");
    switch.end();
    drop(server);
}

#[test]
fn idle_connections_give_way_to_who_asks() {
    let folder = tempfile::tempdir().expect("a folder");
    let guest = Guest::new(1);
    let switch = Started::new(&format!("{VPC}{}", guest.section("")));
    let path = folder.path().join("host.vswitch");
    let server = serve(SocketFile::listen(&path).expect("it is free"), switch.handle.clone()).expect("threads");
    // More than are served at once, of which one listens and is not idle.
    let _events = connected(&path, &Request::Events { vnic: None });
    let idle: Vec<UnixStream> = (0..40).map(|_| UnixStream::connect(&path).expect("it listens")).collect();
    for _ in 0..2 {
        drop(connected(&path, &Request::Switch {}));
    }
    drop(idle);
    switch.end();
    drop(server);
}

#[test]
fn a_tenant_without_a_vnic_is_mentioned() {
    let plan = files::PlanText {
        name: "host".into(),
        path: "host.toml".into(),
        text: format!("{VPC}{}", Guest::new(1).section("")),
        folder: Default::default(),
    };
    let reading = vswitch::configuration::read(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let tenants = ["guest-1", "gest-1"].map(|vnic| (vnic.to_owned(), format!("/run/{vnic}.sock").into())).to_vec();
    let places = vswitchd::ServedPlaces { socket: "/run/host.vswitch".into(), tenants, metrics: None };
    let note = "there is no vNIC `gest-1` yet, whose tenant is served at /run/gest-1.sock; did you mean `guest-1`?";
    assert_eq!(places.notes(&reading.configuration), [note]);
}

#[test]
fn an_interface_that_is_misspelt_is_answered_with_the_form_of_its_kind() {
    for (interface, form) in [("udp:1", "udp:LOCAL,REMOTE"), ("pcapng:x", "pcapng:IN.pcapng,OUT.pcapng")] {
        let section = Guest::new(1).section("");
        let start = section.find("interface = ").expect("an interface");
        let end = start + section[start..].find('\n').expect("the end of a line");
        let text = format!("{VPC}{}interface = \"{interface}\"{}", &section[..start], &section[end..]);
        let plan = files::PlanText { name: "host".into(), path: "host.toml".into(), text, folder: Default::default() };
        let reading = vswitch::configuration::read(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let refused = vswitchd::check(&reading).expect_err("there is none").render(false);
        assert!(refused.contains(&format!("help: such an interface is called {form}")), "{refused}");
    }
}

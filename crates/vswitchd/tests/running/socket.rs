//! The control socket: captures and events are streams behind an answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;

use service::Cancel;
use service::socket::Answers;
use vswitchd::socket::{SocketFile, serve};
use vswitchd::{Answer, Answered, EventRow, FlowRow, Request};
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
        Request::Stop { successor: None },
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

/// A tenant once learnt from the actions on its flows which other vNICs are watched and limited, and the addresses of back ends.
#[test]
fn a_tenant_sees_sessions_as_its_own_vnic_does() {
    let guests = [1, 2, 3].map(Guest::new);
    let sections: String = guests.iter().map(|guest| guest.section("")).collect();
    let services = "[[load_balancer]]\nname = \"web\"\nvpc = \"red\"\naddress = \"10.0.1.100\"\nport = 80\nprotocol = \"udp\"\n\
        [[load_balancer.back_end]]\naddress = \"10.0.1.2\"\nport = 8080\n\
        [[limiter]]\nname = \"mine\"\nvnic = \"guest-1\"\ndirection = \"egress\"\nrate = \"1 Gb/s\"\n\
        [[limiter]]\nname = \"others\"\nvnic = \"guest-2\"\ndirection = \"egress\"\nrate = \"1 Gb/s\"\n\
        [[mirror]]\nname = \"watch\"\nvnic = \"guest-2\"\nto = \"guest-3\"\n";
    let switch = Started::new(&format!("{VPC}{sections}{services}"));
    guests[0].send(100, [1000, 80]);
    assert_eq!(guests[1].receive(), [1000, 8080]);
    guests[1].send(1, [8080, 1000]);
    assert_eq!(guests[0].receive(), [80, 1000]);
    let shown = |number: u8| {
        let tenant = switch.handle.tenant(format!("guest-{number}"));
        let ask = |request| tenant.answer(request, &Cancel::default()).expect("its own");
        let Answer::Sessions { sessions, .. } = ask(Request::Sessions { vnic: None, most: 9 }) else { panic!() };
        let Answer::Flows { flows, .. } = ask(Request::Flows { vnic: None, most: 9 }) else { panic!() };
        let [session] = sessions.try_into().expect("there is one session");
        let flow = |flow: FlowRow| format!("{} > {}: {}", flow.from, flow.to, flow.actions.join(", "));
        let flows: Vec<String> = flows.into_iter().map(flow).collect();
        ((session.from, session.to, session.translated, session.vnic), flows)
    };
    let (client, virtual_address, back_end) = ("10.0.1.1:1000", "10.0.1.100:80", "10.0.1.2:8080");
    let (session, flows) = shown(1);
    assert_eq!(session, (client.into(), virtual_address.into(), None, "guest-1".into()));
    let expected = [
        format!(
            "{client} > {virtual_address}: limiter `mine`, translate, count the time to live down, send on to the other end"
        ),
        format!("{virtual_address} > {client}: translate, count the time to live down, deliver to vNIC `guest-1`"),
    ];
    assert_eq!(flows, expected);
    let (session, flows) = shown(2);
    assert_eq!(session, (client.into(), back_end.into(), None, String::new()));
    let expected = [
        format!(
            "{client} > {back_end}: translate, count the time to live down, mirror `watch`, deliver to vNIC `guest-2`"
        ),
        format!(
            "{back_end} > {client}: limiter `others`, mirror `watch`, translate, count the time to live down, send on to the other end"
        ),
    ];
    assert_eq!(flows, expected);
    switch.end();
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

//! Metrics over HTTP.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use common::{LONG, frame, soon, start};
use switchd::metrics::{self, listen, serve};

fn asked(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(LONG)).expect("it is a socket");
    stream.write_all(request.as_bytes()).expect("it is read");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers and closes");
    answer
}

#[test]
fn metrics_are_what_has_been_counted() {
    let switch = start();
    let listener = listen("127.0.0.1:0".parse().expect("an address")).expect("the address is free");
    let server = serve(listener, switch.handle.clone()).expect("there are threads");
    for _ in 0..3 {
        switch.cross(0, &frame(1));
    }
    switch.far[0].send(&frame(9)).expect("the link takes it");
    assert!(soon(|| metrics::of(&switch.handle).is_ok_and(|text| text.contains("dropped by the program"))));
    let answer = asked(server.address(), "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    assert!(head.starts_with("HTTP/1.1 200 OK") && head.contains("version=0.0.4"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
    for line in [
        "# TYPE polyplane_port_received_packets_total counter",
        "polyplane_port_received_packets_total{port=\"0\",interface=\"link0\"} 4",
        "polyplane_port_transmitted_packets_total{port=\"1\",interface=\"link1\"} 3",
        "polyplane_port_up{port=\"1\",interface=\"link1\"} 1",
        "polyplane_dropped_packets_total{reason=\"dropped by the program\",port=\"0\"} 1",
        "polyplane_table_entries{table=\"PairIngress.firsts\"} 1",
        "polyplane_counter_packets_total{counter=\"PairIngress.seen\",index=\"0\"} 4",
        "polyplane_reloads_total 0",
    ] {
        assert!(body.lines().any(|own| own == line), "no line {line} in\n{body}");
    }
    // Each name has its help and type once, before its samples.
    let helps = body.lines().filter(|line| line.starts_with("# HELP polyplane_port_up ")).count();
    assert_eq!(helps, 1);
    assert!(asked(server.address(), "GET /other HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    assert!(asked(server.address(), "POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    assert!(asked(server.address(), "nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    let stalled: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(server.address()).expect("it listens")).collect();
    assert!(
        asked(server.address(), "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"),
        "stalled clients hold up nobody"
    );
    drop(stalled);
}

#[test]
fn entries_with_one_key_and_two_priorities_are_two_samples() {
    let switch = common::start_with(|plan, folder| {
        let program = common::program().replace(
            "table seconds {",
            "direct_counter(CounterType.packets) hits;\n    table seconds {\n        counters = hits;",
        );
        folder.write("pair.p4", &program);
        plan
    });
    let entry = |priority| format!("add seconds {priority} hdr.ethernet.destination:2 set_second(value:1)\n");
    let lines = format!("add firsts hdr.ethernet.destination:2 set_first(value:1)\n{}{}", entry(5), entry(6));
    switch.handle.ask(switchd::Request::Execute { lines, stf: true }).expect("there is room");
    switch.cross(0, &frame(2));
    let text = metrics::of(&switch.handle).expect("it runs");
    let samples: Vec<&str> = text.lines().filter(|line| line.contains("counter=\"PairIngress.hits\"")).collect();
    assert!(samples.len() == 1 && samples[0].contains("priority=\""), "{samples:?}");
    // By any end of a name, and only what is named.
    for name in ["hits", "PairIngress.hits"] {
        let names = vec![name.to_owned()];
        let shown = switch.handle.ask(switchd::Request::Counters { names, most: 64 }).expect("it has one").to_string();
        assert!(shown.contains("PairIngress.hits") && shown.contains("priority") && !shown.contains("seen"), "{shown}");
    }
    let unknown = switchd::Request::Counters { names: vec!["its".to_owned()], most: 64 };
    assert!(switch.handle.ask(unknown).is_err(), "an end begins behind a dot");
}

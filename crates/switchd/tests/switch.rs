//! What a running switch can be asked, over links in memory.

mod common;

use common::{entries, frame, pair, soon, start, start_with};
use switchd::capture::{CapturePoint, CaptureRequest, begin};
use switchd::plan::{CapturePlan, QueuesPlan};
use switchd::{Answer, Answered, Filter, Refusal, Request, SwitchHandle};
use wire::capture::Reader;

fn ports(handle: &SwitchHandle) -> Vec<switchd::PortRow> {
    match handle.ask(Request::Ports {}) {
        Ok(Answer::Ports(rows)) => rows,
        other => panic!("{other:?}"),
    }
}

fn tables(handle: &SwitchHandle) -> String {
    handle.ask(Request::Tables { names: Vec::new() }).expect("the tables").to_string()
}

fn execute(handle: &SwitchHandle, lines: &str, stf: bool) -> Result<Answer, Refusal> {
    handle.ask(Request::Execute { lines: lines.to_owned(), stf })
}

#[test]
fn ports_counters_and_drops_are_counted_where_they_belong() {
    let switch = start();
    for _ in 0..3 {
        assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
    }
    switch.cross(1, &frame(1));
    // Nobody knows station 9: the program drops it.
    switch.far[1].send(&frame(9)).expect("the link takes it");
    assert!(soon(|| ports(&switch.handle)[1].received.packets == 2));
    let rows = ports(&switch.handle);
    let of = |row: &switchd::PortRow| (row.port, row.received.packets, row.transmitted.packets, row.dropped);
    assert_eq!(rows.iter().map(of).collect::<Vec<_>>(), [(0, 3, 1, 0), (1, 2, 3, 1)]);
    assert_eq!([rows[0].received.bytes, rows[0].interface.len() as u64], [180, 5]);
    let Ok(Answer::Drops(drops)) = switch.handle.ask(Request::Drops {}) else { panic!("the drops") };
    assert_eq!(drops.len(), 1, "{drops:?}");
    assert_eq!((drops[0].reason.as_str(), drops[0].packets), ("dropped by the program", 1));
    assert_eq!(drops[0].by_port, [(1, 1)].into());
    let answered = Answered::from(switch.handle.ask(Request::Drops {}));
    let read: Answered = serde_json::from_str(&serde_json::to_string(&answered).expect("JSON")).expect("an answer");
    assert_eq!(read, answered, "a regression: maps by port did not read back");
    assert_eq!(drops[0].by_block.values().sum::<u64>(), 1, "{drops:?}");
    let counters =
        switch.handle.ask(Request::Counters { names: Vec::new(), most: 64 }).expect("the counters").to_string();
    let expected = "counter PairIngress.seen:\n  0: 3 packets\n  1: 2 packets\nregister PairIngress.total:\n  3: 5\n";
    assert_eq!(counters, expected);
    let unknown = switch.handle.ask(Request::Counters { names: vec!["x".to_owned()], most: 64 });
    assert!(unknown.expect_err("there is none").error.contains("`x`"));
    let totals = switch.stop();
    assert_eq!((totals.received, totals.transmitted), (5, 4));
}

#[test]
fn tables_are_shown_as_lines_that_can_be_read_back() {
    let switch = start();
    let shown = tables(&switch.handle);
    assert!(
        shown.contains("add PairIngress.firsts hdr.ethernet.destination:0x1 PairIngress.set_first(value:0x1)"),
        "{shown}"
    );
    assert!(shown.contains("add PairIngress.seconds 7 hdr.ethernet.destination:0x1&&&0xffffffffffff"), "{shown}");
    execute(&switch.handle, "table_clear firsts\ntable_clear seconds", false).expect("nothing is wrong");
    assert!(!tables(&switch.handle).contains("\nadd "));
    execute(&switch.handle, &shown, true).expect("what was shown is read");
    let handles =
        |text: &str| text.lines().map(|line| line.split("    #").next().unwrap_or("").to_owned()).collect::<Vec<_>>();
    assert_eq!(handles(&tables(&switch.handle)), handles(&shown));
}

#[test]
fn lines_are_carried_out_all_or_none() {
    let switch = start();
    let before = tables(&switch.handle);
    let refused =
        execute(&switch.handle, "table_add firsts set_first 2 => 9\ntable_add firsts set_first 1 => 9\n", false);
    let refused = refused.expect_err("station 1 is there");
    assert!(refused.error.contains("lines:2:1"), "{}", refused.error);
    assert_eq!(tables(&switch.handle), before, "the first line was taken back");
    let unknown = execute(&switch.handle, "table_add fists set_first 2 => 9", false).expect_err("no such table");
    assert!(unknown.error.contains("did you mean `firsts`") || unknown.error.contains("firsts"), "{}", unknown.error);
    let packets = execute(&switch.handle, "packet 1 0800", true).expect_err("packets come from outside");
    assert!(packets.error.contains("interfaces of a live switch"), "{}", packets.error);
    let read = execute(&switch.handle, "counter_read seen 0\nregister_read total 3", false).expect("they are there");
    assert_eq!(read.to_string(), "counter PairIngress.seen[0]:\n  0 packets\nregister PairIngress.total[3]:\n  0\n");
}

#[test]
fn a_trace_is_of_the_next_packet_that_matches_in_the_state_that_it_meets() {
    let switch = start();
    switch.cross(0, &frame(1));
    let handle = switch.handle.clone();
    let request = Request::Trace { filter: "ether dst 0:0:0:0:0:1".to_owned(), port: Some(1) };
    let traced = std::thread::spawn(move || handle.ask(request));
    // Those on other ports and for other stations are not traced, until one matches.
    while !traced.is_finished() {
        switch.far[0].send(&frame(1)).expect("the link takes it");
        switch.far[1].send(&frame(1)).expect("the link takes it");
        std::thread::sleep(std::time::Duration::from_millis(5));
        for far in &switch.far {
            far.set_nonblocking(true).expect("it is a socket");
            while far.recv(&mut [0; 64]).is_ok() {}
        }
    }
    let Ok(Ok(Answer::Trace { text, traces })) = traced.join() else { panic!("a trace") };
    assert!(text.contains("PairIngress.set_first"), "the entries were copied: {text}");
    assert_eq!(traces[0]["port"], 1, "{traces}");
    let unbound = switch.handle.ask(Request::Trace { filter: String::new(), port: Some(5) });
    assert!(unbound.expect_err("no such port").error.contains("port 5"));
    let wrong = switch.handle.ask(Request::Trace { filter: "hosst 1".to_owned(), port: None });
    assert!(wrong.expect_err("no such word").error.contains("did you mean `host`?"));
}

/// Queues and latencies of the chip itself pass in real time, and a trace follows a packet through them.
#[test]
fn a_program_for_tna_runs_and_is_traced_on_a_chip_that_keeps_time() {
    let switch = start_with(|_, folder| {
        let network = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../networks/tests/network");
        let chip = folder.write("chip.toml", "[[port]]\nports = [0, 4]\nrate = \"1 Gb/s\"\n");
        let mut given = workbench::kinds::Given::default();
        let option = workbench::kinds::option::named("chip").expect("the chip has it");
        given.push(option, chip.display().to_string()).expect("the file is there");
        let port = |port| switchd::PortBinding::new(port, format!("link{port}"));
        switchd::SwitchPlan {
            ports: vec![port(0), port(4)],
            tables: vec![folder.write("routes.txt", "table_add routes forward 10.0.0.2/32 => 4\n")],
            given,
            ..switchd::SwitchPlan::of_program(network.join("counting_tna.p4"))
        }
    });
    let mut packet = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17, 0, 0];
    packet.extend([10, 0, 0, 1, 10, 0, 0, 2]);
    packet.resize(60, 0);
    let out = switch.cross(0, &packet);
    assert_eq!((out.len(), out[22]), (60, 63), "the time to live is one less");
    let handle = switch.handle.clone();
    let request = Request::Trace { filter: String::new(), port: Some(0) };
    let traced = std::thread::spawn(move || handle.ask(request));
    while !traced.is_finished() {
        switch.cross(0, &packet);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let Ok(Ok(Answer::Trace { text, .. })) = traced.join() else { panic!("a trace") };
    assert!(text.contains("queue of port 4") && text.contains("transmitted on port 4"), "{text}");
}

#[test]
fn captures_hold_what_comes_in_goes_out_and_is_dropped_with_the_reason() {
    let switch = start();
    let request = CaptureRequest { at: Vec::new(), ports: Vec::new(), filter: Filter::all() };
    let all = begin(&switch.handle, request.clone(), || {}).expect("a capture");
    let at = vec![CapturePoint::Dropped];
    let dropped = begin(&switch.handle, CaptureRequest { at, ..request.clone() }, || {}).expect("a capture");
    let none = begin(&switch.handle, CaptureRequest { ports: vec![7], ..request }, || {});
    assert!(none.err().is_some_and(|refusal| refusal.error.contains("port 7")));
    switch.cross(0, &frame(1));
    switch.far[0].send(&frame(9)).expect("the link takes it");
    assert!(soon(|| ports(&switch.handle)[0].dropped == 1));
    let read = |bytes: &[u8]| {
        Reader::new(bytes).expect("a capture").map(|it| it.expect("no fault").interface).collect::<Vec<_>>()
    };
    let bytes = all.take().expect("it runs");
    assert_eq!(read(&bytes), [0, 1, 0, 0], "in, out, in, dropped");
    let bytes = dropped.take().expect("it runs");
    assert_eq!(read(&bytes), [0]);
    assert!(String::from_utf8_lossy(&bytes).contains("dropped: dropped by the program"));
    drop(all);
    switch.cross(0, &frame(1));
    assert_eq!(dropped.take(), Some(Vec::new()), "nothing more was dropped");
    switch.stop();
    assert_eq!(dropped.wait(), None, "a capture ends with its switch");
}

#[test]
fn a_capture_of_the_plan_goes_into_its_file() {
    let switch = start_with(|mut plan, folder| {
        let write = folder.0.join("out.pcapng");
        let filter = Filter::read("ether src 2:0:0:0:0:1").expect("a filter");
        plan.captures.push(CapturePlan {
            at: vec![CapturePoint::Out],
            ports: vec![1],
            filter,
            ..CapturePlan::new(write)
        });
        plan
    });
    switch.cross(0, &frame(1));
    switch.cross(1, &frame(1));
    let path = switch.folder.0.join("out.pcapng");
    let packets = || {
        let bytes = std::fs::read(&path).unwrap_or_default();
        Reader::new(bytes.as_slice()).map_or(0, |reader| reader.filter(Result::is_ok).count())
    };
    assert!(soon(|| packets() == 1), "{} packets", packets());
}

#[test]
fn entries_are_deleted_and_modified_by_the_handles_that_are_shown() {
    let switch = start();
    execute(&switch.handle, "table_add firsts set_first 2 => 5", false).expect("there is room");
    let handle = |line: &str| {
        let shown = tables(&switch.handle);
        let shown = shown.lines().find(|own| own.contains(line)).expect("it is there").to_owned();
        shown.rsplit("# ").next().expect("a handle").to_owned()
    };
    let modify = format!("table_modify firsts set_first {} 6", handle("destination:0x2 "));
    execute(&switch.handle, &modify, false).expect("it is there");
    assert_eq!(pair(&switch.cross(0, &frame(2)))[0], 6);
    execute(&switch.handle, &format!("table_delete firsts {}", handle("destination:0x1 ")), false)
        .expect("it is there");
    assert!(!tables(&switch.handle).contains("firsts hdr.ethernet.destination:0x1 "));
    let gone = execute(&switch.handle, "table_delete firsts 77", false).expect_err("there is none");
    assert!(gone.error.contains("77"), "{}", gone.error);
}

#[test]
fn a_switch_that_stops_sends_what_waits_in_its_queues() {
    let switch = start_with(|mut plan, _| {
        let discipline = queues::DisciplinePlan::DropTail { limit: 100_000 };
        plan.queues = Some(QueuesPlan { discipline, buffer: queues::BufferPlan::default() });
        // A frame takes 6.7 ms.
        plan.ports[1].rate = Some(basis::Rate::from_bits_per_second(100_000));
        plan
    });
    for _ in 0..20 {
        switch.far[0].send(&frame(1)).expect("the link takes it");
    }
    assert!(soon(|| ports(&switch.handle)[0].received.packets == 20));
    let far = switch.far[1].try_clone().expect("a descriptor");
    let totals = switch.stop();
    assert_eq!((totals.received, totals.transmitted), (20, 20), "{totals:?}");
    for _ in 0..20 {
        assert_eq!(far.recv(&mut [0; 100]).expect("it has come"), 60);
    }
}

#[test]
fn entries_change_what_packets_become() {
    let switch = start();
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
    let other = entries(7).replace("destination:1 ", "destination:2 ");
    execute(&switch.handle, &other, true).expect("there is room");
    assert_eq!(pair(&switch.cross(0, &frame(2))), [7, 7]);
}

#[test]
fn one_message_asks_for_no_more_than_there_is() {
    let switch = start();
    let all = switch.handle.ask(Request::Tables { names: Vec::new() }).expect("the tables");
    let Answer::Tables(all) = all else { panic!("the tables") };
    let names = vec![all[0].name.clone(); 1000];
    let Ok(Answer::Tables(found)) = switch.handle.ask(Request::Tables { names }) else { panic!("the tables") };
    assert_eq!(found.len(), 1, "a table is read once, however often it is named");
    let reads = "register_read total\n".repeat(17);
    let refused = execute(&switch.handle, &reads, false).expect_err("these are many");
    assert!(refused.error.contains("more than 16 lines read all of something"), "{}", refused.error);
    execute(&switch.handle, "register_read total\n", false).expect("one is fine");
}

//! Reloading a running switch: tables change as one, and a new program keeps the state that fits.

mod common;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Running, entries, frame, pair, program, soon, start};
use switchd::{Answer, Refusal, Reloaded, Request};

fn reload(switch: &Running, dry_run: bool) -> Result<Reloaded, Refusal> {
    switch.handle.ask(Request::Reload { dry_run }).map(|answer| match answer {
        Answer::Reloaded(reloaded) => reloaded,
        other => panic!("{other:?}"),
    })
}

fn write(switch: &Running, name: &str, text: &str) {
    fs::write(switch.folder.0.join(name), text).expect("it can be written");
}

fn counters(switch: &Running) -> String {
    switch.handle.ask(Request::Counters { names: Vec::new(), most: 64 }).expect("the counters").to_string()
}

#[test]
fn a_thousand_reloads_under_load_never_show_half_of_one() {
    let switch = start();
    let is_over = Arc::new(AtomicBool::new(false));
    let senders: Vec<_> = switch.far.iter().map(|far| far.try_clone().expect("a descriptor")).collect();
    let sending: Vec<_> = senders
        .into_iter()
        .map(|far| {
            let is_over = Arc::clone(&is_over);
            far.set_read_timeout(Some(Duration::from_millis(1))).expect("it is a socket");
            std::thread::spawn(move || {
                let (mut out, mut seen, mut last) = ([0; 2048], 0u64, 0);
                while !is_over.load(Ordering::Acquire) {
                    for _ in 0..8 {
                        far.send(&frame(1)).expect("the link takes it");
                    }
                    while let Ok(length) = far.recv(&mut out) {
                        let [first, second] = pair(&out[..length]);
                        assert_eq!(first, second, "a packet saw half of a reload");
                        assert!(first >= last, "a packet saw an older table than one before it");
                        (last, seen) = (first, seen + 1);
                    }
                }
                (seen, last)
            })
        })
        .collect();
    for value in 2..=1001 {
        write(&switch, "pair.stf", &entries(value));
        let reloaded = reload(&switch, false).expect("nothing is wrong");
        assert_eq!((reloaded.changes, reloaded.program_changed), (2, false), "two entries are modified");
    }
    assert_eq!(
        pair(&{
            is_over.store(true, Ordering::Release);
            let results: Vec<_> = sending.into_iter().map(|thread| thread.join().expect("no half was seen")).collect();
            assert!(results.iter().all(|(seen, _)| *seen > 100), "{results:?}");
            while switch.far.iter().any(|far| far.recv(&mut [0; 64]).is_ok()) {}
            for far in &switch.far {
                far.set_read_timeout(Some(common::LONG)).expect("it is a socket");
            }
            switch.cross(0, &frame(1))
        }),
        [1001, 1001]
    );
}

#[test]
fn what_does_not_compile_or_fit_changes_nothing() {
    let switch = start();
    write(&switch, "pair.stf", "add firsts hdr.ethernet.destination:1 set_first(value:5)\nadd fists x:1 y()\n");
    let refused = reload(&switch, false).expect_err("there is no such table");
    assert!(refused.error.contains("pair.stf:2:5"), "{}", refused.error);
    write(&switch, "pair.stf", &entries(5));
    write(&switch, "pair.p4", &program().replace("count + 1", "count + nonsense"));
    let refused = reload(&switch, false).expect_err("it does not compile");
    assert!(refused.error.contains("nonsense") && refused.exit_status == 2, "{}", refused.error);
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
    // The table of the new program holds one entry, and the file has 20.
    write(&switch, "pair.p4", &program());
    let many: String =
        (0..20).map(|station| format!("add firsts hdr.ethernet.destination:{station} set_first(value:1)\n")).collect();
    write(&switch, "pair.stf", &many);
    let refused = reload(&switch, false).expect_err("the table holds 16");
    assert!(refused.error.contains("pair.stf:17"), "{}", refused.error);
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
    fs::remove_file(switch.folder.0.join("pair.stf")).expect("it is there");
    assert!(reload(&switch, false).is_err());
}

#[test]
fn nothing_changes_without_an_edit_and_entries_made_meanwhile_stay() {
    let switch = start();
    let lines = entries(9).replace("destination:1 ", "destination:2 ");
    switch.handle.ask(Request::Execute { lines, stf: true }).expect("there is room");
    let reloaded = reload(&switch, false).expect("nothing is wrong");
    assert_eq!(reloaded, Reloaded::default());
    assert_eq!(pair(&switch.cross(0, &frame(2))), [9, 9]);
    // An edit of the files makes the tables what the files say.
    write(&switch, "pair.stf", &entries(3));
    assert_eq!(reload(&switch, true).expect("nothing is wrong").changes, 4);
    assert_eq!(pair(&switch.cross(0, &frame(2))), [9, 9], "a dry run changes nothing");
    assert_eq!(reload(&switch, false).expect("nothing is wrong").changes, 4);
    assert_eq!(pair(&switch.cross(0, &frame(1))), [3, 3]);
    switch.far[0].send(&frame(2)).expect("the link takes it");
    assert!(soon(|| counters(&switch).contains("0: 4 packets")), "{}", counters(&switch));
}

#[test]
fn a_new_program_keeps_what_fits_and_lists_what_does_not() {
    let switch = start();
    let lines = "add firsts hdr.ethernet.destination:2 set_first(value:4)";
    switch.handle.ask(Request::Execute { lines: lines.to_owned(), stf: true }).expect("there is room");
    for _ in 0..3 {
        switch.cross(0, &frame(1));
    }
    // The second table has another key, the register is larger, and packets are marked in their source address.
    let new = program()
        .replace("key = { hdr.ethernet.destination: ternary; }", "key = { hdr.ethernet.source: exact; }")
        .replace("register<bit<32>>(8)", "register<bit<32>>(16)")
        .replace("seen.count", "hdr.ethernet.source = 77;\n        seen.count");
    write(&switch, "pair.p4", &new);
    let refused = reload(&switch, true).expect_err("the file's entry has no such field any more");
    assert!(refused.error.contains("pair.stf:2"), "{}", refused.error);
    write(&switch, "pair.stf", "add firsts hdr.ethernet.destination:1 set_first(value:1)\n");
    let before = counters(&switch);
    let dry = reload(&switch, true).expect("nothing is wrong");
    assert!(dry.dry_run && dry.program_changed, "{dry:?}");
    assert!(dry.lost.iter().any(|line| line.contains("seconds")), "{dry:?}");
    assert!(dry.kept.iter().any(|line| line.contains("total")), "{dry:?}");
    assert_eq!(counters(&switch), before);
    assert_eq!(switch.cross(0, &frame(1))[11], 1, "the old program runs");
    let done = reload(&switch, false).expect("nothing is wrong");
    assert_eq!((&done.kept, &done.lost), (&dry.kept, &dry.lost), "as the dry run has said");
    let out = switch.cross(0, &frame(1));
    assert_eq!((out[11], pair(&out)[0]), (77, 1), "the new program runs");
    assert!(counters(&switch).contains("0: 5 packets") && counters(&switch).contains("3: 5"), "{}", counters(&switch));
    let Ok(Answer::Switch(report)) = switch.handle.ask(Request::Switch {}) else { panic!("what runs") };
    assert_eq!(report.reloads, 1);
}

#[test]
fn a_new_program_keeps_entries_made_meanwhile_if_the_files_stay() {
    let switch = start();
    let lines = entries(9).replace("destination:1 ", "destination:2 ");
    switch.handle.ask(Request::Execute { lines, stf: true }).expect("there is room");
    write(&switch, "pair.p4", &program().replace("count + 1", "count + 10"));
    assert!(reload(&switch, false).expect("nothing is wrong").lost.is_empty());
    assert_eq!(pair(&switch.cross(0, &frame(2))), [9, 9]);
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
    assert!(counters(&switch).contains("3: 20"), "{}", counters(&switch));
}

#[test]
fn packets_flow_while_programs_are_replaced() {
    let switch = start();
    for round in 0..3 {
        write(&switch, "pair.p4", &program().replace("count + 1", &format!("count + {}", round + 2)));
        let handle = switch.handle.clone();
        let reloading = std::thread::spawn(move || handle.ask(Request::Reload { dry_run: false }));
        let mut crossed = 0;
        while !reloading.is_finished() || crossed == 0 {
            assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
            crossed += 1;
        }
        reloading.join().expect("no panic").expect("nothing is wrong");
    }
}

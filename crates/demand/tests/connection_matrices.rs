//! Connection matrices in htsim's format: senders and start times, triggers, and every mistake with its line.

mod ideal;

use std::sync::Arc;

use basis::Instant;
use demand::{Matrix, Workload};
use diagnostics::Sources;
use ideal::{carry, hosts};

fn read(text: &str) -> Result<Arc<Matrix>, String> {
    let mut sources = Sources::new();
    let id = sources.add("matrix.cm", text);
    Matrix::read(&sources, id).map_err(|found| found.render(&sources, false))
}

/// The time in microseconds, source, destination, length in bytes and priority of each message.
fn carried(text: &str) -> Vec<(u64, usize, usize, u64, u8)> {
    let workload = Workload::new(read(text).unwrap_or_else(|found| panic!("{found}")));
    let mut applications = workload.applications(&hosts(8), 1).unwrap();
    let asked = carry(&mut applications, Instant::MAX);
    assert!(applications.iter().all(|application| application.remaining() == Some(0)));
    let row = |one: &ideal::Asked| (one.microseconds(), one.host, one.to(), one.bytes(), one.wanted.priority);
    asked.iter().map(row).collect()
}

#[test]
fn start_times_are_in_picoseconds() {
    let text = "# Made by hand.\nNodes 8\nConnections 3\n\
                0->7 start 0.000000 size 2000000\n3->7 start 5000000 size 1 id 4\n0->1 start 2000000 size 3\n";
    assert_eq!(carried(text), [(0, 0, 7, 2_000_000, 0), (2, 0, 1, 3, 0), (5, 3, 7, 1, 0)]);
}

#[test]
fn lower_prio_is_more_urgent() {
    let text = "Nodes 8\nConnections 3\n0->7 start 0 size 1\n1->7 start 0 size 1 prio 5\n2->7 start 0 size 1 prio 9\n";
    assert_eq!(carried(text).iter().map(|row| row.4).collect::<Vec<_>>(), [0, 2, 1]);
}

#[test]
fn triggers_start_connections_when_others_are_done() {
    // Trigger 1 starts one after another, trigger 2 two at once when both are done, trigger 3 one for each arrival.
    let text = "\
Nodes 8
Connections 9
Triggers 3
0->1 id 1 start 0 size 10 send_done_trigger 1
0->2 id 2 start 1000000 size 20 send_done_trigger 2
0->3 id 3 trigger 1 size 30 send_done_trigger 2
0->4 id 4 trigger 2 size 40
0->5 id 5 trigger 2 size 50
6->5 id 6 start 0 size 60 recv_done_trigger 3
7->5 id 7 start 2000000 size 70 recv_done_trigger 3
5->6 id 8 trigger 3 size 80
5->7 id 9 trigger 3 size 90
trigger id 1 oneshot
trigger id 2 barrier count 2
trigger id 3 multishot
";
    let started: Vec<_> = carried(text).into_iter().filter(|row| row.0 > 2).map(|row| (row.0, row.1, row.2)).collect();
    assert_eq!(started, [(10, 5, 6), (12, 0, 3), (12, 5, 7), (24, 0, 4), (24, 0, 5)]);
}

#[test]
fn every_mistake_is_reported_at_its_line() {
    let text = "\
Nodes 4
Connections 9
Triggers 2
0->4 start 0 size 1
1->1 start 0 size 1
0->1 size 1
0->1 start 0 trigger 1 size 1
0->1 start 0 size 0
0->1 start soon
0->2 strat 0 size 1
0->1 id 1 start 0 size 1 send_done_trigger 2
3->1 id 1 trigger 2 size 1
trigger id 2 multishoot
failure switch_type TOR switch_id 0 link_id 1
hello
";
    let path = format!("{}/tests/golden/matrix_mistakes.txt", env!("CARGO_MANIFEST_DIR"));
    let actual = read(text).unwrap_err();
    // `UPDATE_EXPECT=1` writes the actual output instead; read the difference before you keep it.
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &actual).expect("writable");
    }
    assert_eq!(actual, std::fs::read_to_string(&path).unwrap_or_default());
}

#[test]
fn unstarted_connections_say_what_they_wait_for() {
    let text = "Nodes 8\nConnections 5\nTriggers 2\n0->1 id 1 start 0 size 5 send_done_trigger 3\n\
                0->2 id 2 trigger 3 size 6\n0->3 id 3 trigger 3 size 7\n0->4 id 4 start 9000000 size 8\n\
                0->5 id 5 trigger 4 size 9\n0->6 id 6 start 0 size 1 send_done_trigger 4\n\
                trigger id 3 multishot\ntrigger id 4 oneshot\n"
        .replace("Connections 5", "Connections 6");
    let workload = Workload::new(read(&text).unwrap_or_else(|found| panic!("{found}")));
    let mut applications = workload.applications(&hosts(8), 1).unwrap();
    let not_begun = |application: &dyn demand::Application| {
        let mut told = Vec::new();
        application.not_begun(&mut |waiting| told.push((waiting.bytes.unwrap(), waiting.why)));
        told.sort_unstable();
        told
    };
    let host = applications[0].as_mut();
    let mut wanted = Vec::new();
    host.wake(Instant::ZERO, &mut wanted);
    let why = |text: &str| text.to_owned();
    let (third, fourth) = ("waits for trigger 3, which has not fired", "waits for trigger 4, which has not fired");
    let late = "would begin at 9.000000 us";
    assert_eq!(not_begun(host), [(6, why(third)), (7, why(third)), (8, why(late)), (9, why(fourth))]);
    let first = wanted.iter().find(|wanted| wanted.content.length() == 5).expect("it began").clone().numbered(0);
    host.finished(Instant::ZERO, first, &mut wanted);
    let third = "waits for trigger 3, which has fired 1 times and starts one flow each time";
    assert_eq!(not_begun(host), [(7, why(third)), (8, why(late)), (9, why(fourth))]);
    assert!(not_begun(applications[1].as_ref()).is_empty());
}

//! Several cores on threads, given and taken while packets pass.

use vswitchd::{Answer, CoreRow, Refusal, Request};

use crate::host::{Guest, LONG, Started, VPC};

fn cores(switch: &Started, number: Option<u16>) -> Result<Vec<CoreRow>, Refusal> {
    switch.handle.ask(Request::Cores { number }).map(|answer| match answer {
        Answer::Cores(rows) => rows,
        other => panic!("{other:?}"),
    })
}

#[test]
fn sessions_stay_while_cores_are_given_and_taken() {
    let [one, two] = [1, 2].map(Guest::new);
    let text = |cores: u16| format!("{VPC}{}{}[path]\ncores = {cores}\n", one.section(""), two.section(""));
    let switch = Started::new(&text(2));
    let flows: u16 = 20;
    let (mut sent, mut next) = (0, vec![0u16; usize::from(flows)]);
    let mut round = |switch: &Started| {
        for _ in 0..5 {
            (0..flows).for_each(|flow| one.send(2, [1000 + flow, 2000 + flow]));
            for _ in 0..flows {
                let [from, to] = two.receive();
                assert_eq!(from + 1000, to, "no packet is mixed up");
                next[usize::from(from - 1000)] += 1;
            }
            sent += 1;
            assert!(next.iter().all(|count| *count == sent), "each flow has passed once: {next:?}");
        }
        assert_eq!(switch.sessions(), usize::from(flows), "no session has begun anew");
    };
    round(&switch);
    let rows = cores(&switch, None).expect("cores are shown");
    assert_eq!(rows.iter().map(|row| row.packets).sum::<u64>(), 5 * u64::from(flows));
    assert!(rows.len() == 2 && rows.iter().all(|row| row.sessions > 0), "{rows:?}");
    for number in [1, 3, 2] {
        assert_eq!(cores(&switch, Some(number)).expect("they can be given").len(), usize::from(number));
        round(&switch);
    }
    switch.apply(&text(4), false).expect("it can be applied");
    assert_eq!(cores(&switch, None).expect("cores are shown").len(), 4);
    round(&switch);
    let refused = cores(&switch, Some(65)).expect_err("too many").error;
    assert!(refused.contains("1 to 64 cores"), "{refused}");
    let totals = switch.end();
    assert!(totals.discarded.is_empty() && totals.sessions == u64::from(flows), "{totals:?}");
    assert_eq!(totals.missing(), 0, "{totals:?}");
    assert_eq!((totals.received, totals.transmitted), (25 * u64::from(flows), 25 * u64::from(flows)));
}

/// What a core discards was counted for the interface whose round found it done, which often was another one, or for none.
#[test]
fn what_cores_discard_counts_for_the_interface_it_came_by() {
    let [one, two] = [1, 2].map(Guest::new);
    let switch = Started::new(&format!("{VPC}{}{}[path]\ncores = 2\n", one.section(""), two.section("")));
    let packets = 100;
    for number in 0..packets {
        // One's own address.
        one.send(1, [1000, 53]);
        // And somebody else's round in between.
        two.send(1, [1000, 2000 + number]);
        one.receive();
    }
    let began = std::time::Instant::now();
    let row = loop {
        assert!(began.elapsed() < LONG, "each packet is counted");
        let Answer::Drops(rows) = switch.ask(Request::Drops {}) else { panic!("drops") };
        let back = rows.into_iter().find(|row| row.reason == "back to its own sender");
        if let Some(row) = back.filter(|row| row.packets == u64::from(packets)) {
            break row;
        }
    };
    assert_eq!(row.by_interface, [(one.interface.clone(), u64::from(packets))].into());
    switch.end();
}

//! Workloads ask for the messages of their plans: the right senders, receivers, lengths and times.

mod ideal;

use basis::Instant;
use demand::Workload;
use ideal::{Asked, hosts, run, workload};

const END: Instant = Instant::from_microseconds(1_000_000);

fn all(text: &str, hosts: u32, seed: u64) -> Vec<Asked> {
    let (asked, left) = run(&[text], hosts, seed, END);
    assert_eq!(left, Some(0));
    asked
}

#[test]
fn in_a_permutation_each_host_sends_and_receives_once() {
    for seed in 0..20 {
        let asked = all("permutation:2MB", 17, seed);
        let mut sent_to: Vec<usize> = asked.iter().map(Asked::to).collect();
        sent_to.sort_unstable();
        assert_eq!(sent_to, (0..17).collect::<Vec<_>>());
        assert!(asked.iter().all(|one| one.at == Instant::ZERO && one.bytes() == 2_000_000));
    }
    assert_ne!(all("permutation:2MB", 17, 1), all("permutation:2MB", 17, 2));
}

#[test]
fn incast_senders_start_within_the_spread() {
    let asked = all("incast:64x450kB:receiver=5:spread=10us:start=1ms:priority=3", 128, 1);
    assert_eq!(asked.len(), 64);
    let mut senders: Vec<usize> = asked.iter().map(|one| one.host).collect();
    senders.sort_unstable();
    senders.dedup();
    assert_eq!(senders.len(), 64);
    assert!(asked.iter().all(|one| one.to() == 5 && one.wanted.priority == 3 && one.bytes() == 450_000));
    let times: Vec<u64> = asked.iter().map(Asked::microseconds).collect();
    assert!(times.iter().all(|time| (1000..1010).contains(time)), "{times:?}");
    assert!(times[0] < 1002 && times[63] > 1007, "{times:?}");
}

#[test]
fn parallel_incasts_share_out_the_senders_among_the_receivers_in_turn() {
    let asked = all("parallel-incasts:7x450kB:receivers=3:start=1ms:priority=3", 9, 1);
    let ways: Vec<(usize, usize)> = asked.iter().map(|one| (one.host, one.to())).collect();
    assert_eq!(ways, [(0, 0), (1, 1), (2, 2), (3, 0), (4, 1), (5, 2), (6, 0)]);
    assert!(asked.iter().all(|one| one.microseconds() == 1000 && one.wanted.priority == 3 && one.bytes() == 450_000));
    let behind = all("parallel-incasts:3x1B:receivers=2:first_receiver=3", 5, 1);
    assert_eq!(behind.iter().map(|one| (one.host, one.to())).collect::<Vec<_>>(), [(0, 3), (1, 4), (2, 3)]);
    let spread = all("parallel-incasts:64x1B:spread=10us:receivers=16", 64, 1);
    let times: Vec<u64> = spread.iter().map(Asked::microseconds).collect();
    assert!(times[0] < 2 && times[63] > 7 && times.iter().all(|&time| time < 10), "{times:?}");
}

#[test]
fn all_to_all_respects_the_outstanding_limit() {
    let asked = all("all-to-all:10kB:outstanding=2", 5, 1);
    assert_eq!(asked.len(), 20);
    let of_two: Vec<_> = asked.iter().filter(|one| one.host == 2).map(|one| (one.microseconds(), one.to())).collect();
    // The sender learns after 12 us that a message has arrived.
    assert_eq!(of_two, [(0, 3), (0, 4), (12, 0), (12, 1)]);
    assert!(all("all-to-all:10kB", 5, 1).iter().all(|one| one.at == Instant::ZERO));
}

#[test]
fn each_response_triggers_the_next_request() {
    let asked = all("requests:64B:10kB:outstanding=2:count=5:servers=1", 3, 1);
    let of = |host: usize| -> Vec<_> {
        asked.iter().filter(|one| one.host == host).map(|one| (one.microseconds(), one.bytes())).collect()
    };
    // A request takes 10 us, and so does its response.
    assert_eq!(of(1), [(0, 64), (0, 64), (20, 64), (20, 64), (40, 64)]);
    assert_eq!(of(0).iter().filter(|&&answer| answer == (10, 10_000)).count(), 4);
    assert_eq!(of(0).len(), 10);
    let (endless, left) = run(&["requests:64B:10kB"], 3, 1, Instant::from_microseconds(1005));
    assert_eq!((left, endless.len()), (None, 3 * 101));
}

#[test]
fn combined_workloads_see_only_their_own_messages() {
    let texts = ["permutation:64B", "ping:100us:1ms", "requests:64B:64B:count=3", "all-to-all:64B:outstanding=1"];
    let (asked, left) = run(&texts, 4, 7, END);
    assert_eq!(left, Some(0));
    let of_service = |service| asked.iter().filter(|one| one.wanted.service == service).count();
    // All messages have the same length, yet only pings and requests are answered, each by its own plan.
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(of_service), [4, 0, 40, 40, 12, 12, 12, 0]);
    // A workload's draws do not depend on the workloads after it.
    let alone = run(&texts[..1], 4, 7, END).0;
    let first: Vec<Asked> = asked.into_iter().filter(|one| one.wanted.service == 0).collect();
    assert_eq!(first, alone);
}

#[test]
fn plans_that_do_not_fit_the_hosts_say_why() {
    let unfit = |text, count| match workload(text).applications(&hosts(count), 1) {
        Ok(_) => "it fits".to_owned(),
        Err(unfit) => unfit.to_string(),
    };
    assert_eq!(unfit("incast:64x450kB", 64), "64 senders are too many: with 64 hosts, at most 63 can send to one");
    assert_eq!(unfit("incast:1x1B:receiver=9", 9), "receiver 9 does not exist: there are 9 hosts, numbered from 0");
    assert_eq!(unfit("parallel-incasts:9x1B:receivers=2", 8), "9 senders are too many: there are 8 hosts");
    assert_eq!(unfit("parallel-incasts:8x1B:receivers=9", 8), "9 receivers are too many: there are 8 hosts");
    assert_eq!(
        unfit("parallel-incasts:3x1B:receivers=2:first_receiver=7", 8),
        "there is no host 8 to receive: there are 8 hosts, from 0, and receivers begin with 7"
    );
    assert_eq!(unfit("permutation:1B", 1), "1 host is too few: a workload needs at least two");
    let servers = unfit("requests:1B:1B:servers=4", 4);
    assert_eq!(servers, "4 servers among 4 hosts: there must be at least one server and one client");
}

#[test]
fn all_mistakes_in_a_text_are_reported_together() {
    let texts = [
        "incats:64x450kB",
        "incast:64",
        "incast:0x450kB:spread=10:reciever=5",
        "parallel-incasts:8x450kB:receivers=0:receiver=5",
        "poisson:websearsh:1.5:soon:start=1:start=2",
        "ping:0us",
        "ping:0us:1ms:priority=high",
        "matrix:no/such/file.cm",
    ];
    let told = |text| match Workload::parse(text) {
        Ok(workload) => format!("{workload:?}\n"),
        Err((sources, found)) => found.render(&sources, false),
    };
    let told: String = texts.map(told).concat();
    golden("workload_mistakes.txt", &told);
}

/// `UPDATE_EXPECT=1` writes the actual output instead; read the difference before you keep it.
fn golden(name: &str, actual: &str) {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, actual).expect("writable");
    }
    assert_eq!(actual, std::fs::read_to_string(&path).unwrap_or_default());
}

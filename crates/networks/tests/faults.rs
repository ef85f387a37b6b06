//! Property tests: under any faults, each transport delivers every byte exactly once or gives up, and no run hangs.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use networks::plan::read;
use networks::{Next, Outcome, Running, run};
use proptest::prelude::*;
use report::Columns;

/// A transport, the queue of its switches, and whether it detects corruption that the frame check sequence has missed.
type Carrier = (&'static str, &'static str, bool);

const DROP_TAIL: &str = "queue = \"drop-tail\"\nlimit = \"8 packets\"";
const TRIMMING: &str = "queue = \"trimming\"\nlimit = \"8 packets\"";
const ECN: &str = "queue = \"ecn\"\nlimit = \"20 packets\"\nthreshold = \"5 packets\"";

/// Every transport with the queues that it was designed for, and with others that drop packets instead.
const CARRIERS: [Carrier; 11] = [
    ("kind = \"ndp\"", TRIMMING, false),
    ("kind = \"ndp\"", DROP_TAIL, false),
    ("kind = \"eqds\"", TRIMMING, false),
    ("kind = \"eqds\"", DROP_TAIL, false),
    ("kind = \"newreno\"", DROP_TAIL, true),
    ("kind = \"cubic\"", "queue = \"red\"\nlimit = \"20 packets\"", true),
    ("kind = \"dctcp\"", ECN, true),
    ("kind = \"dctcp\"", DROP_TAIL, true),
    ("kind = \"rocev2\"\nrecovery = \"go-back-n\"", ECN, true),
    ("kind = \"rocev2\"\nrecovery = \"selective-repeat\"", ECN, true),
    ("kind = \"rocev2\"\nrecovery = \"selective-repeat\"", DROP_TAIL, true),
];

/// The number of consecutive timeouts after which transports give up, and the longest timeout.
const ATTEMPTS: u64 = 30;
const LONGEST_TIMEOUT_US: u64 = 4000;
/// The time for which a host without anything to send or receive may still have timers.
const LONGEST_WAIT_US: u64 = 61_000_000;
/// The greatest number of events of these networks; a run that exceeds it is taken for an endless loop.
const MOST_EVENTS: u64 = 3_000_000;
/// The least payload of a full packet, in bytes.
const PAYLOAD: u64 = 1400;

fn plan_text(seed: u64, topology: &str, (transport, queue, _): Carrier, faults: &str, workload: &str) -> String {
    let patience = if transport.contains("rocev2") {
        format!("payload = \"1440 B\"\ntimeout = \"{LONGEST_TIMEOUT_US} us\"\nretries = {ATTEMPTS}\n")
    } else {
        format!(
            "packet = \"1500 B\"\ntimeout = \"500 us\"\nlongest_timeout = \"{LONGEST_TIMEOUT_US} us\"\n\
             attempts = {ATTEMPTS}\n"
        )
    };
    format!(
        "seed = {seed}\n[topology]\n{topology}\n[transport]\n{transport}\n{patience}[switch]\n{queue}\n{faults}\n{workload}\n"
    )
}

fn ran(text: &str, threads: usize) -> Outcome {
    let plan = read("test", "test.toml", text, Path::new(""), None);
    let plan = plan.unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let threads = NonZeroUsize::new(threads).expect("one at least");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults");
    let outcome = run(plan, &Running::through(&folder, threads), &mut |stage| {
        assert!(stage.events < MOST_EVENTS, "it goes round in circles: {stage:?}");
        Next::GoOn
    });
    let outcome = outcome.unwrap_or_else(|failure| panic!("{}", failure.render(false))).outcome().expect("the end");
    assert_eq!(outcome.defect, None, "packets are conserved");
    outcome
}

/// Asserts that every flow arrived once or was abandoned by its sender, and that the run ended in time.
fn check(outcome: &Outcome) {
    let summary = &outcome.summary;
    assert_eq!(summary.ended, "idle", "nothing goes on for ever");
    assert_eq!(summary.packets.in_flight, 0);
    let (mut bytes, mut messages, mut packets) = (0, 0, 0);
    for flow in &outcome.flows {
        assert!(flow.delivered.is_some() || flow.abandoned.is_some(), "nobody knows of {flow:?}");
        assert!(flow.completed.is_some() != flow.abandoned.is_some(), "{flow:?}");
        if let Some(completed) = flow.completed {
            assert!(flow.delivered.is_some_and(|delivered| delivered <= completed), "{flow:?}");
        }
        packets += flow.bytes.div_ceil(PAYLOAD);
        if flow.delivered.is_some() {
            bytes += flow.bytes;
            messages += 1;
        }
    }
    let counter = |name: &str| summary.counters.get(name).copied().unwrap_or_default();
    assert_eq!((counter("bytes_delivered"), counter("messages_delivered")), (bytes, messages), "each of them once");
    // A flow goes on for at most so many timeouts without a sign of life; each sign is of another of its packets, SYN
    // and FIN included, or of a copy of one. What was sent again in vain doubles it at most.
    let longest = 2 * (packets + 4 * outcome.flows.len() as u64) * (ATTEMPTS + 1) * LONGEST_TIMEOUT_US;
    let last = outcome.flows.iter().filter_map(|flow| flow.completed.max(flow.abandoned)).max().unwrap_or_default();
    assert!(last.microseconds() <= longest, "{last} and not {longest} us");
    // Who has closed a TCP connection waits for a minute for the other end to do so.
    assert!(outcome.end.microseconds() <= last.microseconds() + LONGEST_WAIT_US, "{} and {last}", outcome.end);
}

fn any_topology() -> impl Strategy<Value = String> {
    prop_oneof![
        (2..6u32).prop_map(|hosts| format!("kind = \"single-switch\"\nhosts = {hosts}")),
        (1..4u32, 1..4u32).prop_map(|(left, right)| format!("kind = \"dumbbell\"\nleft = {left}\nright = {right}")),
        (2..4u32, 1..4u32, 1..3u32).prop_map(|(leaves, spines, hosts)| format!(
            "kind = \"leaf-spine\"\nleaves = {leaves}\nspines = {spines}\nhosts = {hosts}"
        )),
        Just("kind = \"fat-tree\"\nk = 4".to_owned()),
        (2..4u32).prop_map(|switches| format!("kind = \"parking-lot\"\nswitches = {switches}\nhosts = 2")),
    ]
}

fn any_workload() -> impl Strategy<Value = String> {
    let bytes = || 1..40_000u64;
    prop_oneof![
        bytes().prop_map(|bytes| format!("[[workload]]\nkind = \"permutation\"\nbytes = {bytes}\n")),
        bytes().prop_map(|bytes| format!("[[workload]]\nkind = \"incast\"\nsenders = 1\nbytes = {bytes}\n")),
        (bytes(), 1..4u32).prop_map(|(bytes, outstanding)| format!(
            "[[workload]]\nkind = \"requests\"\nresponse = {bytes}\noutstanding = {outstanding}\ncount = 3\n"
        )),
    ]
}

/// Entries that choose packets, on average at most the share `most` of them. A `burst-loss` has entries of its own.
fn chosen(most: f64) -> impl Strategy<Value = String> {
    let every = (1.0 / most).ceil().max(1.0) as u64;
    prop_oneof![
        (0.0..most).prop_map(|part| format!("probability = {part}\n")),
        (every..100 * every).prop_map(|every| format!("every = {every}\n")),
        prop::collection::vec(1..40u64, 1..6).prop_map(|numbers| format!("packets = {numbers:?}\n")),
    ]
}

/// The links on which hosts send, of which each packet takes exactly one.
const FROM_HOSTS: &str = "lines = \"from-hosts\"\n";

/// Rules that lose at most half of all packets.
fn any_losses() -> impl Strategy<Value = String> {
    let one = |most: f64| {
        prop_oneof![
            Just(String::new()),
            chosen(most).prop_map(|chosen| format!("[[fault]]\nkind = \"loss\"\n{FROM_HOSTS}{chosen}")),
            chosen(most).prop_map(|chosen| format!("[[fault]]\nkind = \"corruption\"\n{FROM_HOSTS}{chosen}")),
            // In the bad state for begins / (begins + ends) of all packets.
            (0.01..1.0, 0.01..0.9f64).prop_map(move |(part, ends)| {
                let begins = part * ends * most / (1.0 - most);
                format!("[[fault]]\nkind = \"burst-loss\"\n{FROM_HOSTS}begins = {begins}\nends = {ends}\n")
            }),
        ]
    };
    (one(0.25), one(0.25)).prop_map(|(first, second)| first + &second)
}

/// Copies are few: several rules that copy a half of all packets on every line make more of each answer than there were
/// questions, without end.
fn any_trouble() -> impl Strategy<Value = String> {
    let place =
        || prop::sample::select(vec!["", "lines = \"hosts\"\n", "lines = \"to-hosts\"\n", "where = [\"*-0\"]\n"]);
    prop_oneof![
        // Of a half of all packets on each of six lines, ten come of one; answers to them are copied, too, and
        // answered.
        (place(), chosen(0.05), 0..3000u64).prop_map(|(place, chosen, later)| format!(
            "kind = \"duplication\"\n{place}{chosen}later = \"{later} ns\"\n"
        )),
        (place(), chosen(0.5), 1..2000u64)
            .prop_map(|(place, chosen, by)| format!("kind = \"reordering\"\n{place}{chosen}by = \"{by} us\"\n")),
        (place(), 1..300u64).prop_map(|(place, by)| format!("kind = \"delay\"\n{place}by = \"{by} us\"\n")),
        (place(), 1..300u64, any::<bool>()).prop_map(|(place, most, keep)| format!(
            "kind = \"jitter\"\n{place}most = \"{most} us\"\nkeep_order = {keep}\n"
        )),
        (place(), 0..500u64, 1..5000u64).prop_map(|(place, from, more)| {
            format!("kind = \"link-down\"\n{place}from = \"{from} us\"\nuntil = \"{} us\"\n", from + more)
        }),
        (0..500u64, 1..5000u64).prop_map(|(from, more)| {
            let until = from + more;
            format!(
                "kind = \"slow-host\"\nwhere = [\"*-0\"]\npauses = true\nfrom = \"{from} us\"\nuntil = \"{until} us\"\n"
            )
        }),
    ]
    .prop_map(|text| format!("[[fault]]\n{text}"))
}

fn any_costs() -> impl Strategy<Value = String> {
    let learns = prop_oneof![
        Just(String::new()),
        Just("polling = \"3 us\"\n".to_owned()),
        (1..20u32).prop_map(|n| format!("interrupt = \"5 us\"\ncoalesced_packets = {n}\ncoalesced_time = \"10 us\"\n")),
    ];
    let costs = (1..5u32, 0..2000u64, 1..64u32, 1..20u32, learns).prop_map(|(cores, ns, ring, send_ring, learns)| {
        format!(
            "[host]\ncores = {cores}\nper_packet = \"{ns} ns\"\npcie = \"40 Gb/s\"\nreceive_ring = {ring}\n\
             transmit_ring = {send_ring}\n{learns}"
        )
    });
    prop_oneof![Just(String::new()), costs]
}

/// All faults of a plan, and the processing costs of hosts.
fn any_faults() -> impl Strategy<Value = String> {
    (any_losses(), prop::collection::vec(any_trouble(), 0..4), any_costs()).prop_map(|(losses, trouble, costs)| {
        let mut text = costs + &losses;
        trouble.iter().for_each(|fault| write!(text, "{fault}").expect("a text takes all"));
        text
    })
}

/// The number of cases. It is small, since each case is a whole network; `PROPTEST_CASES` sets another.
fn cases(usual: u32) -> ProptestConfig {
    let given = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(given.unwrap_or(usual)) }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn delivers_every_byte_once_or_gives_up(
        topology in any_topology(),
        carrier in prop::sample::select(CARRIERS.to_vec()),
        faults in any_faults(),
        workload in any_workload(),
        seed in any::<u32>(),
    ) {
        check(&ran(&plan_text(seed.into(), &topology, carrier, &faults, &workload), 1));
    }

    #[test]
    fn transport_checksums_detect_missed_corruption(
        topology in any_topology(),
        carrier in prop::sample::select(CARRIERS.iter().copied().filter(|carrier| carrier.2).collect::<Vec<_>>()),
        chosen in chosen(0.2),
        workload in any_workload(),
        seed in any::<u32>(),
    ) {
        // The Internet checksum finds any one bit (RFC 1071).
        let faults = format!("[[fault]]\nkind = \"corruption\"\nundetected = true\n{FROM_HOSTS}{chosen}");
        check(&ran(&plan_text(seed.into(), &topology, carrier, &faults, &workload), 1));
    }

    #[test]
    fn undetected_corruption_does_not_harm_the_run(
        carrier in prop::sample::select(CARRIERS.to_vec()),
        chosen in chosen(0.5),
        bits in 1..200u32,
        workload in any_workload(),
        seed in any::<u32>(),
    ) {
        let end = "[end]\nat = \"20 ms\"\nunfinished = \"accepted\"\n";
        let faults = format!("{end}[[fault]]\nkind = \"corruption\"\nundetected = true\nbits = {bits}\n{chosen}");
        ran(&plan_text(seed.into(), "kind = \"leaf-spine\"", carrier, &faults, &workload), 1);
    }
}

proptest! {
    // Threads wait for each other, which takes long where there are fewer cores.
    #![proptest_config(cases(8))]

    #[test]
    fn the_printed_plan_gives_the_same_files_in_threads(
        topology in any_topology(),
        carrier in prop::sample::select(CARRIERS.to_vec()),
        faults in any_faults(),
        seed in any::<u32>(),
    ) {
        let probes = "[probes]\nevery = \"10 ms\"\nqueues = [\"*\"]\nlinks = [\"*\"]\n[[workload]]\nkind = \"permutation\"\nbytes = 9000";
        let once = ran(&plan_text(seed.into(), &topology, carrier, &faults, probes), 1);
        let again = ran(&once.plan.text, 3);
        prop_assert_eq!(&again.plan.text, &once.plan.text);
        let tables = |outcome: &Outcome| outcome.tables.iter().map(Columns::to_csv).collect::<Vec<_>>();
        prop_assert_eq!(tables(&again), tables(&once));
        prop_assert_eq!(again.summary.rows(), once.summary.rows());
    }
}

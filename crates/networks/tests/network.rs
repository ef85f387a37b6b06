//! Tests of networks from plan to results.

use std::num::NonZeroUsize;
use std::path::Path;

use basis::Duration;
use netsim::Threading;
use networks::plan::{NetworkPlan, read};
use networks::{Next, Outcome, Running, files, run};

#[path = "network/limits.rs"]
mod limits;
#[path = "network/own_port.rs"]
mod own_port;
#[path = "network/page.rs"]
mod page;
#[path = "network/probes.rs"]
mod probes;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/network"))
}

fn plan(text: &str) -> NetworkPlan {
    read("test", "test.toml", text, folder(), None).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

fn ran(text: &str) -> Outcome {
    ran_in("network", text, 1)
}

fn ran_in(folder: &str, text: &str, threads: usize) -> Outcome {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let threads = NonZeroUsize::new(threads).expect("one at least");
    let running = Running { threading: Threading::Always, ..Running::through(&folder, threads) };
    let outcome = run(plan(text), &running, &mut |_| Next::GoOn);
    let outcome = outcome.unwrap_or_else(|failure| panic!("{}", failure.render(false))).outcome().expect("the end");
    assert_eq!(outcome.defect, None, "packets are conserved");
    outcome
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    let text = "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts = 3\n[[workload]]\n\
        kind = \"all-to-all\"\nbytes = \"90 kB\"\n\
        [probes]\nevery = \"1 us\"\nqueues = [\"*\"]\nlinks = [\"*\"]\nflows = [\"*\"]\ncaptures = [\"*\"]\nperfetto = true\n\
        arrivals = [\"host-*\"]\ninner_queues = [\"spine-*\"]\n[[probes.window]]\nfrom = \"9 us\"\nuntil = \"20 us\"\n";
    let of = |threads: usize| {
        let outcome = ran_in(&format!("threads-{threads}"), text, threads);
        let captures = outcome.captures.iter().map(|path| std::fs::read(path).expect("a capture"));
        let names = outcome.captures.iter().map(|path| path.file_name().expect("a file").to_owned());
        (files(&outcome), captures.collect::<Vec<_>>(), names.collect::<Vec<_>>())
    };
    let one = of(1);
    assert!(one.1.len() > 20, "a capture for each line");
    assert!(one.1.iter().all(|capture| capture.len() > 1000));
    for threads in [2, 5] {
        assert!(of(threads) == one, "{threads} threads");
    }
}

fn incast(switch: &str) -> String {
    format!(
        "[topology]\nkind = \"single-switch\"\nhosts = 4\n[transport]\npacket = \"1500 B\"\n{switch}\n\
         [[workload]]\nkind = \"incast\"\nsenders = 3\nbytes = \"60 kB\"\nreceiver = 0\n\
         [probes]\nevery = \"1 us\"\nqueues = [\"*\"]\nlinks = [\"*\"]\nflows = [\"*\"]\nperfetto = true\n"
    )
}

#[test]
fn the_same_plan_and_seed_give_the_same_bytes() {
    let spray = "[topology]\nkind = \"fat-tree\"\nk = 4\n[switch]\nspread = \"random\"\n\
                 [[workload]]\nkind = \"permutation\"\nbytes = \"30 kB\"\n";
    for text in [incast(""), spray.to_owned(), format!("seed = 2\n{spray}")] {
        assert_eq!(files(&ran(&text)), files(&ran(&text)));
    }
    let flows = |outcome: &Outcome| outcome.tables[0].to_csv();
    assert_ne!(flows(&ran(spray)), flows(&ran(&format!("seed = 2\n{spray}"))), "another seed is another run");
}

/// The link to the receiver carries every byte once, with headers and framing, and the headers of trimmed packets; the
/// remaining time is a round trip. Issue 6 allows 1 %.
#[test]
fn an_incast_is_limited_by_its_bottleneck_only() {
    let outcome = ran(&incast("[switch]\nlimit = \"8 packets\""));
    let last = outcome.flows.iter().filter_map(|flow| flow.delivered).max().expect("flows are delivered");
    let packets: u64 = outcome.flows.iter().map(|flow| flow.bytes.div_ceil(1436)).sum();
    let headers = packets * 88 + outcome.summary.trims * 88;
    let bytes = outcome.flows.iter().map(|flow| flow.bytes).sum::<u64>() + headers;
    // 100 Gb/s are 80 ps a byte; two lines of 1 us there and back, and a packet stored and forwarded.
    let needed = bytes * 80 + 4_000_000 + (1524 + 88) * 80;
    let taken = last.picoseconds();
    assert!(taken <= needed + needed / 100, "{taken} ps for what {needed} ps are enough for");
    assert!(outcome.summary.trims > 0, "three first windows do not fit into eight packets");
    assert_eq!(outcome.exit_status(), 0);
}

/// The shaper of the port is half as fast as its link, and counts the same bytes.
#[test]
fn an_incast_through_a_shaped_port_is_limited_by_its_shaper_only() {
    let outcome = ran(&incast("[switch]\nqueue = \"scheduler\"\nrate = \"50 Gb/s\""));
    let last = outcome.flows.iter().filter_map(|flow| flow.delivered).max().expect("flows are delivered");
    let packets: u64 = outcome.flows.iter().map(|flow| flow.bytes.div_ceil(1436)).sum();
    let bytes = outcome.flows.iter().map(|flow| flow.bytes).sum::<u64>() + packets * 88;
    // 50 Gb/s are 160 ps a byte, and two lines of 1 us lie between a sender, which starts without asking, and the receiver.
    let needed = bytes * 160 + 2_000_000;
    let taken = last.picoseconds();
    assert!(taken.abs_diff(needed) <= needed / 100, "{taken} ps, not {needed} ps");
    assert_eq!((outcome.exit_status(), outcome.summary.drops.values().sum::<u64>()), (0, 0));
}

#[test]
fn a_program_forwards_like_the_fixed_function_router() {
    let program = "program = \"forward.p4\"\nentries = [\"routes.txt\"]";
    let of_router = ran(&incast("[switch]\nlimit = \"8 packets\""));
    let on =
        |machine: &str| ran(&incast(&format!("[switch]\nlimit = \"8 packets\"\n{program}\nmachine = \"{machine}\"")));
    for machine in ["native", "v1model"] {
        let of_program = on(machine);
        assert_eq!(of_program.flows, of_router.flows, "{machine}: queues behind a program are those behind a router");
        assert_eq!(of_program.summary.hops, of_router.summary.hops);
    }
    // Machines that take time: everything arrives, later by some stages for each packet that goes through.
    let last = |outcome: &Outcome| outcome.flows.iter().filter_map(|flow| flow.delivered).max().expect("delivered");
    for machine in ["banzai", "mp5", "recirculating"] {
        let of_program = on(machine);
        assert_eq!(of_program.summary.delivered, of_router.summary.delivered, "{machine}");
        let later = last(&of_program).since(last(&of_router));
        let bounds = Duration::from_picoseconds(100)..Duration::from_microseconds(2);
        assert!(bounds.contains(&later), "{machine}: {later:?} later");
    }
    let mixed = "[[switch]]\nlimit = \"8 packets\"\n[[switch]]\nwhere = [\"sw*\"]\n".to_owned() + program;
    assert!(ran(&incast(&mixed)).summary.delivered == 3);
}

#[test]
fn packets_that_a_program_drops_have_a_reason() {
    // No entries: the default action drops everything, and the run ends without its flows.
    let text = incast("[switch]\nprogram = \"forward.p4\"") + "[end]\nat = \"200 us\"\n";
    let outcome = ran(&text);
    assert_eq!(outcome.exit_status(), 4);
    assert_eq!(outcome.unfinished.count, 3);
    assert!(outcome.summary.drops.values().sum::<u64>() > 0, "{:?}", outcome.summary.drops);
    let accepted = ran(&(text + "unfinished = \"accepted\"\n"));
    assert_eq!(accepted.exit_status(), 0);
}

/// Reading the plan with all defaults gives the same plan again.
#[test]
fn the_printed_plan_reads_back() {
    let topologies = [
        "kind = \"fat-tree\"",
        "kind = \"leaf-spine\"\nuplinks = 2",
        "kind = \"single-switch\"",
        "kind = \"dumbbell\"",
        "kind = \"parking-lot\"",
    ];
    let switches = [
        "[switch]\nqueue = \"trimming\"\nservice = \"packets\"\nmarking = \"last-hop\"",
        "[switch]\nqueue = \"trimming\"\nmarking = \"asymmetric\"\ntrimmed_dscps = [\"0 > 10\", \"8 > 12\"]",
        "[switch]\nqueue = \"cut-payload\"",
        "[switch]\nqueue = \"source-flow-control\"",
        "[switch]\nqueue = \"drop-tail\"\n[switch.buffer]\ntotal = \"1 MiB\"\n[switch.flow_control]\nlossless = [0]",
        "[switch]\nqueue = \"red\"\nspread = \"flow\"",
        "[switch]\nqueue = \"strict-priorities\"\n[[switch.class]]\nqueue = \"ecn\"\n[[switch.class]]\ndscps = [46]",
        "[[switch]]\nqueue = \"weighted-fair\"\n[[switch.class]]\nweight = 3\n[[switch]]\nwhere = [\"switch*\"]",
        "[switch]\nqueue = \"scheduler\"\nrate = \"50 Gb/s\"\n[[switch.class]]\nqueues = [3, 5]\ndscps = [46]\nalpha = 0.5\n\
         [switch.buffer]\ncell = \"80 B\"\n[[switch.buffer.pool]]\nsize = \"16 MB\"",
    ];
    let workloads = [
        "kind = \"incast\"\nsenders = 3",
        "kind = \"permutation\"\nstart = \"1 us\"",
        "short = \"all-to-all:10kB:outstanding=2\"",
        "short = \"poisson:websearch:0.5:1ms\"",
        "kind = \"poisson\"\nsizes = \"100 kB\"\nmessages = 10",
        "short = \"on-off:64kB:100us:400us:10ms\"",
        "kind = \"requests\"\ncount = 3\nservers = 1",
        "short = \"ping:100us:10ms:priority=2\"",
        "kind = \"incast\"",
    ];
    for number in 0..switches.len() {
        let (topology, switch, workload) = (topologies[number % topologies.len()], switches[number], workloads[number]);
        let first = plan(&format!("[topology]\n{topology}\n{switch}\n[[workload]]\n{workload}\n"));
        let second = plan(&first.text);
        assert_eq!(second.text, first.text);
        assert_eq!(second.topology, first.topology);
        let choices = |plan: &NetworkPlan| format!("{:?} {:?}", plan.switches, plan.workloads);
        assert_eq!(choices(&second), choices(&first));
    }
}

/// Five switches in a ring pause each other: each is full of packets for the next, so none can ever proceed. The run
/// ends there, at the same time for any number of threads, and reports who waits for whom.
#[test]
fn a_deadlock_of_flow_control_is_reported() {
    let text = "[topology]\nkind = \"graph\"\nfile = \"ring.g\"\n[transport]\nkind = \"rocev2\"\ndcqcn = false\n\
        [switch]\nqueue = \"drop-tail\"\n[switch.flow_control]\n[[workload]]\nkind = \"matrix\"\nfile = \"ring.cm\"\n";
    let one = ran_in("deadlock-1", text, 1);
    assert_eq!((one.exit_status(), one.summary.ended), (4, "deadlock"));
    assert_eq!(one.deadlock.len(), 5, "{:?}", one.deadlock);
    for (number, sentence) in one.deadlock.iter().enumerate() {
        let [this, next] = [number, number + 1].map(|number| one.deadlock[number % 5].split(' ').next());
        let told = format!("{} (port", this.expect("a name"));
        assert!(sentence.starts_with(&told), "{sentence}");
        assert!(sentence.contains(&format!("waits for {},", next.expect("a name"))), "{sentence}");
        assert!(sentence.contains("paused priority 0"), "{sentence}");
    }
    assert_eq!(one.summary.drops.values().sum::<u64>(), 0, "nothing is lost, and nothing moves");
    let several = ran_in("deadlock-3", text, 3);
    assert_eq!(files(&several), files(&one));
    // A run that has an end comes to it, and says the same then.
    let ended = ran(&format!("{text}[end]\nat = \"3 ms\"\n"));
    assert_eq!((ended.exit_status(), ended.summary.ended, &ended.deadlock), (4, "time limit", &one.deadlock));
    // Congestion control keeps queues so short that nobody pauses for long: no deadlock, and every flow arrives.
    let text = text
        .replace("dcqcn = false", "")
        .replace("drop-tail", "ecn")
        .replace("[[workload]]", "xoff = \"1000 packets\"\n[[workload]]");
    let well = ran(&text);
    assert_eq!((well.exit_status(), well.deadlock.len()), (0, 0), "{:?}", well.deadlock);
}

/// A run that needs more memory than any computer has is refused at once, with a list of what needs it.
#[test]
fn a_run_that_does_not_fit_into_memory_is_refused() {
    let text = "[topology]\nkind = \"single-switch\"\nhosts = 4\n[[workload]]\nkind = \"poisson\"\nsizes = \"1 kB\"\n\
        messages = 1000000000000000\n";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory");
    let Err(failure) = run(plan(text), &Running::through(&folder, NonZeroUsize::MIN), &mut |_| Next::GoOn) else {
        panic!("it ran");
    };
    assert_eq!(failure.exit_status(), 3);
    let told = failure.render(false);
    assert!(told.contains("does not fit into memory"), "{told}");
    assert!(told.contains("about 1000000000000000 messages: 250.0 PB"), "{told}");
}

/// The rows of a table, by the names of their columns.
fn rows(outcome: &Outcome, table: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let table = outcome.tables.iter().find(|columns| columns.name == table).expect("a table").to_csv();
    let mut lines = table.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let names = lines.next().expect("names");
    lines.map(|fields| names.iter().cloned().zip(fields).collect()).collect()
}

/// The link to the receiver is busy from the first packet to the last. Timers of a millisecond that are set meanwhile
/// must not extend the run beyond the last acknowledgement.
#[test]
fn a_run_ends_with_its_last_packet() {
    for transport in ["", "kind = \"eqds\"\n", "kind = \"dctcp\"\n", "kind = \"rocev2\"\n"] {
        let text = incast("").replace("packet = \"1500 B\"", transport).replace("60 kB", "600 kB");
        let outcome = ran(&text);
        assert_eq!(outcome.exit_status(), 0);
        let completed = outcome.flows.iter().filter_map(|flow| flow.completed).max().expect("flows are completed");
        let behind = outcome.end.since(completed).picoseconds();
        assert!(outcome.end >= completed && behind < 20_000_000, "{transport}: {behind} ps behind the last flow");
        let to_receiver =
            rows(&outcome, "links").into_iter().find(|row| row["from"] == "switch" && row["to"] == "host-0");
        let used: f64 = to_receiver.expect("its line")["utilisation"].parse().expect("a number");
        assert!(used > 0.8 && used <= 1.0, "{transport}: {used}");
        let late = outcome.tables.iter().filter(|table| ["queues", "rates", "flow-series"].contains(&table.name));
        assert!(late.flat_map(|table| table.to_csv().lines().skip(1).map(str::to_owned).collect::<Vec<_>>()).all(
            |row| {
                row.split(',')
                    .next()
                    .and_then(|time| time.parse().ok())
                    .is_some_and(|time: u64| time <= outcome.end.picoseconds())
            }
        ));
    }
}

#[test]
fn utilisation_is_relative_to_the_time_with_traffic() {
    let late = incast("").replace("senders = 3", "senders = 3\nstart = \"1 ms\"");
    let used = |text: &str| rows(&ran(text), "links").iter().map(|row| row["utilisation"].clone()).collect::<Vec<_>>();
    assert_eq!(used(&late), used(&incast("")), "what lies before the first packet counts for nothing");
    let idle = late.clone() + "[end]\nat = \"500 us\"\n";
    assert!(used(&idle).iter().all(|used| used == "0"), "no packet was sent");
}

/// The sum of `rates.csv` is what links carried, even if the run ends between two samples.
#[test]
fn rates_add_up_to_what_links_carried() {
    let text = incast("").replace("every = \"1 us\"", "every = \"700 ns\"");
    for text in [text.clone(), text + "[end]\nat = \"10 us\"\nunfinished = \"accepted\"\n"] {
        let outcome = ran(&text);
        let (rates, links) = (rows(&outcome, "rates"), rows(&outcome, "links"));
        assert_eq!(rates.len() % links.len(), 0, "each look has every line");
        let looks = outcome.end.picoseconds().div_ceil(700_000) as usize;
        assert_eq!(rates.len() / links.len(), looks);
        for link in &links {
            let name = format!("{}:{}", link["from"], link["from_port"]);
            let of_line = rates.iter().filter(|row| row["line"] == name);
            let sum: u64 = of_line.map(|row| row["bytes_on_wire"].parse::<u64>().expect("a number")).sum();
            assert_eq!(sum.to_string(), link["bytes_on_wire"], "{name}");
        }
    }
}

#[test]
fn unfinished_flows_report_how_much_has_arrived() {
    for transport in ["", "kind = \"eqds\"\n", "kind = \"newreno\"\n", "kind = \"rocev2\"\n"] {
        let text = incast("").replace("packet = \"1500 B\"", transport).replace("60 kB", "6 MB");
        let outcome = ran(&(text + "[end]\nat = \"400 us\"\nunfinished = \"accepted\"\n"));
        let flows = rows(&outcome, "flows");
        let number =
            |row: &std::collections::BTreeMap<String, String>, name: &str| row[name].parse::<f64>().expect("a number");
        // 400 us carry 5 MB at 100 Gb/s, headers included.
        let sum: f64 = flows.iter().map(|row| number(row, "delivered_bytes")).sum();
        assert!(sum > 1.5e6 && sum < 5e6, "{transport}: {sum}");
        for row in &flows {
            let expected = number(row, "delivered_bytes") * 8.0 / 400e-6;
            assert!((number(row, "goodput_bits_per_second") / expected - 1.0).abs() < 1e-6, "{transport}: {row:?}");
            assert_eq!(row["delivered_ps"], "");
        }
    }
}

#[test]
fn flows_that_never_began_say_why() {
    let text = "[topology]\nkind = \"single-switch\"\nhosts = 4\n[[workload]]\nkind = \"matrix\"\n\
                file = \"triggers.cm\"\n[end]\nat = \"1 ms\"\n";
    let outcome = ran(text);
    assert_eq!((outcome.unfinished.count, outcome.unfinished.not_begun, outcome.summary.delivered), (2, 2, 2));
    assert_eq!(outcome.exit_status(), 4);
    assert!(outcome.summary.rows().contains(&("flows", "2 of 4 finished, 2 not begun".to_owned())));
    let told = outcome.unfinished.text();
    let barrier = "host-0 to host-2, a flow of 20000 bytes that has not begun: \
                   waits for trigger 7, a barrier that has fired 1 of 2 times\n";
    let late = "host-2 to host-1, a flow of 1000 bytes that has not begun: would begin at 5000.000000 us\n";
    assert!(told.contains(barrier) && told.contains(late), "{told}");
    let poisson = "[topology]\nkind = \"single-switch\"\nhosts = 4\n[[workload]]\nkind = \"poisson\"\n\
                   sizes = \"1 kB\"\nmessages = 4000\n[end]\nat = \"10 us\"\n";
    let outcome = ran(poisson);
    assert_eq!(outcome.summary.flows as u64 + outcome.unfinished.not_begun, 4000);
    assert_eq!(outcome.exit_status(), 4);
}

#[test]
fn refuses_timeouts_of_zero() {
    for field in ["timeout", "first_timeout", "longest_timeout"] {
        let text = format!(
            "[topology]\nkind = \"single-switch\"\n[transport]\nkind = \"cubic\"\n{field} = \"0 ns\"\n\
             [[workload]]\nkind = \"permutation\"\n"
        );
        let failure = read("test", "test.toml", &text, folder(), None).expect_err("no time");
        assert!(failure.render(false).contains(&format!("`{field}` is zero")), "{}", failure.render(false));
    }
    let text = "[topology]\nkind = \"single-switch\"\n[transport]\nkind = \"cubic\"\nlongest_timeout = \"10 us\"\n\
                [[workload]]\nkind = \"permutation\"\n";
    let failure = read("test", "test.toml", text, folder(), None).expect_err("shorter than the shortest");
    assert!(failure.render(false).contains("is longer than `longest_timeout`"), "{}", failure.render(false));
}

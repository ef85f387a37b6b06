//! What probes tell of a run: arrivals by kind, averages over windows, registers of programs, queues inside switches.

use basis::Instant;
use networks::plan::read;
use networks::results::{KINDS, NOWHERE};
use networks::{files, is_result};

use super::{folder, incast, ran, rows};

/// One message of so many bytes from host 1 to host 0, over links of 100 Gb/s and 1 us.
fn one_message(bytes: &str, probes: &str) -> String {
    format!(
        "[topology]\nkind = \"single-switch\"\nhosts = 2\n[transport]\npacket = \"1500 B\"\nfirst_window = 1000\n\
         [[workload]]\nkind = \"incast\"\nsenders = 1\nbytes = \"{bytes}\"\nreceiver = 0\n{probes}"
    )
}

fn failure(text: &str) -> String {
    match read("test", "test.toml", text, folder(), None) {
        Ok(plan) => {
            let running = networks::Running::through(folder(), std::num::NonZeroUsize::MIN);
            let ran = networks::run(plan, &running, &mut |_| networks::Next::GoOn);
            ran.err().map_or_else(|| "it is a plan".to_owned(), |failure| failure.render(false))
        }
        Err(failure) => failure.render(false),
    }
}

#[test]
fn a_packet_arrives_with_its_last_bit() {
    let outcome = ran(&one_message("2 kB", "[probes]\narrivals = [\"host-*\"]\n"));
    let arrived: Vec<_> = rows(&outcome, "arrivals")
        .iter()
        .map(|row| ["time_ps", "port", "kind", "source", "message", "sequence", "bytes"].map(|name| row[name].clone()))
        .collect();
    // 1524 bytes on a link take 121.92 ns, and 652 take 52.16 ns: twice that and 2 us, behind the first packet.
    let first = ["2243840", "host-0:0", "data", "host-1", "0", "0", "1500"].map(str::to_owned);
    let second = ["2296000", "host-0:0", "data", "host-1", "0", "1", "628"].map(str::to_owned);
    assert_eq!(arrived[..2], [first, second]);
    assert!(
        arrived[2..].iter().all(|row| row[1] == "host-1:0" && row[2] == "ACK" && row[3] == "host-0"),
        "{arrived:?}"
    );
    assert_eq!(arrived.len(), 4);
}

#[test]
fn arrivals_are_what_links_delivered_in_the_order_of_time() {
    for (transport, kinds) in [
        ("ndp", &["data", "data trimmed", "ACK", "NACK"][..]),
        ("eqds", &["data", "data trimmed", "ACK"]),
        ("cubic", &["TCP with payload", "TCP without payload"]),
        ("rocev2", &["RDMA WRITE", "RDMA acknowledgement"]),
    ] {
        let text = format!(
            "[topology]\nkind = \"single-switch\"\nhosts = 5\n[transport]\nkind = \"{transport}\"\n\
             [[workload]]\nkind = \"parallel-incasts\"\nsenders = 5\nreceivers = 2\nbytes = \"300 kB\"\n\
             [probes]\narrivals = [\"host-*\"]\n"
        );
        let outcome = ran(&text);
        assert_eq!(outcome.exit_status(), 0, "{transport}");
        let all = outcome.arrivals.all();
        assert!(all.is_sorted_by_key(|arrival| (arrival.at, arrival.port)), "{transport}");
        let delivered: u64 = outcome.links.iter().filter(|link| link.ends.station >= 5).map(|link| link.packets).sum();
        assert_eq!(all.len() as u64, delivered, "{transport}: each packet to a host");
        for kind in kinds {
            let kind = KINDS.iter().position(|known| known == kind).expect("a kind") as u8;
            assert!(!outcome.arrivals.times(kind).is_empty(), "{transport}: {}", KINDS[usize::from(kind)]);
        }
        assert!(all.iter().all(|arrival| arrival.source != NOWHERE && arrival.at <= outcome.end), "{transport}");
        let numbered = all.iter().filter(|arrival| arrival.identity.sequence.is_some()).count();
        assert!(numbered > all.len() / 4, "{transport}: {numbered} of {} are numbered", all.len());
        let times: usize = (0..KINDS.len()).map(|kind| outcome.arrivals.times(kind as u8).len()).sum();
        assert_eq!(times, all.len(), "{transport}");
    }
}

#[test]
fn packets_that_are_under_way_at_the_end_have_not_arrived() {
    let probes = "[probes]\narrivals = [\"host-0\"]\n[end]\nat = \"10 us\"\nunfinished = \"accepted\"\n";
    let outcome = ran(&one_message("1 MB", probes));
    let last = outcome.arrivals.all().last().expect("some").at;
    let end = Instant::from_microseconds(10);
    assert!(last <= end && end.since(last).picoseconds() < 121_920, "{last}");
}

#[test]
fn windows_share_out_what_arrived() {
    let windows = "[[probes.window]]\nuntil = \"20 us\"\n[[probes.window]]\nfrom = \"20 us\"\nuntil = \"60 us\"\n\
                   [[probes.window]]\nfrom = \"60 us\"\n[[probes.window]]\n[[probes.window]]\nfrom = \"70 us\"\nuntil = \"5 ms\"\n";
    let outcome = ran(&one_message("1 MB", windows));
    let flows = outcome.windows.flows(&outcome.flows);
    let bytes: Vec<u64> = flows.iter().map(|flow| flow.bytes).collect();
    assert_eq!(flows.iter().map(|flow| flow.window).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!((bytes[0] + bytes[1] + bytes[2], bytes[3]), (1_000_000, 1_000_000), "{bytes:?}");
    // 1436 of 1524 bytes on the link are payload: 94.2 Gb/s; a packet more or less is 0.3 Gb/s of 40 us.
    assert!((93.9e9..94.6e9).contains(&flows[1].bits_per_second), "{flows:?}");
    // Nothing arrives in the first 2 us.
    assert!((83.4e9..84.2e9).contains(&flows[0].bits_per_second), "{flows:?}");
    // The last window goes on when the run is over.
    let rate = bytes[4] as f64 * 8.0 / 4930e-6;
    assert!((flows[4].bits_per_second / rate - 1.0).abs() < 1e-9 && bytes[4] < bytes[2], "{flows:?}");
    let table = rows(&outcome, "windows");
    assert_eq!((table.len(), &*table[1]["from_ps"], &*table[1]["until_ps"]), (5, "20000000", "60000000"));
    assert_eq!((&*table[1]["source"], &*table[1]["destination"]), ("host-1", "host-0"));
}

#[test]
fn flows_have_no_part_in_windows_before_and_behind_them() {
    let text = "[topology]\nkind = \"single-switch\"\nhosts = 3\n[[workload]]\nkind = \"incast\"\nsenders = 1\n\
                receiver = 0\nbytes = \"90 kB\"\n[[workload]]\nkind = \"incast\"\nsenders = 1\nreceiver = 1\n\
                bytes = \"90 kB\"\nstart = \"100 us\"\n[[probes.window]]\nuntil = \"50 us\"\n\
                [[probes.window]]\nfrom = \"50 us\"\n[[probes.window]]\nfrom = \"50 us\"\nuntil = \"100 us\"\n";
    let outcome = ran(text);
    let flows: Vec<_> =
        outcome.windows.flows(&outcome.flows).iter().map(|flow| (flow.window, flow.flow, flow.bytes)).collect();
    assert_eq!(flows, [(0, 0, 90_000), (1, 1, 90_000)]);
}

/// The average of a window is that of its parts, weighted by their lengths, and no more than the largest sample.
#[test]
fn queues_registers_and_arrivals_are_averaged_over_windows() {
    let switch = "[switch]\nqueue = \"drop-tail\"\nprogram = \"counting.p4\"\nentries = [\"routes.txt\"]\n";
    let probes = "arrivals = [\"host-0\"]\n\
                  [[probes.register]]\nname = \"packets\"\nlabel = \"ten or more\"\ncondition = \">= 10\"\n\
                  [[probes.window]]\nuntil = \"12500 ns\"\n[[probes.window]]\nfrom = \"12500 ns\"\n[[probes.window]]\n\
                  [[probes.window]]\nfrom = \"20 ms\"\nuntil = \"30 ms\"\n";
    let outcome = ran(&format!("{}{probes}", incast(switch)));
    let end = outcome.end.picoseconds() as f64;
    let first = 12_500_000.0 / end;
    let whole = |one: f64, other: f64| one * first + other * (1.0 - first);
    let is_same = |one: f64, other: f64| (one - other).abs() < 1e-9 * one.abs().max(1.0);

    let queues = outcome.queue_averages();
    let of_window = |window| queues.iter().filter(move |queue| queue.window == window);
    assert_eq!(of_window(3).count(), 0, "the run is over before this window");
    let sampled = outcome.series.queues();
    for ((one, other), all) in of_window(0).zip(of_window(1)).zip(of_window(2)) {
        assert!(is_same(whole(one.packets, other.packets), all.packets), "{one:?} {other:?} {all:?}");
        assert!(is_same(whole(one.bytes, other.bytes), all.bytes), "{one:?} {other:?} {all:?}");
        assert_eq!(one.most_packets.max(other.most_packets), all.most_packets);
        assert!(all.packets <= all.most_packets as f64);
        // Each sample counts until the next.
        let (_, samples) = &sampled[all.queue];
        let ends = samples.iter().skip(1).map(|(at, _)| *at).chain([outcome.end]);
        let sum: f64 =
            samples.iter().zip(ends).map(|((at, bytes), end)| *bytes as f64 * end.since(*at).seconds()).sum();
        assert!(is_same(all.bytes, sum / (end * 1e-12)), "{all:?}");
    }
    assert!(queues.iter().any(|queue| queue.packets > 1.0), "several senders wait for one link: {queues:?}");

    let registers = outcome.register_averages();
    let held = outcome.registers.held(outcome.end);
    let of_receiver: Vec<_> = registers.iter().filter(|register| register.index == 1).collect();
    assert_eq!(of_receiver.iter().map(|register| register.window).collect::<Vec<_>>(), [0, 1, 2]);
    let until = held.iter().find(|held| held.index == 1).expect("more than ten packets");
    assert!(is_same(
        of_receiver[2].held.expect("a condition"),
        until.until.since(until.from).seconds() / (end * 1e-12)
    ));
    assert!(is_same(whole(of_receiver[0].value, of_receiver[1].value), of_receiver[2].value), "{of_receiver:?}");

    let arrivals = outcome.arrival_averages();
    let packets = |window| arrivals.iter().filter(|row| row.window == window).map(|row| row.packets).sum::<u64>();
    assert_eq!(packets(0) + packets(1), packets(2));
    // What arrives at the very end is not within the window.
    let before_the_end = outcome.arrivals.all().iter().filter(|arrival| arrival.at < outcome.end).count();
    assert_eq!(packets(2), before_the_end as u64);
    for (table, rows_of) in
        [("window-queues", queues.len()), ("window-registers", registers.len()), ("window-arrivals", arrivals.len())]
    {
        let rows = rows(&outcome, table);
        assert_eq!(rows.len(), rows_of, "{table}");
        assert!(rows.iter().all(|row| row["window"] != "2" || row["from_ps"] == "12500000"), "{table}");
    }
    assert!(files(&outcome).iter().all(|(name, _)| is_result(name) || name == "manifest.txt"));
}

#[test]
fn probes_of_windows_and_arrivals_change_nothing() {
    let without = ran(&incast(""));
    let probes = "arrivals = [\"*\"]\ninner_queues = [\"*\"]\n[[probes.window]]\nfrom = \"5 us\"\nuntil = \"7 us\"\n";
    let with = ran(&format!("{}{probes}", incast("")));
    assert_eq!(with.flows, without.flows);
    assert_eq!((with.summary.events, with.end), (without.summary.events, without.end));
    for table in ["flows", "links", "counters", "drops"] {
        assert_eq!(rows(&with, table), rows(&without, table), "{table}");
    }
    let files = files(&with);
    assert!(files.iter().all(|(name, _)| is_result(name) || name == "manifest.txt"));
    let page = &files.iter().find(|(name, _)| name == "index.html").expect("a page").1;
    assert!(page.contains("Times of arrival by kind of packet") && page.contains("from 5 µs to 7 µs"));
}

#[test]
fn a_register_is_sampled_where_it_changes() {
    let switch = "[switch]\nqueue = \"drop-tail\"\nprogram = \"counting.p4\"\nentries = [\"routes.txt\"]\n";
    let probes = "[[probes.register]]\nname = \"packets\"\n\
                  [[probes.register]]\nname = \"packets\"\nindex = [1, 2]\nlabel = \"ten or more\"\ncondition = \">= 10\"\n";
    let outcome = ran(&format!("{}{probes}", incast(switch)));
    // The last four bits of 10.0.0.1, host 0, are 1.
    let series = &outcome.registers;
    let of = |probe: u32, index: u32| {
        series.samples().iter().filter(move |sample| (sample.probe, sample.index) == (probe, index)).collect::<Vec<_>>()
    };
    let to_receiver = of(0, 1);
    assert!(to_receiver.len() > 3 && to_receiver.is_sorted_by_key(|sample| sample.value), "{to_receiver:?}");
    assert!(to_receiver.iter().all(|sample| !sample.holds && sample.at.picoseconds() % 1_000_000 == 0));
    let counted = to_receiver.last().expect("some").value;
    let port = outcome.links.iter().find(|link| link.ends.other == 0).expect("a link to host 0");
    assert!(counted <= port.packets, "{counted} of {}", port.packets);
    assert_eq!(
        of(1, 1).iter().map(|sample| sample.value).collect::<Vec<_>>(),
        to_receiver.iter().map(|sample| sample.value).collect::<Vec<_>>()
    );
    let held = series.held(outcome.end);
    let first = to_receiver.iter().find(|sample| sample.value >= 10).expect("more than ten packets").at;
    assert_eq!((held[0].index, held[0].from, held[0].until), (1, first, outcome.end));
    let table = rows(&outcome, "registers");
    assert_eq!(table.len(), series.samples().len());
    assert!(table.iter().any(|row| row["label"] == "ten or more" && row["holds"] == "1" && row["station"] == "switch"));
    assert!(table.iter().all(|row| (row["label"] == "packets") == row["holds"].is_empty()));
    let files = files(&outcome);
    let figure = &files.iter().find(|(name, _)| name == "registers.svg").expect("a figure").1;
    assert!(figure.contains("ten or more: ") && figure.contains("<title>1\n"), "{figure}");
}

#[test]
fn a_register_is_compared_with_the_time() {
    let switch = "[switch]\nqueue = \"drop-tail\"\nprogram = \"counting.p4\"\nentries = [\"routes.txt\"]\n";
    let probes = "[[probes.register]]\nname = \"packets\"\nindex = 1\ncondition = \"<= now\"\nunit = \"1 us\"\n";
    let outcome = ran(&format!("{}{probes}", incast(switch)));
    let samples = outcome.registers.samples();
    assert!(samples.len() > 3);
    for sample in samples {
        assert_eq!(sample.holds, sample.value <= sample.at.microseconds(), "{sample:?}");
    }
    assert!(samples.iter().any(|sample| sample.holds) && samples.iter().any(|sample| !sample.holds), "{samples:?}");
}

#[test]
fn every_machine_tells_its_registers() {
    for machine in ["native", "v1model", "banzai", "mp5", "recirculating"] {
        let switch = format!(
            "[switch]\nqueue = \"drop-tail\"\nprogram = \"counting.p4\"\nentries = [\"routes.txt\"]\nmachine = \"{machine}\"\n"
        );
        let outcome = ran(&format!("{}[[probes.register]]\nname = \"I.packets\"\nindex = [1]\n", incast(&switch)));
        let samples = outcome.registers.samples();
        assert!(samples.last().is_some_and(|sample| sample.value > 50 && sample.index == 1), "{machine}: {samples:?}");
    }
}

#[test]
fn inner_queues_are_those_of_ports_and_of_schedulers() {
    let probes = "inner_queues = [\"switch:0\", \"switch:1\"]\n";
    let outcome = ran(&format!("{}{probes}", incast("[switch]\nqueue = \"scheduler\"\nqueues = 2\n")));
    let queues = outcome.series.queues();
    let names: Vec<&str> = queues.iter().map(|(name, _)| *name).filter(|name| name.contains('/')).collect();
    assert_eq!(names, ["switch:0/0", "switch:0/1", "switch:1/0", "switch:1/1"]);
    let of = |name: &str| &queues.iter().find(|(known, _)| *known == name).expect("it is sampled").1;
    // All packets of the default code point wait in the first queue of the port.
    assert!(of("switch:0").len() > 5);
    assert_eq!(of("switch:0"), of("switch:0/0"));
    // A router without schedulers has one queue a port, which is not sampled twice.
    let outcome = ran(&format!("{}{probes}", incast("")));
    let names = outcome.series.queues().iter().filter(|(name, _)| *name == "switch:0").count();
    assert_eq!(names, 1);
}

#[test]
fn mistakes_in_probes_are_reported_at_their_places() {
    let of = |probes: &str| failure(&format!("{}{probes}", incast("")));
    assert!(of("inner_queues = [\"switch:9\"]\n").contains("there is no queue called `switch:9` in a switch"));
    assert!(of("inner_queues = [\"host-1:0\"]\n").contains("there is no switch called `host-1`"));
    assert!(of("arrivals = [\"host-9\"]\n").contains("there is no port called `host-9`"));
    assert!(of("[[probes.register]]\nname = \"x\"\n").contains("no switch has a register `x`"));
    assert!(of("[[probes.register]]\nindex = 1\n").contains("has no `name`"));
    assert!(of("[[probes.register]]\nname = \"x\"\ncondition = \"=> 1\"\n").contains("`=> 1` is no condition"));
    assert!(of("[[probes.register]]\nname = \"x\"\nunit = \"1 us\"\n").contains("unit"));
    assert!(
        of("[[probes.window]]\nfrom = \"5 us\"\nuntil = \"5 us\"\n").contains("a window that ends before it begins")
    );
    assert!(
        of("[[probes.window]]\nuntil = \"9 us\"\n[end]\nat = \"8 us\"\n").contains("when the run has ended, at 8 us")
    );
    let without_time = "[topology]\nkind = \"single-switch\"\n[[workload]]\nkind = \"permutation\"\n\
                        [[probes.register]]\nname = \"x\"\n";
    assert!(failure(without_time).contains("need a time between samples"));
    let program = "[switch]\nqueue = \"drop-tail\"\nprogram = \"counting.p4\"\nentries = [\"routes.txt\"]\n";
    let of = |probes: &str| failure(&format!("{}[[probes.register]]\n{probes}", incast(program)));
    let told = of("name = \"packets\"\nindex = [3, 16]\n");
    assert!(told.contains("`packets` of switch has no index 16") && told.contains("test.toml:"), "{told}");
    assert!(of("name = \"packets.count\"\n").contains("no switch has a register `packets.count`"));
    assert!(of("name = \"packet\"\nwhere = [\"switch\"]\n").contains("switch has no register `packet`"));
}

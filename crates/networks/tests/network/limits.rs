//! Tests that impossible plans are refused before anything runs, with a place and a hint.

use networks::plan::read;

use crate::folder;

const INCAST: &str = "[[workload]]\nkind = \"incast\"\nsenders = 3\nbytes = \"60 kB\"\nreceiver = 0\n";

/// Reads `[topology]` and what follows, and expects one finding: the line on which it is, what it says, the hint.
#[track_caller]
fn assert_refused(rest: &str, line: usize, says: &[&str]) {
    let text = format!("[topology]\nkind = \"single-switch\"\nhosts = 4\n{rest}");
    let Err(failure) = read("test", "test.toml", &text, folder(), None) else { panic!("accepted:\n{text}") };
    assert_eq!(failure.exit_status(), 2);
    let told = failure.render(false);
    assert!(told.contains(&format!("test.toml:{line}:")), "line {line}: {told}");
    assert!(says.iter().all(|say| told.contains(say)), "{says:?}: {told}");
}

#[track_caller]
fn assert_accepted(rest: &str) {
    let text = format!("[topology]\nkind = \"single-switch\"\nhosts = 4\n{rest}");
    if let Err(failure) = read("test", "test.toml", &text, folder(), None) {
        panic!("{}", failure.render(false));
    }
}

#[test]
fn refuses_times_that_are_too_long() {
    assert_refused(
        &format!("[link]\ndelay = \"9000000 s\"\n{INCAST}"),
        5,
        &["`delay` cannot be 9000000 s", "at most 1000000 s"],
    );
    assert_refused(&format!("[link]\ndelay = \"11 s\"\n{INCAST}"), 5, &["`delay` cannot be 11 s", "at most 10 s"]);
    assert_refused(&format!("{INCAST}start = \"2000000 s\"\n"), 9, &["`start` cannot be", "at most 1000000 s"]);
    assert_refused(&format!("{INCAST}[end]\nat = \"2000000 s\"\n"), 10, &["`at` cannot be", "at most 1000000 s"]);
    let fault = |by: &str| format!("{INCAST}[[fault]]\nkind = \"delay\"\nby = \"{by}\"\n");
    assert_refused(&fault("1 000 s"), 11, &["`by` must be a time"]);
    assert_refused(&fault("1000 s"), 11, &["`by` cannot be 1000 s", "at most 10 s"]);
    assert_accepted(&format!("[link]\ndelay = \"10 s\"\n{}", fault("10 s")));
}

#[test]
fn refuses_messages_of_too_many_packets() {
    let incast = |bytes: &str, transport: &str| {
        format!("[transport]\n{transport}\n[[workload]]\nkind = \"incast\"\nsenders = 3\nbytes = \"{bytes}\"\n")
    };
    for transport in ["kind = \"ndp\"", "kind = \"eqds\"", "kind = \"cubic\"", "kind = \"rocev2\""] {
        assert_refused(&incast("100000 TB", transport), 9, &["`bytes` must be a size"]);
        assert_refused(&incast("18000000000 GB", transport), 9, &["a message of ", "with 32 bits"]);
        assert_accepted(&incast("1000 GB", transport));
    }
    let short = "[[workload]]\nshort = \"poisson:18000000000GB:0.5:1ms\"\n";
    assert_refused(short, 5, &["a message of 18000000000 GB is too long"]);
}

#[test]
fn refuses_queues_without_room_for_one_packet() {
    let switch = |lines: &str| format!("[transport]\npacket = \"1500 B\"\n[switch]\n{lines}\n{INCAST}");
    assert_refused(
        &switch("queue = \"drop-tail\"\nlimit = \"1523 B\""),
        8,
        &["a queue of 1523 B has no room for one packet of data", "which takes 1524 B"],
    );
    assert_accepted(&switch("queue = \"drop-tail\"\nlimit = \"1524 B\""));
    assert_refused(
        &switch("queue = \"trimming\"\nlimit = \"1 kB\""),
        8,
        &["a queue of 1 kB for data trims every packet"],
    );
    assert_refused(
        &switch("queue = \"trimming\"\ntrimmed_limit = \"80 B\""),
        8,
        &["no room for one packet of control"],
    );
    assert_refused(&switch("queue = \"ecn\"\nlimit = \"600 B\"\nthreshold = \"500 B\""), 8, &["a queue of 600 B"]);
    let red = "queue = \"red\"\nlimit = \"900 B\"\nminimum = \"100 B\"\nmaximum = \"800 B\"";
    assert_refused(&switch(red), 8, &["a queue of 900 B has no room"]);
    let buffer = "queue = \"drop-tail\"\n[switch.buffer]\ntotal = \"1 kB\"";
    assert_refused(&switch(buffer), 6, &["a shared buffer of 1 kB has no room"]);
    let classes = |first: &str, second: &str| {
        let classes = "queue = \"strict-priorities\"\n[[switch.class]]\nqueue = \"drop-tail\"\nlimit = ";
        switch(&format!(
            "{classes}\"{first}\"\n[[switch.class]]\ndscps = [46]\nqueue = \"drop-tail\"\nlimit = \"{second}\""
        ))
    };
    assert_refused(&classes("1 kB", "1 kB"), 6, &["a queue of 1 kB has no room for one packet of data"]);
    assert_refused(&classes("8 packets", "83 B"), 6, &["no room for one packet of control"]);
    assert_accepted(&classes("8 packets", "84 B"));
    // Packets of a lossless priority are accounted at the ingress port.
    assert_accepted(&switch("queue = \"drop-tail\"\nlimit = \"100 B\"\n[switch.flow_control]"));
}

#[test]
fn refuses_flow_control_that_would_lose_packets() {
    let control = |link: &str, lines: &str| {
        format!(
            "[link]\n{link}\n[transport]\nkind = \"rocev2\"\n[switch]\nqueue = \"drop-tail\"\n[switch.flow_control]\n{lines}\n{INCAST}"
        )
    };
    // 2 (9240 + 2 * 84) / 64, and one more.
    for quanta in [1, 2, 294] {
        let lines = format!("quanta = {quanta}");
        assert_refused(&control("delay = \"1 us\"", &lines), 11, &["end before they can be renewed", "at least 295"]);
    }
    assert_accepted(&control("delay = \"1 us\"", "quanta = 295"));
    // The line there and back, 12,500 bytes each; three packets of 9240 bytes, and a frame of 84.
    let least = 2 * (12_500 + 1) + 3 * 9240 + 84;
    let lines = |headroom: u64| format!("headroom = \"{headroom} B\"");
    assert_refused(
        &control("delay = \"1 us\"", &lines(least - 1)),
        11,
        &["of headroom on these links", &least.to_string()],
    );
    assert_accepted(&control("delay = \"1 us\"", &lines(least)));
    // One line of the network is longer: what waits before it needs more.
    let longer = "[[link.between]]\nstations = [\"host-0\", \"switch\"]\ndelay = \"2 us\"";
    assert_refused(&control(longer, &lines(least)), 13, &[&(least + 25_000).to_string()]);
    assert_refused(&control("delay = \"1 us\"", "lossless = [0, 5]"), 11, &["priority 5 cannot be lossless"]);
}

#[test]
fn refuses_files_without_an_end() {
    if cfg!(unix) {
        let graph = "[topology]\nkind = \"graph\"\nfile = \"/dev/zero\"\n";
        let Err(failure) = read("test", "test.toml", graph, folder(), None) else { panic!("it was read") };
        assert!(failure.render(false).contains("it is longer than 64 MiB"), "{}", failure.render(false));
    }
}

/// Found by fuzzing plans: the TOML parser reports a place within an unknown character, and so did the diagnostic.
#[test]
fn diagnostics_point_at_whole_characters() {
    let odd = "\u{FFFD}".repeat(40);
    let short = networks::Short {
        topology: "dubbell".to_owned(),
        workloads: vec![format!("ping:100us:1msf= \"airst_window100kB,sprehd=fl{odd}")],
        link: Some(format!("{odd}t")),
        ..Default::default()
    };
    let text = short.to_toml();
    let Err(diagnostics::Failure::BadInput { sources, diagnostics }) = read("test", "test.toml", &text, folder(), None)
    else {
        panic!("it is no plan: {text}")
    };
    for span in diagnostics.iter().filter_map(|finding| finding.span) {
        let found = sources.text(span.source).get(span.start as usize..span.end as usize);
        assert!(found.is_some(), "{span:?} of {text}");
    }
}

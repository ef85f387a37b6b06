//! Tests of checkpoints: a resumed run gives the same results, and its tables can be read while it runs.

#[path = "../../basis/tests/common/on_all_cores.rs"]
mod on_all_cores;

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use basis::Instant;
use netsim::Threading;
use networks::plan::{NetworkPlan, read};
use networks::results::checkpoint_file;
use networks::{Next, Outcome, Ran, Running, files, run};
use on_all_cores::on_all_cores;
use workbench::kinds;

/// A plan with losses, marks, slow hosts, and all kinds of probes.
fn text(transport: &str) -> String {
    format!(
        "seed = 3\n[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 3\n[transport]\n{transport}\n\
         [host]\ncores = 2\nper_packet = \"100 ns\"\n\
         [[fault]]\nkind = \"loss\"\nprobability = 0.01\n[[workload]]\nkind = \"all-to-all\"\nbytes = \"60 kB\"\n\
         [[workload]]\nkind = \"requests\"\nrequest = \"200 B\"\nresponse = \"9 kB\"\ncount = 20\n\
         [probes]\nevery = \"7 us\"\nqueues = [\"*\"]\nlinks = [\"*\"]\nflows = [\"*\"]\ncaptures = [\"host-0-0\", \"host-1-1\"]\nperfetto = true\n\
         arrivals = [\"host-0-0\", \"leaf-1\"]\ninner_queues = [\"leaf-*\"]\n\
         [[probes.window]]\nuntil = \"50 us\"\n[[probes.window]]\nfrom = \"30 us\"\nuntil = \"300 us\"\n"
    )
}

fn plan(text: &str) -> NetworkPlan {
    read("test", "test.toml", text, Path::new(""), None).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checkpoints").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).expect("one at least")
}

fn go(text: &str, running: &Running<'_>) -> Result<Ran, String> {
    run(plan(text), running, &mut |_| Next::GoOn).map_err(|failure| failure.render(false))
}

/// The names and contents of all files of a run, including captures.
fn everything(outcome: &Outcome) -> Vec<(String, Vec<u8>)> {
    let captures = outcome.captures.iter().map(|path| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        (name, fs::read(path).expect("a capture"))
    });
    files(outcome).into_iter().map(|(name, text)| (name, text.into_bytes())).chain(captures).collect()
}

#[track_caller]
fn assert_same(one: &[(String, Vec<u8>)], other: &[(String, Vec<u8>)]) {
    assert_eq!(one.len(), other.len());
    for ((name, one), (of_other, other)) in one.iter().zip(other) {
        assert_eq!(name, of_other);
        assert!(one == other, "{name} differs");
    }
}

fn pauses_and_goes_on(name: &str, text: &str) {
    let whole = go(text, &Running::through(&folder(&format!("{name}-whole")), threads(1)));
    let whole = everything(&whole.expect("it runs").outcome().expect("the end"));
    let folder = folder(&format!("{name}-paused"));
    let through = Running::through(&folder, threads(1));
    // One transport is enough to see that the state does not depend on threads, which wait for each other for long
    // here.
    let threading = if name == "ndp" { Threading::Always } else { Threading::WhereItHelps };
    let mut running = Running { version: "1", threading, ..through };
    for (pause, count) in [(5_000_000, 2), (40_000_000, 1), (90_000_000, 3)] {
        running.pause_at = Some(Instant::from_picoseconds(pause));
        match go(text, &running) {
            Ok(Ran::Paused(at)) => assert_eq!(at.picoseconds(), pause),
            Ok(Ran::ToTheEnd(_)) => panic!("{name} is over before {pause} ps"),
            Err(why) => panic!("{name}: {why}"),
        }
        // What an interrupted run wrote after its checkpoint must not affect the next one.
        for entry in fs::read_dir(&folder).expect("it is there").flatten() {
            if entry.path().to_string_lossy().ends_with("pcapng.partial") {
                let mut bytes = fs::read(entry.path()).expect("a capture");
                bytes.extend_from_slice(b"cut off");
                fs::write(entry.path(), bytes).expect("a capture");
            }
        }
        (running.resumes, running.threads) = (true, threads(count));
    }
    running.pause_at = None;
    let ended = go(text, &running).unwrap_or_else(|why| panic!("{name}: {why}")).outcome().expect("the end");
    assert_same(&everything(&ended), &whole);
    assert!(!checkpoint_file(&folder).exists(), "nothing is left to go on with");
}

#[test]
fn a_resumed_run_gives_the_same_files() {
    let transports =
        [("ndp", ""), ("eqds", ""), ("cubic", "packet = \"1500 B\""), ("dctcp", "packet = \"1500 B\""), ("rocev2", "")];
    on_all_cores(&transports, |(name, more)| pauses_and_goes_on(name, &text(&format!("kind = \"{name}\"\n{more}"))));
}

/// Workers, servers, and what switches hold of sums that are not complete are saved.
#[test]
fn resumed_jobs_give_the_same_files() {
    let schemes = [
        ("atp", "aggregator = \"atp\"\naggregators = 100", "scheme = \"atp\"\nlevels = 3\nservers = [\"host-1-2\"]"),
        ("switchml", "aggregator = \"switchml\"", "scheme = \"switchml\""),
        ("trio-ml", "aggregator = \"trio-ml\"", "scheme = \"trio-ml\"\ngradients = 64\nwindow = 32"),
        ("ring", "", "scheme = \"ring\""),
    ];
    on_all_cores(&schemes, |(name, switch, job)| {
        let plan = text("kind = \"dctcp\"").replace("[host]\ncores = 2\nper_packet = \"100 ns\"\n", "");
        let job = format!("[switch]\nqueue = \"ecn\"\n{switch}\n[[job]]\n{job}\ntensors = 20\nbytes = \"20 kB\"\n");
        pauses_and_goes_on(name, &(plan + &job));
    });
}

/// The state includes registers, counters of entries, packets in stages and queues, and the table versions of packets.
#[test]
fn resumes_on_any_machine_with_the_same_files() {
    let of_usual = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/network/counting.p4");
    let of_chip = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/network/counting_tna.p4");
    let routes = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/network/routes.txt");
    let of_threads = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/network/counting.mc");
    on_all_cores(&kinds::ALL.map(|kind| kind.name()), |machine| {
        let register = "[[probes.register]]\nname = \"packets\"\nindex = [1, 2]\ncondition = \">= 50\"\n";
        // Threads have memory instead of registers, and this program knows its routes.
        let (program, entries, register) = match *machine {
            "trio" => (of_threads, String::new(), ""),
            "tofino" => (of_chip, format!("entries = [\"{routes}\"]\n"), register),
            _ => (of_usual, format!("entries = [\"{routes}\"]\n"), register),
        };
        let text = format!(
            "seed = 3\n[topology]\nkind = \"single-switch\"\nhosts = 4\n[link]\nrate = \"10 Gb/s\"\n\
             [transport]\nkind = \"cubic\"\npacket = \"1500 B\"\n\
             [switch]\nprogram = \"{program}\"\n{entries}machine = \"{machine}\"\n\
             [[workload]]\nkind = \"all-to-all\"\nbytes = \"90 kB\"\n\
             [probes]\nevery = \"7 us\"\nqueues = [\"*\"]\ncaptures = [\"host-0\"]\n{register}"
        );
        pauses_and_goes_on(machine, &text);
    });
}

/// The state includes packets in the queues of a chip's own and on their way between its parts, in several pipes.
#[test]
fn resumes_on_a_chip_that_keeps_time_with_the_same_files() {
    let file = |name: &str| format!("{}/tests/network/{name}", env!("CARGO_MANIFEST_DIR"));
    let [program, routes, chip] = ["counting_tna.p4", "chip_routes.txt", "chip.toml"].map(file);
    let text = format!(
        "seed = 3\n[topology]\nkind = \"single-switch\"\nhosts = 4\n[link]\nrate = \"10 Gb/s\"\n\
         [transport]\nkind = \"cubic\"\npacket = \"1500 B\"\n\
         [switch]\nprogram = \"{program}\"\nentries = [\"{routes}\"]\nchip = \"{chip}\"\n\
         [[workload]]\nkind = \"all-to-all\"\nbytes = \"90 kB\"\n\
         [probes]\nevery = \"7 us\"\nqueues = [\"*\"]\ncaptures = [\"host-0\"]\n"
    );
    pauses_and_goes_on("chip", &text);
}

#[test]
fn refuses_checkpoints_of_other_plans_seeds_and_programs() {
    let (text, folder) = (text(""), folder("refused"));
    let paused = Running {
        pause_at: Some(Instant::from_microseconds(20)),
        version: "1",
        ..Running::through(&folder, threads(1))
    };
    assert!(matches!(go(&text, &paused), Ok(Ran::Paused(_))));
    let bytes = fs::read(checkpoint_file(&folder)).expect("it was written");
    let resumed = Running { resumes: true, ..paused };
    let refused = |text: &str, running: &Running<'_>| match go(text, running) {
        Err(why) => why,
        Ok(_) => panic!("it went on"),
    };
    let why = refused(&text.replace("60 kB", "61 kB"), &resumed);
    assert!(why.contains("it is of another plan, or of another seed"), "{why}");
    let why = refused(&text, &Running { version: "2", ..resumed });
    assert!(why.contains("it was written by another program (1; this one is 2)"), "{why}");
    for cut in [0, 10, 3000, bytes.len() - 1] {
        fs::write(checkpoint_file(&folder), &bytes[..cut]).expect("a file");
        let why = refused(&text, &resumed);
        assert!(why.contains("cannot go on from"), "{why}");
    }
    fs::write(checkpoint_file(&folder), &bytes).expect("a file");
    assert!(go(&text, &Running { pause_at: None, ..resumed }).is_ok(), "nothing was lost");
}

#[test]
fn refuses_damaged_checkpoints() {
    let text = "[topology]\nkind = \"single-switch\"\nhosts = 2\n[probes]\ncaptures = [\"host-0\"]\n\
        [[workload]]\nkind = \"permutation\"\nbytes = \"90 kB\"\n";
    let folder = folder("damaged");
    let paused = Running {
        pause_at: Some(Instant::from_microseconds(4)),
        version: "1",
        ..Running::through(&folder, threads(1))
    };
    assert!(matches!(go(text, &paused), Ok(Ran::Paused(_))));
    let resumed = Running { resumes: true, ..paused };
    let refused = |what: &str| match go(text, &resumed) {
        Err(why) => {
            let says = ["damaged", "truncated", "extra bytes", "format is not", "no checkpoint"];
            assert!(why.contains("cannot go on from") && says.iter().any(|say| why.contains(say)), "{what}: {why}");
        }
        Ok(_) => panic!("{what}: it went on"),
    };
    let state = checkpoint_file(&folder);
    let bytes = fs::read(&state).expect("it was written");
    for (number, _) in bytes.iter().enumerate() {
        let mut damaged = bytes.clone();
        damaged[number] ^= 1 << (number % 8);
        fs::write(&state, damaged).expect("a file");
        refused(&format!("a bit of byte {number} flipped"));
    }
    for length in (0..bytes.len()).step_by(101) {
        fs::write(&state, &bytes[..length]).expect("a file");
        refused(&format!("cut after {length} bytes"));
    }
    fs::write(&state, [&bytes[..], &bytes[..]].concat()).expect("a file");
    refused("one state behind another");
    fs::write(&state, &bytes).expect("a file");

    // The captures are part of the state.
    let capture = folder.join("host-0-port-0.pcapng.partial");
    let packets = fs::read(&capture).expect("it was written");
    let mut damaged = packets.clone();
    damaged[packets.len() / 2] ^= 1;
    fs::write(&capture, damaged).expect("a file");
    refused("a bit of a capture flipped");
    fs::write(&capture, packets).expect("a file");
    assert!(go(text, &resumed).is_ok(), "nothing was lost");
}

#[test]
fn a_resumed_run_removes_partial_tables() {
    let (text, folder) = (text(""), folder("leftovers"));
    let paused = Running {
        pause_at: Some(Instant::from_microseconds(20)),
        version: "1",
        ..Running::through(&folder, threads(1))
    };
    assert!(matches!(go(&text, &paused), Ok(Ran::Paused(_))));
    // As a run leaves them that is longer than what is left of this one, which has no row to add before its end.
    let tables = ["flows", "queues", "rates"].map(|name| folder.join(format!("{name}.csv.partial")));
    tables.iter().for_each(|table| fs::write(table, "a row\n").expect("a file"));
    assert!(go(&text, &Running { resumes: true, pause_at: None, ..paused }).is_ok());
    let left: Vec<_> = tables.iter().filter(|table| table.exists()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn final_rows_can_be_read_during_a_run() {
    let text = "[topology]\nkind = \"fat-tree\"\nk = 4\n[[workload]]\nkind = \"all-to-all\"\nbytes = \"450 kB\"\n\
        outstanding = 2\n[probes]\nevery = \"5 us\"\nqueues = [\"edge-*\"]\nlinks = [\"host-*\"]\narrivals = [\"host-0-*\"]\n";
    let folder = folder("cut-off");
    let running = Running { version: "1", ..Running::through(&folder, threads(1)) };
    let mut partial: Vec<[String; 4]> = Vec::new();
    let tables = ["flows", "queues", "rates", "arrivals"];
    let now = || tables.map(|name| fs::read_to_string(folder.join(format!("{name}.csv.partial"))).unwrap_or_default());
    let mut watched = 0;
    // The second state is the last one; the run that wrote it goes on, which changes neither.
    let outcome = run(plan(text), &running, &mut |_| {
        watched += 1;
        partial.push(now());
        if watched == 2 { Next::Checkpoint } else { Next::GoOn }
    });
    let state =
        |ran: Result<Ran, diagnostics::Failure>| ran.unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let whole = everything(&state(outcome).outcome().expect("the end"));
    assert!(watched >= 4, "{watched} looks are too few");
    assert!(now().iter().all(String::is_empty), "the whole tables have come");
    for (number, name) in tables.iter().enumerate() {
        let all = &whole.iter().find(|(of, _)| *of == format!("{name}.csv")).expect("a table").1;
        for partial in &partial {
            assert!(all.starts_with(partial[number].as_bytes()), "{name}");
        }
        let lengths: Vec<usize> = partial.iter().map(|partial| partial[number].len()).collect();
        assert!(lengths.is_sorted() && lengths[lengths.len() - 1] > 200, "{name}: {lengths:?}");
    }

    // Again, and cut off behind its state: as if the machine had stopped.
    let cut_off = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut watched = 0;
        run(plan(text), &running, &mut |_| {
            watched += 1;
            match watched {
                2 => Next::Checkpoint,
                3 => std::panic::resume_unwind(Box::new("the machine stops")),
                _ => Next::GoOn,
            }
        })
    }));
    assert!(cut_off.is_err());
    let gone_on = run(plan(text), &Running { resumes: true, ..running }, &mut |_| Next::GoOn);
    assert_same(&everything(&state(gone_on).outcome().expect("the end")), &whole);
}

//! Jobs of ATP: placement on one and on several switches, faults, and jobs that come and go.

use super::{bytes_of, finished, ran_by};

/// A switch of ATP with eight workers and a server.
fn single(switch: &str, job: &str) -> String {
    format!(
        "[topology]\nkind = \"single-switch\"\nhosts = 9\n[switch]\naggregator = \"atp\"\nqueue = \"ecn\"\n{switch}\n\
         [[job]]\nscheme = \"atp\"\nservers = [\"host-8\"]\ntensors = 3\nbytes = \"100 kB\"\n{job}\n"
    )
}

/// Six workers and a server at three switches, as in figure 9.
fn racks(job: &str) -> String {
    format!(
        "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nspines = 1\nhosts = 3\n[switch]\naggregator = \"atp\"\nqueue = \"ecn\"\n\
         [[job]]\nscheme = \"atp\"\nservers = [\"host-2-2\"]\nworkers = [\"host-*-0\", \"host-*-1\"]\ntensors = 2\nbytes = \"100 kB\"\n{job}\n"
    )
}

/// The data of one tensor in packets of 62 values, each with its framing.
fn wire_bytes(bytes: u64) -> u64 {
    (bytes / 4).div_ceil(62) * (306 + 24)
}

#[test]
fn a_server_gets_each_sum_once_and_sends_it_once() {
    let outcome = finished(&single("", ""));
    let all = 3 * wire_bytes(100_000);
    let (sent, received) = bytes_of(&outcome, "host-8");
    assert!((all..all * 21 / 20).contains(&received), "{received} of {all}");
    assert!((all..all * 21 / 20).contains(&sent), "{sent} of {all}");
    // 2U in all, against 4 (n-1) U / n of a ring (section A.5).
    let (sent, received) = bytes_of(&outcome, "host-3");
    assert!((2 * all..all * 21 / 10).contains(&(sent + received)), "{sent} and {received}");
}

#[test]
fn floats_and_single_pass_packets_are_summed_too() {
    finished(&single("", "arithmetic = \"floats\""));
    finished(&single("", "single_pass = true\nindex = \"linear\""));
    finished(&single("aggregators = 1000", "index = \"static\"\naggregators = 500\nfirst_aggregator = 500"));
}

/// The server receives three times the traffic if sums are not added up at its own switch (figure 9).
#[test]
fn rack_only_sends_the_server_three_times_as_much() {
    let (two, one) = (finished(&racks("")), finished(&racks("rack_only = true")));
    let ratio = bytes_of(&one, "host-2-2").1 as f64 / bytes_of(&two, "host-2-2").1 as f64;
    assert!((2.9..3.1).contains(&ratio), "{ratio}");
}

#[test]
fn sums_are_right_when_packets_are_lost_copied_and_reordered() {
    for (probability, job) in [(0.01, ""), (0.05, "arithmetic = \"floats\""), (0.2, "")] {
        for text in [single("", job), racks(job)] {
            let faults = format!(
                "[[fault]]\nkind = \"loss\"\nprobability = {probability}\n[[fault]]\nkind = \"duplication\"\nprobability = 0.01\n\
                 later = \"20 us\"\n[[fault]]\nkind = \"reordering\"\nprobability = 0.02\nby = \"30 us\"\n"
            );
            let text = text.replace("100 kB", "20 kB");
            finished(&format!("{text}{faults}"));
        }
    }
}

#[test]
fn jobs_share_aggregators_come_and_go() {
    let job = |number: u32, more: &str| {
        format!(
            "[[job]]\nnumber = {number}\nname = \"of {number}\"\nscheme = \"atp\"\nservers = [\"host-8\"]\nbytes = \"100 kB\"\ntensors = 4\n{more}\n"
        )
    };
    let text = single("aggregators = 64", "number = 9\nend = \"150 us\"")
        + &job(2, "start = \"30 us\"\npause = \"10 us\"")
        + &job(3, "start = \"90 us\"\nworkers = [\"host-1\", \"host-3\", \"host-5\"]");
    let outcome = ran_by(&text, 1);
    assert_eq!(outcome.jobs.wrong(), "");
    assert_eq!(outcome.unfinished_tensors.text(), "");
    let finished: Vec<u64> = outcome.summary.jobs.iter().map(|job| job.finished).collect();
    assert_eq!(finished[1..], [4 * 8, 4 * 3], "the first job is taken away before it has finished");
}

#[test]
fn switches_lose_their_memory() {
    let fault = "[[fault]]\nkind = \"memory-loss\"\nwhere = [\"leaf-*\"]\nfrom = \"12 us\"\n\
                 [[fault]]\nkind = \"memory-loss\"\nwhere = [\"leaf-2\"]\nfrom = \"31 us\"\nuntil = \"40 us\"\n";
    finished(&format!("{}{fault}", racks("")));
}

#[test]
fn workers_fail_and_are_started_again_here_or_elsewhere() {
    let at_home = "[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-0-1\"]\nfrom = \"10 us\"\nuntil = \"2 ms\"\n";
    let elsewhere = "[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-1-0\"]\nfrom = \"12 us\"\nuntil = \"3 ms\"\n\
                     elsewhere = \"host-2-1\"\n";
    let workers = "workers = [\"host-0-0\", \"host-0-1\", \"host-1-0\", \"host-2-0\"]";
    let text = racks("").replace("workers = [\"host-*-0\", \"host-*-1\"]", workers);
    for fault in [at_home.to_owned(), elsewhere.to_owned(), format!("{at_home}{elsewhere}")] {
        finished(&format!("{text}{fault}"));
    }
}

#[test]
fn a_server_is_started_again() {
    let fault = "[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-2-2\"]\nfrom = \"20 us\"\nuntil = \"1 ms\"\n";
    finished(&format!("{}{fault}", racks("")));
}

#[test]
fn a_worker_that_nobody_starts_again_leaves_the_others_waiting() {
    let fault = "[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-0\"]\nfrom = \"5 us\"\n[end]\nat = \"20 ms\"\n";
    let outcome = ran_by(&format!("{}{fault}", single("", "")), 1);
    assert_eq!((outcome.jobs.wrong(), outcome.exit_status()), (String::new(), 4));
    let text = outcome.unfinished_tensors.text();
    assert!(text.contains("its process has failed, and nobody starts it again"), "{text}");
    assert!(text.contains("host-8"), "the server says what it waits for: {text}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let text = racks("pause = \"3 us\"")
        + "[[fault]]\nkind = \"loss\"\nprobability = 0.01\n[[fault]]\nkind = \"memory-loss\"\nwhere = [\"leaf-0\"]\nfrom = \"15 us\"\n";
    let rows = |threads| -> Vec<String> { ran_by(&text, threads).tables.iter().map(|table| table.to_csv()).collect() };
    assert_eq!(rows(1), rows(3));
}

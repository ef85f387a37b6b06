//! Jobs of SwitchML: one switch, a pool of slots, and workers that send again after a timeout.

use super::{bytes_of, finished, ran};

fn text(topology: &str, job: &str) -> String {
    format!(
        "[topology]\n{topology}\n[switch]\naggregator = \"switchml\"\nslots = 1024\nqueue = \"ecn\"\n\
         [[job]]\nscheme = \"switchml\"\ntensors = 2\nbytes = \"50 kB\"\n{job}\n"
    )
}

const SINGLE: &str = "kind = \"single-switch\"\nhosts = 6";
const LEAVES: &str = "kind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts = 2";

#[test]
fn a_worker_sends_and_gets_each_value_once() {
    for (size, frame) in [("64", 308), ("256", 1076)] {
        let outcome = finished(&text(SINGLE, &format!("values_per_packet = \"{size}\"")));
        let packets = 2 * 12_500_u64.div_ceil(size.parse().expect("a number"));
        assert_eq!(bytes_of(&outcome, "host-2"), (packets * (frame + 24), packets * (frame + 24)));
    }
}

#[test]
fn one_switch_adds_up_for_workers_of_all_racks() {
    finished(&text(LEAVES, ""));
    finished(&text(LEAVES, "switch = \"spine-1\"\narithmetic = \"floats\""));
}

#[test]
fn sums_are_right_when_packets_are_lost_copied_and_reordered() {
    let faults = "[[fault]]\nkind = \"loss\"\nprobability = 0.1\n[[fault]]\nkind = \"duplication\"\nprobability = 0.02\n\
                  later = \"20 us\"\n[[fault]]\nkind = \"reordering\"\nprobability = 0.02\nby = \"30 us\"\n";
    let text = text(LEAVES, "").replace("50 kB", "15 kB");
    finished(&format!("{text}{faults}"));
    finished(&format!("{text}{}", faults.replace("0.1", "0.2")));
}

#[test]
fn two_jobs_have_slots_of_their_own() {
    let second = "[[job]]\nscheme = \"switchml\"\nfirst_slot = 512\nbytes = \"20 kB\"\nstart = \"3 us\"\n";
    finished(&format!("{}{second}", text(SINGLE, "")));
}

/// SwitchML has no recovery from a switch that forgets: no sum is wrong, and what waits is said.
#[test]
fn a_switch_that_loses_its_memory_ends_the_job_or_is_not_noticed() {
    for microseconds in 2..8 {
        let fault = format!(
            "[[fault]]\nkind = \"memory-loss\"\nwhere = [\"switch\"]\nfrom = \"{microseconds} us\"\n[end]\nat = \"50 ms\"\n"
        );
        let outcome = ran(&format!("{}{fault}", text(SINGLE, "")));
        let waits = outcome.unfinished_tensors.text();
        assert!(outcome.exit_status() == 0 || outcome.exit_status() == 4 && waits.contains("part"), "{waits}");
    }
}

//! Jobs of Trio-ML: a hierarchy of switches that give up on stragglers.

use super::{finished, ran};

fn text(topology: &str, job: &str) -> String {
    format!(
        "[topology]\n{topology}\n[switch]\naggregator = \"trio-ml\"\nqueue = \"ecn\"\n\
         [[job]]\nscheme = \"trio-ml\"\ngradients = 256\nwindow = 64\ntensors = 2\nbytes = \"50 kB\"\n{job}\n"
    )
}

const SINGLE: &str = "kind = \"single-switch\"\nhosts = 5";
const LEAVES: &str = "kind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts = 2";

#[test]
fn one_switch_or_a_hierarchy_adds_up() {
    finished(&text(SINGLE, ""));
    finished(&text(LEAVES, ""));
    finished(&text(LEAVES, "switch = \"leaf-1\"\narithmetic = \"floats\""));
}

#[test]
fn sums_are_right_when_packets_are_lost_copied_and_reordered() {
    let faults = "[[fault]]\nkind = \"loss\"\nprobability = 0.05\n[[fault]]\nkind = \"duplication\"\nprobability = 0.02\n\
                  later = \"20 us\"\n[[fault]]\nkind = \"reordering\"\nprobability = 0.02\nby = \"30 us\"\n";
    for topology in [SINGLE, LEAVES] {
        finished(&format!("{}{faults}", text(topology, "")));
    }
}

/// A worker that fails for good leaves sums over the others, which are told who is slow.
#[test]
fn switches_give_up_on_a_worker_that_is_gone() {
    let fault = "[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-0\"]\nfrom = \"5 us\"\n[end]\nat = \"200 ms\"\nunfinished = \"accepted\"\n";
    let outcome = ran(&format!("{}{fault}", text(SINGLE, "expiry = 10")));
    let job = &outcome.summary.jobs[0];
    assert_eq!(job.finished, 2 * 4, "the others finish");
    assert!(job.partial_values > 0, "their sums lack one worker");
}

//! Jobs of ATP with more than two levels of switches that add up (appendix A.2).

use super::{bytes_of, finished, ran_by, try_plan};

/// Fifteen workers of a fat tree of three tiers, whose server is the last host.
fn fat_tree(job: &str) -> String {
    format!(
        "[topology]\nkind = \"fat-tree\"\nk = 4\n[switch]\naggregator = \"atp\"\nqueue = \"ecn\"\n\
         [[job]]\nscheme = \"atp\"\nservers = [\"host-3-1-1\"]\ntensors = 2\nbytes = \"50 kB\"\n{job}\n"
    )
}

const FAULTS: &str = "[[fault]]\nkind = \"loss\"\nprobability = 0.05\n[[fault]]\nkind = \"duplication\"\nprobability = 0.01\n\
                      later = \"20 us\"\n[[fault]]\nkind = \"reordering\"\nprobability = 0.02\nby = \"30 us\"\n";

/// With five levels, each link carries a sum once in each direction; with two, links between the edge switches and the
/// server's carry one for each rack.
#[test]
fn with_five_levels_no_link_carries_a_sum_twice() {
    let packets = 2 * 12_500_u64.div_ceil(62);
    let busiest = |job: &str| {
        let outcome = finished(&fat_tree(job));
        outcome.links.iter().map(|link| link.bytes).max().expect("links")
    };
    let (two, five) = (busiest(""), busiest("levels = 5"));
    assert_eq!(five, packets * (322 + 24), "packets have 16 bytes for further levels");
    assert!(two > 3 * five, "{two} on a link with two levels");
    let outcome = finished(&fat_tree("levels = 5\nsingle_pass = true\narithmetic = \"floats\""));
    let packets = 2 * 12_500_u64.div_ceil(31);
    assert_eq!(bytes_of(&outcome, "host-3-1-1"), (packets * (198 + 24), packets * (198 + 24)));
}

#[test]
fn sums_are_right_with_any_number_of_levels_when_packets_are_lost_copied_and_reordered() {
    for levels in 1..=5 {
        let text = fat_tree(&format!("levels = {levels}")).replace("50 kB", "10 kB");
        finished(&format!("{text}{FAULTS}"));
    }
    let text = fat_tree("levels = 5").replace("50 kB", "5 kB").replace("tensors = 2", "tensors = 1");
    finished(&format!("{text}{}", FAULTS.replace("0.05", "0.2")));
}

#[test]
fn switches_lose_their_memory_and_workers_move() {
    let memory = "[[fault]]\nkind = \"memory-loss\"\nwhere = [\"aggregation-*\", \"core-*\"]\nfrom = \"8 us\"\n\
                  [[fault]]\nkind = \"memory-loss\"\nwhere = [\"edge-*\"]\nfrom = \"12 us\"\nuntil = \"20 us\"\n";
    finished(&format!("{}{memory}", fat_tree("levels = 4")));
    let moves = "[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-0-0-0\"]\nfrom = \"6 us\"\nuntil = \"1 ms\"\n\
                 elsewhere = \"host-3-0-1\"\n";
    let workers = "levels = 5\nworkers = [\"host-0-*\", \"host-1-0-0\", \"host-3-0-0\"]";
    finished(&format!("{}{moves}", fat_tree(workers)));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let text = fat_tree("levels = 5").replace("50 kB", "10 kB") + FAULTS;
    let rows = |threads| -> Vec<String> { ran_by(&text, threads).tables.iter().map(|table| table.to_csv()).collect() };
    assert_eq!(rows(1), rows(2));
}

/// Chips with the program for TNA at the leaves and at the spine, which is the second of three levels.
#[test]
fn chips_add_up_at_three_levels() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/p4/atp");
    let text = format!(
        "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nspines = 1\nhosts = 2\n[switch]\nprogram = \"{folder}/atp.p4\"\n\
         [[job]]\nscheme = \"atp\"\naggregators = 64\nlevels = 3\nbytes = \"10 kB\"\ntensors = 2\nservers = [\"host-2-1\"]\n"
    );
    // Few packets meet the same of 64 aggregators, and go to the server one by one.
    let received = |text: &str| bytes_of(&finished(text), "host-2-1").1;
    let (two, three) = (received(&text.replace("levels = 3", "rack_only = true")), received(&text));
    assert!(three < two * 3 / 4, "{three} bytes to the server with three levels, {two} with one");
    finished(&format!("{text}{FAULTS}"));
}

#[test]
fn plans_that_cannot_be_are_refused_at_their_places() {
    let refused = |text: &str, message: &str, line: &str| {
        let failure = try_plan(text).expect_err("it is refused");
        assert!(failure.contains(message) && failure.contains(line), "{failure}");
    };
    refused(&fat_tree("levels = 6"), "6", "levels = 6");
    refused(&fat_tree("levels = 3\nrack_only = true"), "`rack_only` is one level", "levels = 3");
    // 33 switches with a worker each come together at the spine.
    let many = "[topology]\nkind = \"leaf-spine\"\nleaves = 34\nspines = 1\nhosts = 1\n[switch]\naggregator = \"atp\"\n\
                [[job]]\nscheme = \"atp\"\nlevels = 3\nservers = [\"host-33-0\"]\n";
    refused(many, "33 switches and workers at `spine-0` are too many: a bitmap has 32 bits", "[[job]]");
}

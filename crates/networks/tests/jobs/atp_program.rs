//! Jobs of ATP whose switches run the program for TNA on chips: `programs/p4/atp`.

use super::finished;

/// A plan whose switches run the program. Requests and faults are those of plain aggregators.
fn on_chips(topology: &str, chip: &str, job: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/p4/atp");
    format!(
        "[topology]\n{topology}\n[switch]\nprogram = \"{folder}/atp.p4\"\n{chip}\n\
         [[job]]\nscheme = \"atp\"\naggregators = 64\nbytes = \"20 kB\"\ntensors = 2\n{job}\n"
    )
}

fn single(chip: &str, job: &str) -> String {
    on_chips("kind = \"single-switch\"\nhosts = 5", chip, &format!("servers = [\"host-4\"]\n{job}"))
}

fn racks(chip: &str, job: &str) -> String {
    let job = format!("servers = [\"host-2-1\"]\nworkers = [\"host-0-*\", \"host-1-*\", \"host-2-0\"]\n{job}");
    on_chips("kind = \"leaf-spine\"\nleaves = 3\nspines = 1\nhosts = 2", chip, &job)
}

const FAULTS: &str = "[[fault]]\nkind = \"loss\"\nprobability = 0.02\n[[fault]]\nkind = \"duplication\"\nprobability = 0.01\n\
                      later = \"20 us\"\n[[fault]]\nkind = \"reordering\"\nprobability = 0.02\nby = \"30 us\"\n";

/// A chip that keeps time, so that packets fall between the passes of others.
const TIMED: &str = concat!("chip = \"", env!("CARGO_MANIFEST_DIR"), "/tests/jobs/chip.toml\"");

#[test]
fn sums_are_right_on_one_and_on_several_chips() {
    finished(&single("", ""));
    finished(&racks("", ""));
    finished(&racks("", "rack_only = true\narithmetic = \"floats\""));
    finished(&single("", "single_pass = true"));
}

#[test]
fn sums_are_right_when_packets_are_lost_copied_and_reordered() {
    finished(&(single("", "") + FAULTS));
    finished(&(racks("", "") + FAULTS));
}

#[test]
fn sums_are_right_on_chips_that_keep_time() {
    finished(&single(TIMED, ""));
    finished(&(single(TIMED, "") + FAULTS));
    finished(&(racks(TIMED, "") + FAULTS));
}

#[test]
fn chips_lose_their_memory() {
    let fault = "[[fault]]\nkind = \"memory-loss\"\nwhere = [\"leaf-*\"]\nfrom = \"8 us\"\n";
    finished(&(racks("", "") + fault));
}

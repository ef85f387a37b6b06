//! The names of results.

/// What every run writes, beside [`RESULT`].
pub(super) const REGISTERS: &str = "registers.csv";
pub(super) const RESULT: &str = "result.json";
/// What a run of a program with a parser writes, beside a capture for each port that packets leave by.
pub(super) const COUNTERS: &str = "counters.csv";
pub(super) const DROPS: &str = "drops.csv";
pub(super) const DIGESTS: &str = "digests.jsonl";
/// What a run of a program that works on fields writes.
pub(super) const PACKETS: &str = "packets.csv";
pub(super) const CAPTURE: &str = "out.pcapng";
const ALL: [&str; 7] = [REGISTERS, RESULT, COUNTERS, DROPS, DIGESTS, PACKETS, CAPTURE];

/// The file of what leaves by a port.
pub(super) fn capture_name(port: u16) -> String {
    format!("port-{port}.pcapng")
}

fn is_capture(name: &str) -> bool {
    let port = name.strip_prefix("port-").and_then(|rest| rest.strip_suffix(".pcapng"));
    port.is_some_and(|port| port.parse::<u16>().is_ok_and(|number| number.to_string() == port))
}

/// Whether a run may write or remove a file of this name. By which ports packets leave shows only while it runs.
pub(super) fn is_result(name: &str) -> bool {
    ALL.contains(&name) || is_capture(name)
}

//! The names of result files.

/// A file that every run writes, as is [`RESULT`].
pub(super) const REGISTERS: &str = "registers.csv";
pub(super) const RESULT: &str = "result.json";
/// A file that a run of a program with a parser writes, as are the two that follow and a capture for each egress port.
pub(super) const COUNTERS: &str = "counters.csv";
pub(super) const DROPS: &str = "drops.csv";
pub(super) const DIGESTS: &str = "digests.jsonl";
/// What each part of the machine has done, if it counts that.
pub(super) const PARTS: &str = "parts.csv";
/// The words of shared memory of a program of threads, and its records.
pub(super) const MEMORY: &str = "memory.csv";
pub(super) const RECORDS: &str = "records.csv";
/// What happened in the first cycles, for Perfetto, if the machine records it so.
pub(super) const TRACE_EVENTS: &str = "trace.json";
/// A file that a run of a program that works on fields writes, as is [`CAPTURE`].
pub(super) const PACKETS: &str = "packets.csv";
pub(super) const CAPTURE: &str = "out.pcapng";
const ALL: [&str; 11] =
    [REGISTERS, RESULT, COUNTERS, DROPS, DIGESTS, PARTS, MEMORY, RECORDS, TRACE_EVENTS, PACKETS, CAPTURE];

/// Returns the name of the capture of packets that leave by a port.
pub(super) fn capture_name(port: u16) -> String {
    format!("port-{port}.pcapng")
}

fn is_capture(name: &str) -> bool {
    let port = name.strip_prefix("port-").and_then(|rest| rest.strip_suffix(".pcapng"));
    port.is_some_and(|port| port.parse::<u16>().is_ok_and(|number| number.to_string() == port))
}

/// Returns true if a run may write or remove a file of this name. The captures of all ports are included, because the
/// egress ports are not known before the run.
pub(super) fn is_result(name: &str) -> bool {
    ALL.contains(&name) || is_capture(name)
}

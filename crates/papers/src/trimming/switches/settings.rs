//! What the axes of the method make of a switch: fields of the ideal one, and commands for the chip that runs programs/p4/ndp.
//!
//! All ways to trim on the chip are settings of one program and one chip. They are commands that follow those of
//! `tofino/entries.txt`, but for latencies, which are in the file of the chip.

use experiments::plan::Axis;
use networks::method::{Changes, Embedded};
use plans::{Record, Value};

/// The ways to trim, each with the plan of the network that has it.
pub(super) const SWITCHES: &[(&str, &str)] = &[
    (IDEAL, "ideal.toml"),
    ("tofino", "tofino.toml"),
    (DEFLECTION_ONLY, "tofino.toml"),
    (MIRROR_ON_DROP, "tofino.toml"),
    (QUARTER_ONLY, "tofino.toml"),
    (TRIM_EVERYTHING, "tofino.toml"),
    (NOTIFY_ONE_PIPE, "tofino.toml"),
    (TRIM_N, "tofino.toml"),
    (HARD_STATE, "tofino.toml"),
];

/// Queues that trim what finds no room.
const IDEAL: &str = "ideal";
/// Without notifications.
const DEFLECTION_ONLY: &str = "deflection-only";
/// Without meters and notifications; what is deflected is cut before it waits.
const MIRROR_ON_DROP: &str = "mirror-on-drop";
/// Without the half-pessimistic mode.
const QUARTER_ONLY: &str = "quarter-only";
/// A pessimistic port trims everything, and is optimistic again behind that.
const TRIM_EVERYTHING: &str = "trim-everything";
/// Only the pipe of which a packet was deflected is notified.
const NOTIFY_ONE_PIPE: &str = "notify-one-pipe";
/// Each notification has a number of packets trimmed in the pipe of which the packet was deflected.
const TRIM_N: &str = "trim-n";
/// A port is pessimistic until the deflection queue that notified it last is empty, and half-pessimistic for a time behind that.
const HARD_STATE: &str = "hard-state";

/// Returns, of the axis of that name: all trimmed packets go back to their senders.
const ALL: &str = "all";

/// The numbers of hosts behind the chip's ports, which are all of `tofino/chip.toml`; the last ones receive.
const HOSTS: u64 = 80;
const RECEIVERS: u64 = 16;
const PIPES: u64 = 4;

/// The cells that a full packet takes.
const CELLS: u64 = 19;
/// The length of a full packet in bytes.
const PACKET: u64 = 1500;
/// 100 Gb/s in bytes a microsecond.
const LINE_RATE: u64 = 12_500;

/// The file of the chip, and its line with the way back from a recirculation port.
const CHIP: &str = "tofino/chip.toml";
const RECIRCULATION: &str = "recirculation = \"100 ns\"";

pub(in super::super) fn axes() -> Vec<Axis> {
    vec![
        // The packets for which a port has room; with returns of the ideal switch, those from which on packets are trimmed.
        Axis::integers("data_queue", 1..=10_000).usually(USUAL.data_queue),
        // Which trimmed packets go back to their senders: those that find no room (NDP), or all (SFC).
        Axis::words("returns", ["without-room", ALL]).usually("without-room"),
        // How headers and data share a port: 10 to 1 by bytes, 10 headers to a packet, or headers first.
        Axis::words("service", ["bytes", "packets", "strict"]).usually(USUAL.service),
        // How long a port is pessimistic; 0 for no response.
        Axis::integers("t0_ns", 0..=1_000_000).usually(USUAL.t0),
        // How long it is half-pessimistic then: for a time, or three times as long as it was pessimistic.
        Axis::words("half", ["6us", "18us", "24us", "thrice"]).usually(USUAL.half),
        // The packets that a notification has trimmed.
        Axis::integers("n", 1..=1000).usually(12u64),
        // The bursts of the meters in packets.
        Axis::integers("burst", 1..=1000).usually(USUAL.burst),
        // The time from a deflection to the notification, if nothing else waits.
        Axis::integers("notification_ns", 300..=100_000).usually(USUAL.notification),
        // Whether other parts of the chip take time, too.
        Axis::words("latencies", ["none", "tofino"]).usually("none"),
    ]
}

/// The values of axes that `ideal.toml`, `tofino.toml` and the files of the chip have.
const USUAL: Usual = Usual { data_queue: 12, service: "bytes", t0: 6000, half: "18us", burst: 10, notification: 500 };

struct Usual {
    data_queue: u64,
    service: &'static str,
    t0: u64,
    half: &'static str,
    burst: u64,
    notification: u64,
}

/// What a point changes in the plan of its switch.
pub(in super::super) fn changes(point: &Record, programs: &[Embedded]) -> Changes {
    if point.word("switch") == Some(IDEAL) {
        return Changes { fields: ideal(point), files: Vec::new() };
    }
    let mut changes = Changes::default();
    let commands = commands(point);
    if !commands.is_empty() {
        changes.fields.push(("switch.commands", Value::from(commands)));
    }
    if let Some((path, text)) = chip(point, programs) {
        changes.fields.push(("switch.chip", Value::from(path.as_str())));
        changes.files.push((path, text));
    }
    changes
}

/// The fields of the queues that trim by themselves.
fn ideal(point: &Record) -> Vec<(&'static str, Value)> {
    let packets = |number: u64| Value::from(format!("{number} packets"));
    let limit = point.integer("data_queue").map(|number| ("switch.limit", packets(number)));
    let service = point.word("service").map(|service| ("switch.service", Value::from(service)));
    let mut fields: Vec<(&'static str, Value)> = limit.into_iter().chain(service).collect();
    if returns_all(point) {
        let watermark = packets(number(point, "data_queue", USUAL.data_queue));
        fields.extend([("switch.returns", Value::from("above")), ("switch.watermark", watermark)]);
    }
    fields
}

fn returns_all(point: &Record) -> bool {
    point.word("returns") == Some(ALL)
}

/// A number of a point, or its usual value.
fn number(point: &Record, axis: &str, usual: u64) -> u64 {
    point.integer(axis).unwrap_or(usual)
}

/// The file of a chip with other latencies, with its path; `None` if they are those of [`CHIP`].
fn chip(point: &Record, programs: &[Embedded]) -> Option<(String, String)> {
    let notification = number(point, "notification_ns", USUAL.notification);
    // A notification recirculates twice, and waits for the packet that was deflected and for others, some 150 ns each time.
    // A mirror on drop is another switch, whose recirculation takes 1 us.
    let is_mirror = point.word("switch") == Some(MIRROR_ON_DROP);
    let recirculation = if is_mirror { 1000 } else { (notification / 2).saturating_sub(150) };
    let has_own = point.word("latencies") == Some("tofino");
    if !is_mirror && notification == USUAL.notification && !has_own {
        return None;
    }
    let (_, text) = programs.iter().find(|(path, _)| *path == CHIP)?;
    let mut text = (*text).to_owned();
    let mut path = format!("tofino/chip-recirculation-{recirculation}");
    text = text.replace(RECIRCULATION, &format!("recirculation = \"{recirculation} ns\""));
    if has_own {
        text = text.lines().filter(|line| !line.ends_with("= \"0 ns\"")).map(|line| format!("{line}\n")).collect();
        path.push_str("-latencies");
    }
    Some((path + ".toml", text))
}

/// The commands for a point on the chip, a line each.
fn commands(point: &Record) -> String {
    let switch = point.word("switch").unwrap_or_default();
    let mut lines = Vec::new();
    let burst = number(point, "burst", USUAL.burst);
    if burst != USUAL.burst {
        lines.extend(["optimistic", "half_pessimistic", "pessimistic"].iter().zip([1, 2, 4]).map(|(meter, share)| {
            let rate = format!("{}:{}", LINE_RATE / share, burst * PACKET);
            format!("meter_array_set_rates {meter} {rate} {rate}")
        }));
    }
    let queue = number(point, "data_queue", USUAL.data_queue);
    let service = point.word("service").unwrap_or(USUAL.service);
    if queue != USUAL.data_queue || service != USUAL.service {
        lines.push(queues(queue, service));
    }
    if returns_all(point) {
        lines.extend(returns());
    }
    match switch {
        DEFLECTION_ONLY => lines.extend(groups(point, &[])),
        MIRROR_ON_DROP => {
            lines.extend(groups(point, &[]));
            // So much that no packet is ever red.
            let rate = format!("{}:{}", 100 * LINE_RATE, 10_000 * PACKET);
            lines.push(format!("meter_array_set_rates optimistic {rate} {rate}"));
            let ports: Vec<String> =
                (0..PIPES).map(|pipe| format!("{{ port = {}, length = 69 }}", recirculation(pipe))).collect();
            lines.push(format!("configure deflection = [{}]", ports.join(", ")));
        }
        NOTIFY_ONE_PIPE | TRIM_N => lines.extend(notifications_of_one_pipe(point)),
        _ if returns_all(point) => lines.extend(groups(point, &(0..PIPES).map(recirculation).collect::<Vec<_>>())),
        _ => {}
    }
    if switch == HARD_STATE {
        lines.push("table_set_default ending hard".to_owned());
    }
    lines.extend(response(point, switch));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The command that says how ports respond to a notification; `None` for the response of the program.
fn response(point: &Record, switch: &str) -> Option<String> {
    let pessimistic = number(point, "t0_ns", USUAL.t0);
    let word = point.word("half").unwrap_or(USUAL.half);
    let half = match word.strip_suffix("us").and_then(|number| number.parse::<u64>().ok()) {
        _ if pessimistic == 0 => 0,
        Some(microseconds) => pessimistic + 1000 * microseconds,
        None => 4 * pessimistic,
    };
    let [t0, t1, trims, everything] = match switch {
        QUARTER_ONLY => [pessimistic, pessimistic, 0, 0],
        TRIM_EVERYTHING => [pessimistic, pessimistic, 0, 1],
        TRIM_N => [0, 0, number(point, "n", 12), 0],
        _ if pessimistic == USUAL.t0 && word == USUAL.half => return None,
        _ => [pessimistic, half, 0, 0],
    };
    Some(format!("table_set_default response respond {t0} {t1} {trims} {everything}"))
}

/// The command that sets the queues of ports outside: packets of data, and how headers and data share the port.
fn queues(packets: u64, service: &str) -> String {
    let (data, headers) = match service {
        "strict" => ("priority = 6", "weight = 1"),
        // Ten headers of 69 bytes to a packet of 1505.
        "packets" => ("weight = 218", "weight = 100"),
        _ => ("weight = 1", "weight = 10"),
    };
    let limit = CELLS * packets;
    format!(
        "configure queue = {{ queues = 3, class = [{{ queues = [0], {data}, limit = {limit} }}, {{ queues = [1], priority = 0 }}, \
         {{ queues = [2], {headers} }}] }}"
    )
}

/// The commands that have the trimmed packets of each host go back to it.
fn returns() -> impl Iterator<Item = String> {
    (0..HOSTS).map(|host| {
        let (address, port, session) = (host + 1, port(host), host + 1);
        format!("table_add returns return_to 10.0.0.{address}/32 => {host} {port} {session}")
    })
}

/// The commands that have an UPDATE become NOTIFY for these ports, which recirculate, and for its own.
fn groups(point: &Record, notified: &[u64]) -> Vec<String> {
    (0..HOSTS).map(|host| group(host + 1, &members(point, host, notified))).collect()
}

/// The ports of the group of a host: its own, unless trimmed packets return, and those that are notified.
fn members(point: &Record, host: u64, notified: &[u64]) -> Vec<u64> {
    let own = (!returns_all(point)).then(|| port(host));
    own.into_iter().chain(notified.iter().copied()).collect()
}

/// The commands by which an UPDATE becomes NOTIFY only for its own pipe, for the ports of receivers.
fn notifications_of_one_pipe(point: &Record) -> Vec<String> {
    let places = (0..PIPES).flat_map(|pipe| (HOSTS - RECEIVERS..HOSTS).map(move |host| (pipe, host)));
    let commands = places.zip(HOSTS + 1..).flat_map(|((pipe, host), number)| {
        let add = format!("pipe {pipe} table_add groups notify {} => {number}", port(host));
        [group(number, &members(point, host, &[recirculation(pipe)])), add]
    });
    std::iter::once("table_clear groups".to_owned()).chain(commands).collect()
}

/// The command that makes a multicast group of ports, in the place of the one that there is.
fn group(number: u64, ports: &[u64]) -> String {
    let node = if ports.is_empty() { String::new() } else { format!("{{ ports = {ports:?} }}") };
    format!("configure multicast = [{{ group = {number}, node = [{node}] }}]")
}

/// The device port of a host: 16 in each pipe, and those of receivers between those of the last one and behind.
fn port(host: u64) -> u64 {
    if host < 48 { 128 * (host / 16) + 4 * (host % 16) } else { 384 + 2 * (host - 48) }
}

/// The device port that recirculates in a pipe.
fn recirculation(pipe: u64) -> u64 {
    128 * pipe + 68
}

#[cfg(test)]
mod tests {
    use super::super::super::shipped;
    use super::*;

    fn point(switch: &str) -> Record {
        Record::new().with("switch", switch)
    }

    #[test]
    fn the_tofino_without_axes_is_what_its_plan_says() {
        let Changes { fields, files } = changes(&point("tofino"), shipped::CHIP);
        assert!(fields.is_empty() && files.is_empty(), "{fields:?}");
    }

    #[test]
    fn latencies_are_in_a_file_of_their_own() {
        let files = |point: &Record| changes(point, shipped::CHIP).files;
        let [(path, text)] = &files(&point("mirror-on-drop"))[..] else { panic!("one file") };
        assert_eq!(path, "tofino/chip-recirculation-1000.toml");
        assert!(text.contains("\nrecirculation = \"1000 ns\"\n") && text.contains("ingress = \"0 ns\""), "{text}");
        let slow = point("tofino").with("notification_ns", 1000u64).with("latencies", "tofino");
        let [(path, text)] = &files(&slow)[..] else { panic!("one file") };
        assert_eq!(path, "tofino/chip-recirculation-350-latencies.toml");
        assert!(text.contains("\nrecirculation = \"350 ns\"\n") && !text.contains("\"0 ns\""), "{text}");
    }

    #[test]
    fn a_response_ends_with_its_modes() {
        let of = |switch, t0: u64, half| {
            let point = point(switch).with("t0_ns", t0).with("half", half);
            response(&point, switch).unwrap_or_default().replace("table_set_default response respond ", "")
        };
        assert_eq!(of("tofino", 3000, "18us"), "3000 21000 0 0");
        assert_eq!(of("tofino", 3000, "thrice"), "3000 12000 0 0");
        assert_eq!(of("tofino", 6000, "6us"), "6000 12000 0 0");
        assert_eq!(of("tofino", 0, "18us"), "0 0 0 0");
        assert_eq!(of("quarter-only", 3000, "18us"), "3000 3000 0 0");
        assert_eq!(of("trim-everything", 3000, "18us"), "3000 3000 0 1");
        assert_eq!(of("trim-n", 3000, "18us"), "0 0 12 0");
        assert_eq!(response(&point("tofino"), "tofino"), None);
    }

    #[test]
    fn the_end_of_hard_state_is_not_a_time() {
        assert_eq!(commands(&point("hard-state")), "table_set_default ending hard\n");
    }

    #[test]
    fn returned_packets_do_not_go_to_the_port_of_the_packet() {
        let all = |switch| point(switch).with("returns", "all");
        for (switch, group) in [
            ("tofino", "{ group = 65, node = [{ ports = [68, 196, 324, 452] }] }"),
            ("hard-state", "{ group = 65, node = [{ ports = [68, 196, 324, 452] }] }"),
            ("mirror-on-drop", "{ group = 65, node = [] }"),
        ] {
            let commands = commands(&all(switch));
            assert!(commands.contains(group), "{switch}: {commands}");
            assert!(
                commands.contains("table_add returns return_to 10.0.0.18/32 => 17 132 18\n"),
                "{switch}: {commands}"
            );
        }
        let fields = changes(&all("ideal").with("data_queue", 4u64), shipped::CHIP).fields;
        let expected = [("switch.limit", "4 packets"), ("switch.returns", "above"), ("switch.watermark", "4 packets")];
        assert_eq!(fields, expected.map(|(name, text)| (name, Value::from(text))));
    }
}

//! Files of chips that are nearly right: each is refused with a place, or sets a chip whose own text sets the same.

use basis::Random;
use diagnostics::Failure;
use machines::tofino::ChipSettings;

/// Files that together name every entry.
const FILES: [&str; 3] = [
    r#"pipes = 2
cpu_port = 192
clock = "1 GHz"
ingress_buffer = 9
[latency]
ingress = "200 ns"
[ghost]
stage = 3
latency = "5 ns"
[[port]]
ports = [0, 4, 128]
rate = "10 Gb/s"
up = false
metadata = "0x0a1b"
[port.queue]
queues = 2
rate = "1 Gb/s"
[[port.queue.class]]
queues = [1]
weight = 3
priority = 1
limit = 20
[queue]
queues = 5
quantum = "300 B"
rate = "90 Gb/s"
burst = "3 kB"
[[queue.class]]
queues = [1, 3]
dscps = [46, 3]
priority = 6
remaining_priority = 2
minimum_rate = "1 Gb/s"
maximum_rate = "3 Gb/s"
maximum_burst = "9 kB"
reserved = 5
alpha = 0.25
yellow = 0.5
red = 0.1
[[queue.class]]
weight = 2
[memory]
cell = "80 B"
[[memory.pool]]
size = "1 MB"
"#,
    r#"global_rid = 9
[memory]
total = "1 MB"
alpha = 0.5
[[deflection]]
port = 8
queue = 1
length = 64
[[multicast]]
group = 3
[[multicast.node]]
rid = 1
ports = [0, 4]
lags = [7]
exclusion = 5
[[multicast.ecmp]]
exclusion = 2
[[multicast.ecmp.node]]
ports = [8]
[[lag]]
number = 7
ports = [12, 16]
[[exclusion]]
number = 3
ports = [4]
"#,
    r#"[[mirror]]
session = 5
direction = "ingress"
port = 4
queue = 1
length = 60
color = "red"
copy_to_cpu = true
icos_for_copy_to_cpu = 2
mcast_grp_a = 3
rid = 1
ingress_cos = 1
deflect_on_drop = true
[[generator]]
application = 1
pipes = [0]
trigger = "recirculation"
pattern = "0x01020304"
mask = "0xffff0000"
packet = "0x0a"
length = 64
triggers = 3
batches = 2
packets = 2
batch_gap = "5 us"
packet_gap = "1 us"
port = 60
increment_port = true
[[generator]]
application = 2
trigger = "periodic"
timer = "1 ms"
packet = "0x00"
[[generator]]
application = 3
trigger = "port_down"
ports = [1, 2]
packet = "0x00"
"#,
];

/// What stands in place of a value.
const VALUES: [&str; 14] = [
    "0",
    "1",
    "-1",
    "72",
    "65536",
    "4294967296",
    "9223372036854775807",
    "1.5",
    "true",
    "\"\"",
    "\"0x\"",
    "\"1 ns\"",
    "[]",
    "[9, 9]",
];

#[test]
fn every_file_is_refused_at_a_place_or_its_text_sets_the_same() {
    let mut random = Random::new(1);
    let mut taken = 0;
    for round in 0..4000 {
        let file = FILES[round % FILES.len()];
        let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
        for _ in 0..random.below(4) {
            let [place, other] = [(); 2].map(|()| random.below(lines.len() as u64) as usize);
            match random.below(5) {
                0 => _ = lines.remove(place),
                1 => lines.insert(place, lines[place].clone()),
                2 => lines.swap(place, other),
                3 => {
                    let value = VALUES[random.below(VALUES.len() as u64) as usize];
                    let name = lines[place].split('=').next().unwrap_or_default().trim().to_owned();
                    lines[place] = format!("{name} = {value}");
                }
                _ => {
                    let mut cut = random.below(lines[place].len() as u64 + 1) as usize;
                    while !lines[place].is_char_boundary(cut) {
                        cut -= 1;
                    }
                    lines[place].truncate(cut);
                }
            }
            if lines.is_empty() {
                break;
            }
        }
        let text = lines.join("\n");
        match ChipSettings::parse("chip.toml", &text) {
            Ok(settings) => {
                taken += 1;
                is_written(&settings, &text);
            }
            Err(Failure::BadInput { sources, diagnostics }) => {
                assert!(diagnostics.has_errors(), "refused without a reason\n{text}");
                for span in diagnostics.iter().filter_map(|finding| finding.span) {
                    let place = span.start as usize..span.end as usize;
                    assert!(sources.text(span.source).get(place).is_some(), "{span:?}\n{text}");
                }
            }
            Err(other) => panic!("{other}\n{text}"),
        }
    }
    assert!((500..3800).contains(&taken), "{taken} of 4000 were taken");
}

/// Checks that the text of settings sets the same.
fn is_written(settings: &ChipSettings, from: &str) {
    let text = settings.to_text();
    let again = ChipSettings::parse("again.toml", &text).unwrap_or_else(|failure| panic!("{failure}\n{text}\n{from}"));
    assert_eq!(again, *settings, "{text}\n{from}");
}

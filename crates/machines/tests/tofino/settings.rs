//! The file that says what a chip is, and what is said about mistakes in it.

use basis::{Duration, Rate};
use machines::tofino::settings::TimedSettings;
use machines::tofino::{ChipSettings, PortSettings};
use queues::CellPlan;

fn chip(text: &str) -> ChipSettings {
    ChipSettings::parse("chip.toml", text).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Returns what is said about a text that is wrong.
fn refused(text: &str) -> String {
    match ChipSettings::parse("chip.toml", text) {
        Ok(chip) => panic!("{chip:?}"),
        Err(failure) => failure.to_string(),
    }
}

fn numbers(chip: &ChipSettings) -> Vec<u16> {
    chip.ports.iter().map(|port| port.number).collect()
}

#[test]
fn an_empty_file_is_a_chip_of_one_pipe_with_16_ports() {
    let chip = chip("");
    assert_eq!((chip.pipes, chip.cpu_port), (1, 64));
    let outside = (0..64).step_by(4);
    assert_eq!(numbers(&chip), outside.chain([64]).chain(68..72).collect::<Vec<u16>>());
    assert!(chip.ports.iter().all(|port| *port == PortSettings::of(port.number)));
    assert_eq!(chip.ports[0].rate, Rate::from_gigabits_per_second(100));
}

#[test]
fn each_pipe_has_ports() {
    let chip = chip("pipes = 4\ncpu_port = 192\n");
    assert_eq!(chip.ports.len(), 4 * 20 + 1);
    assert!(numbers(&chip).contains(&(3 * 128 + 60)) && numbers(&chip).contains(&192));
    assert!(!numbers(&chip).contains(&64));
}

#[test]
fn sections_say_which_ports_there_are() {
    let chip = chip(
        "pipes = 2\n[[port]]\nports = [1, 130]\nrate = \"25 Gb/s\"\n[[port]]\nports = 2\nup = false\n\
         [[port]]\nports = [68]\nrate = \"50 Gb/s\"\n",
    );
    assert_eq!(numbers(&chip), [1, 2, 64, 68, 69, 70, 71, 130, 196, 197, 198, 199]);
    let port = |number: u16| chip.ports.iter().find(|port| port.number == number).unwrap();
    let gigabits = |number: u16| port(number).rate.bits_per_second() / 1_000_000_000;
    assert_eq!([1, 2, 68, 69, 130].map(gigabits), [25, 100, 50, 100, 25]);
    assert_eq!([1, 2, 68].map(|number| port(number).is_up), [true, false, true]);
}

#[test]
fn every_mistake_is_reported_at_its_line() {
    let text = "pipes = 3\ncpu_port = 7\ncores = 2\n[[port]]\nports = [1, 72, 1]\nrate = \"fast\"\n[[port]]\nup = 1\n";
    let refused = refused(text);
    let expected = [
        ("chip.toml:1:9", "a chip cannot have 3 pipes"),
        ("chip.toml:2:12", "the chip has no port 7"),
        ("chip.toml:3:1", "unknown entry `cores` in the chip"),
        ("chip.toml:5:13", "there is no device port 72: that is port 72 of pipe 0"),
        ("chip.toml:5:17", "port 1 is named twice"),
        ("chip.toml:6:8", "`rate` must be a rate"),
        ("chip.toml:7:", "[[port]] has no `ports`"),
        ("chip.toml:8:6", "`up` must be true or false"),
    ];
    for (place, message) in expected {
        assert!(refused.contains(place) && refused.contains(message), "{place} {message}\n{refused}");
    }
}

#[test]
fn queues_memory_clock_and_latencies_are_set() {
    let text = r#"
clock = "1 GHz"
ingress_buffer = 10
[latency]
ingress = "200 ns"
egress_deparser = "0 ns"
[queue]
queues = 8
[[queue.class]]
queues = [7]
priority = 3
[[port]]
ports = [0, 1]
[port.queue]
queues = 2
rate = "1 Gb/s"
[[port]]
ports = [2]
[memory]
cell = "100 B"
[[memory.pool]]
size = "1 MB"
"#;
    let timed = chip(text).timed.unwrap();
    let latency = timed.latency;
    assert_eq!((latency.clock, latency.ingress_buffer), (1_000_000_000, 10));
    assert_eq!(
        (latency.ingress, latency.of_egress()),
        (Duration::from_nanoseconds(200), Duration::from_nanoseconds(171))
    );
    let queues = timed.queues;
    assert_eq!((queues.of_port(2).queues.len(), queues.of_port(2).queues[7].priority), (8, 3));
    assert_eq!(
        (queues.of_port(1).queues.len(), queues.of_port(1).shaper.map(|shaper| shaper.rate)),
        (2, Some(Rate::from_gigabits_per_second(1)))
    );
    assert_eq!(queues.memory.cells, Some(CellPlan { size: 100, pools: vec![10_000] }));
    assert_eq!(chip("").timed.unwrap(), TimedSettings::default());
}

#[test]
fn queues_that_do_not_fit_into_the_memory_are_reported() {
    let text =
        "[queue]\nqueues = 2\n[[queue.class]]\npool = 1\n[memory]\ncell = \"80 B\"\n[[memory.pool]]\nsize = \"1 MB\"\n";
    assert!(refused(text).contains("queue 0 uses pool 1, but there are only 1 pools"), "{}", refused(text));
}

#[test]
fn a_cycle_lasts_a_picosecond_at_least() {
    assert_eq!(chip("clock = \"1000 GHz\"").timed.unwrap().latency.clock, 1_000_000_000_000);
    let wrong = refused("clock = \"1001 GHz\"");
    assert!(wrong.contains("chip.toml:1:9") && wrong.contains("`clock` cannot be 1001 GHz"), "{wrong}");
}

#[test]
fn what_is_no_toml_is_said() {
    assert!(refused("pipes =\n").contains("chip.toml:1:8"), "{}", refused("pipes =\n"));
}

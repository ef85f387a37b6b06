//! Networks whose switch is a chip that keeps time.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use networks::plan::{NetworkPlan, read};
use networks::{Next, Outcome, Running, run};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/network")
}

/// A network of four hosts, of which one sends to another, with a program for TNA in the switch and these lines for it.
fn text(switch: &str) -> String {
    format!(
        "[topology]\nkind = \"single-switch\"\nhosts = 4\n[link]\nrate = \"10 Gb/s\"\n[transport]\nkind = \"ndp\"\n\
         [switch]\nprogram = \"counting_tna.p4\"\nqueue = \"drop-tail\"\n{switch}\n\
         [[workload]]\nshort = \"incast:1x1kB\"\n"
    )
}

fn plan(switch: &str) -> Result<NetworkPlan, String> {
    read("test", "test.toml", &text(switch), &folder(), None).map_err(|failure| failure.render(false))
}

fn ran(switch: &str) -> Outcome {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("chip");
    let running = Running::through(&folder, NonZeroUsize::MIN);
    let ran = run(plan(switch).unwrap_or_else(|why| panic!("{why}")), &running, &mut |_| Next::GoOn);
    let outcome = ran.unwrap_or_else(|failure| panic!("{}", failure.render(false))).outcome().expect("the end");
    assert_eq!(outcome.defect, None, "packets are conserved");
    outcome
}

/// The time after which the only flow was delivered, in picoseconds.
fn delivered(outcome: &Outcome) -> u64 {
    let [flow] = &outcome.flows[..] else { panic!("{} flows", outcome.flows.len()) };
    flow.delivered.expect("it arrives").since(flow.started).picoseconds()
}

#[test]
fn the_machine_follows_from_the_program_and_packets_take_the_latencies_of_the_chip() {
    let without = delivered(&ran("entries = [\"routes.txt\"]"));
    let with = delivered(&ran("entries = [\"chip_routes.txt\"]\nchip = \"chip.toml\""));
    // The only packet waits for its cycle in both gresses, at most 820 ps each.
    let latencies = 1000 * (40 + 131 + 40 + 100 + 40 + 131 + 40);
    assert!((latencies..latencies + 2 * 820).contains(&(with - without)), "{without} {with}");
}

/// Of four pipes with 64 ports each, a network uses four ports. The others cost nothing.
#[test]
fn ports_without_cables_cost_no_events() {
    let events = |chip: &str| ran(&format!("entries = [\"routes.txt\"]\nchip = \"{chip}\"")).summary.events;
    assert_eq!(events("four_pipes.toml"), events("four_ports.toml"));
}

/// Entries are made before links are put behind the ports, whose queues are made anew then. Changes of queues were lost once.
#[test]
fn commands_change_the_queues_of_ports() {
    let full = |commands: &str| {
        let end = "[end]\nat = \"100 us\"\nunfinished = \"accepted\"";
        let outcome = ran(&format!("entries = [\"chip_routes.txt\"]\nchip = \"chip.toml\"\n{commands}\n{end}"));
        outcome.summary.drops.get("queue full").copied().unwrap_or_default()
    };
    assert_eq!(full(""), 0);
    // A packet of 1 kB takes more than ten cells of 80 bytes.
    let usual = "configure queue = { queues = 4, class = [{ queues = [0, 1, 2, 3], limit = 10 }] }";
    assert!(full(&format!("commands = \"{usual}\"")) > 0);
    let own = "configure port = [{ ports = [0, 4, 128, 132], queue = { queues = 4, class = [{ queues = [0, 1, 2, 3], limit = 10 }] } }]";
    assert!(full(&format!("commands = \"{own}\"")) > 0);
}

#[test]
fn commands_in_the_plan_follow_the_files() {
    let all = fs::read_to_string(folder().join("chip_routes.txt")).expect("a file").trim().replace('\n', "\\n");
    let time = |switch: &str| delivered(&ran(&format!("chip = \"chip.toml\"\n{switch}")));
    let of_file = time("entries = [\"chip_routes.txt\"]");
    assert_eq!(time(&format!("commands = \"{all}\"")), of_file);
    // What is printed of a plan with several lines in a text can be read again.
    let printed = plan(&format!("commands = \"{all}\"")).expect("a plan").text;
    assert!(printed.contains(&format!("commands = \"{all}\"")), "{printed}");
    let down = "configure port = [{ ports = [0, 4, 128, 132], up = false }]";
    let down = ran(&format!("chip = \"chip.toml\"\nentries = [\"chip_routes.txt\"]\ncommands = \"{down}\""));
    assert_eq!(down.flows[0].delivered, None, "the command comes behind the file");
    let refused = run_refused("commands = \"\\ntable_fill routes\"");
    assert!(refused.contains("`commands` in test:1:1"), "{refused}");
    let without = read("test", "test.toml", &text("").replace("program", "commands"), &folder(), None);
    let why = without.map_err(|failure| failure.render(false)).expect_err("no program");
    assert!(why.contains("`commands` without a program"), "{why}");
}

#[test]
fn more_cables_than_ports_are_refused() {
    let refused = run_refused("entries = [\"routes.txt\"]\nchip = \"three_ports.toml\"");
    assert!(refused.contains("4 cables are connected to a chip with 3 ports outside"), "{refused}");
}

fn run_refused(switch: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("chip");
    let running = Running::through(&folder, NonZeroUsize::MIN);
    match plan(switch)
        .and_then(|plan| run(plan, &running, &mut |_| Next::GoOn).map_err(|failure| failure.render(false)))
    {
        Ok(_) => panic!("it runs"),
        Err(why) => why,
    }
}

#[test]
fn options_that_the_machine_of_the_program_lacks_are_refused_where_they_are_set() {
    let refused = run_refused("entries = [\"routes.txt\"]\n[switch.options]\nport-rate = \"10 Gb/s\"");
    assert!(refused.contains("is an option of v1model and native, and not of tofino"), "{refused}");
    assert!(refused.contains("test.toml:12:"), "{refused}");
    let twice = plan("chip = \"chip.toml\"\n[switch.options]\nchip = \"chip.toml\"").expect_err("twice");
    assert!(twice.contains("`chip` is set here and under [switch.options]"), "{twice}");
    let absent = plan("chip = \"absent.toml\"").expect_err("there is no such file");
    assert!(absent.contains("test.toml:11:8") && absent.contains("there is no such file"), "{absent}");
}

#[test]
fn mistakes_in_the_file_of_a_chip_are_reported_in_it() {
    let refused = run_refused("entries = [\"routes.txt\"]\nchip = \"wrong_chip.toml\"");
    assert!(refused.contains("wrong_chip.toml:1:9") && refused.contains("a chip cannot have 3 pipes"), "{refused}");
}

/// The generators of two pipes make 3 times 4 packets each, which the program drops.
#[test]
fn generated_packets_are_counted_and_conserved() {
    let usual = ran("entries = [\"routes.txt\"]\nchip = \"chip.toml\"").summary.packets;
    let with = ran("entries = [\"routes.txt\"]\nchip = \"generator_chip.toml\"").summary.packets;
    assert_eq!((with.generated - usual.generated, with.dropped - usual.dropped), (24, 24));
}

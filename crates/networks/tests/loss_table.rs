//! The goodput of each transport by loss rate and by the buffer of the switch, compared with a golden text that
//! docs/simulator/faults.md explains. `UPDATE_EXPECT=1` rewrites the golden text; review the difference before keeping
//! it.

#[path = "../../basis/tests/common/on_all_cores.rs"]
mod on_all_cores;

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use networks::plan::read;
use networks::{Next, Running, run};
use on_all_cores::on_all_cores;

/// A transport: what it is called here, what plans say of it, and the queue of its switches where a buffer holds so
/// many packets.
type Carrier = (&'static str, &'static str, fn(u64) -> String);

const CARRIERS: [Carrier; 7] = [
    ("ndp", "kind = \"ndp\"\npacket = \"1500 B\"", trimming),
    ("eqds", "kind = \"eqds\"\npacket = \"1500 B\"", trimming),
    ("newreno", "kind = \"newreno\"\npacket = \"1500 B\"", drop_tail),
    ("cubic", "kind = \"cubic\"\npacket = \"1500 B\"", drop_tail),
    ("dctcp", "kind = \"dctcp\"\npacket = \"1500 B\"", ecn),
    ("rocev2 go-back-n", "kind = \"rocev2\"\nrecovery = \"go-back-n\"\npayload = \"1440 B\"\ndcqcn = true", ecn),
    ("rocev2 selective", "kind = \"rocev2\"\nrecovery = \"selective-repeat\"\npayload = \"1440 B\"\ndcqcn = true", ecn),
];

const LOSSES_IN_PERCENT: [f64; 5] = [0.0, 0.01, 0.1, 1.0, 5.0];
const BUFFERS: [u64; 3] = [8, 32, 128];
const SEEDS: u64 = 5;

fn trimming(limit: u64) -> String {
    format!("queue = \"trimming\"\nlimit = \"{limit} packets\"")
}

/// Marks from a half of the buffer on.
fn ecn(limit: u64) -> String {
    format!("queue = \"ecn\"\nlimit = \"{limit} packets\"\nthreshold = \"{} packets\"", limit / 2)
}

fn drop_tail(limit: u64) -> String {
    format!("queue = \"drop-tail\"\nlimit = \"{limit} packets\"")
}

/// Two hosts send 3 MB each to a third at 10 Gb/s; a round trip is 21 us without queues, which is 17 packets. Packets
/// are lost on the receiver's line, behind the queue.
fn plan_text(seed: u64, transport: &str, queue: &str, loss: f64) -> String {
    format!(
        "seed = {seed}\n[topology]\nkind = \"single-switch\"\nhosts = 3\n[link]\nrate = \"10 Gb/s\"\ndelay = \"5 us\"\n\
         [transport]\n{transport}\n[switch]\n{queue}\n\
         [[fault]]\nkind = \"loss\"\nbetween = [\"switch\", \"host-0\"]\ndirection = \"one-way\"\nprobability = {}\n\
         [[workload]]\nkind = \"incast\"\nsenders = 2\nbytes = \"3 MB\"\nreceiver = 0\n",
        loss / 100.0
    )
}

/// The goodput of both flows together, in Gb/s.
fn goodput(text: &str) -> f64 {
    let plan = read("loss", "loss.toml", text, Path::new(""), None);
    let plan = plan.unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let outcome = run(plan, &Running::through(Path::new(""), NonZeroUsize::MIN), &mut |_| Next::GoOn);
    let outcome = outcome.unwrap_or_else(|failure| panic!("{}", failure.render(false))).outcome().expect("the end");
    assert_eq!(outcome.defect, None);
    assert_eq!((outcome.summary.delivered, outcome.summary.abandoned), (2, 0), "{text}");
    outcome.summary.total_goodput_bits_per_second / 1e9
}

/// The median over some seeds, with the minimum and the maximum.
fn cell(transport: &str, queue: &str, loss: f64) -> String {
    let mut all: Vec<f64> = (1..=SEEDS).map(|seed| goodput(&plan_text(seed, transport, queue, loss))).collect();
    all.sort_by(f64::total_cmp);
    format!("{:.2} ({:.2}-{:.2})", all[all.len() / 2], all[0], all[all.len() - 1])
}

#[test]
fn goodput_over_loss_and_buffer_equals_the_golden_table() {
    let mut text = "command: UPDATE_EXPECT=1 cargo test --package polyplane-networks --test loss_table\n\n\
         Goodput of both flows together in Gb/s: the middle of five seeds, with the least and the most.\n\
         The plan, here that of ndp with 8 packets, 1 % and seed 1:\n\n"
        .to_owned();
    for line in plan_text(1, CARRIERS[0].1, &trimming(8), 1.0).lines() {
        writeln!(text, "    {line}").expect("a text takes all");
    }
    let mut runs = Vec::new();
    for (_, transport, queue) in CARRIERS {
        for (buffer, loss) in BUFFERS.iter().flat_map(|buffer| LOSSES_IN_PERCENT.map(|loss| (*buffer, loss))) {
            runs.push((transport, queue(buffer), loss));
        }
    }
    let mut cells = on_all_cores(&runs, |(transport, queue, loss)| cell(transport, queue, *loss)).into_iter();
    for (name, ..) in CARRIERS {
        write!(text, "\n{name:<18}{:<12}", "buffer").expect("a text takes all");
        LOSSES_IN_PERCENT.iter().for_each(|loss| write!(text, "{:<18}", format!("{loss} %")).expect("it does"));
        text.truncate(text.trim_end().len());
        for buffer in BUFFERS {
            write!(text, "\n{:<18}{:<12}", "", format!("{buffer} packets")).expect("a text takes all");
            for cell in cells.by_ref().take(LOSSES_IN_PERCENT.len()) {
                write!(text, "{cell:<18}").expect("a text takes all");
            }
            text.truncate(text.trim_end().len());
        }
        text.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/simulator/loss-table.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, text).expect("the project's folder can be written");
    } else {
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(expected == text, "found\n{text}");
    }
}

//! What pairs of transports do to each other at one bottleneck, as a golden text: `experiments/coexistence/pair.toml`
//! with every two transports over three kinds of queue. `UPDATE_EXPECT=1` writes what comes of it instead.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use experiments::network::plan::read;
use experiments::network::{Next, Running, run};

const KINDS: [&str; 5] = ["newreno", "cubic", "dctcp", "ndp", "eqds"];

const QUEUES: [(&str, &str); 3] = [
    ("drop-tail, 100 packets", "queue = \"drop-tail\"\nlimit = \"100 packets\""),
    ("ECN, 100 packets, marks above 20", "queue = \"ecn\"\nlimit = \"100 packets\"\nthreshold = \"20 packets\""),
    ("trimming, 8 packets", "queue = \"trimming\"\nlimit = \"8 packets\""),
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The transport section of a kind: the same packets for all, and for those that have one a first window that covers
/// the path.
fn transport(kind: &str) -> String {
    let first_window = if matches!(kind, "ndp" | "eqds") { "\nfirst_window = 12" } else { "" };
    format!("kind = \"{kind}\"\npacket = \"1514 B\"{first_window}\n")
}

/// What flows of two transports have of the bottleneck in 10 ms, each pair in percent: bytes on the lines to their
/// receivers, framing, headers and copies included.
fn shares(kinds: [&str; 2], queue: &str) -> [f64; 2] {
    let folder = project().join("experiments/coexistence");
    let plan = std::fs::read_to_string(folder.join("pair.toml")).expect("the plan");
    let mut text = plan;
    for (from, to) in [
        (transport("cubic"), transport(kinds[0])),
        (transport("eqds"), transport(kinds[1])),
        ("queue = \"drop-tail\"\nlimit = \"100 packets\"".to_owned(), queue.to_owned()),
    ] {
        assert_eq!(text.matches(&from).count(), 1, "{from}");
        // What was put in is not to be found again.
        text = text.replace(&from, &to.replace("kind", "kind "));
    }
    let plan =
        read("pair", "pair.toml", &text, &folder, None).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("coexistence");
    let outcome = run(plan, &Running::through(&out, NonZeroUsize::MIN), &mut |_| Next::GoOn);
    let outcome = outcome.unwrap_or_else(|failure| panic!("{}", failure.render(false))).outcome().expect("the end");
    assert_eq!(outcome.defect, None, "packets are conserved");
    let links = outcome.tables[1].to_csv();
    let mut shares = [0.0; 2];
    for line in links.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[0] != "right-switch" {
            continue;
        }
        if let Some(host) = fields[2].strip_prefix("right-").and_then(|host| host.parse::<usize>().ok()) {
            shares[host / 2] += fields[7].parse::<f64>().expect("a part of the line") * 100.0;
        }
    }
    shares
}

fn table() -> String {
    let mut text = String::new();
    for (name, queue) in QUEUES {
        let _ = writeln!(text, "{name}\n");
        let _ = write!(text, "{:>8}", "");
        for kind in KINDS {
            let _ = write!(text, "{kind:>12}");
        }
        text.push('\n');
        for (row, one) in KINDS.iter().enumerate() {
            let _ = write!(text, "{one:>8}");
            for (column, other) in KINDS.iter().enumerate() {
                let cell = if column < row {
                    String::new()
                } else {
                    let [one, other] = shares([one, other], queue);
                    format!("{one:.0} + {other:.0}")
                };
                let _ = write!(text, "{cell:>12}");
            }
            text = text.trim_end().to_owned() + "\n";
        }
        text.push('\n');
    }
    text
}

#[test]
fn shares_of_a_bottleneck_are_what_is_written_down() {
    let path = project().join("docs/simulator/coexistence.txt");
    let found = table();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &found).expect("the project's folder can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "found\n{found}");
}

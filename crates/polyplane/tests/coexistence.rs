//! What pairs of transports do to each other at one bottleneck, as a golden text: `experiments/coexistence/pair.toml`
//! with every two transports over three kinds of queue. `UPDATE_EXPECT=1` writes what comes of it instead.

mod common;
#[path = "../../basis/tests/common/on_all_cores.rs"]
mod on_all_cores;

use std::fmt::Write;
use std::fs;

use common::{absent_folder, project, run};
use on_all_cores::on_all_cores;

const KINDS: [&str; 6] = ["newreno", "cubic", "dctcp", "rocev2", "ndp", "eqds"];

const QUEUES: [(&str, &str); 3] = [
    ("drop-tail, 100 packets", "queue = \"drop-tail\"\nlimit = \"100 packets\""),
    ("ECN, 100 packets, marks above 20", "queue = \"ecn\"\nlimit = \"100 packets\"\nthreshold = \"20 packets\""),
    ("trimming, 8 packets", "queue = \"trimming\"\nlimit = \"8 packets\""),
];

/// The transport section of a kind: the same packets for all, and for those that have one a first window that covers
/// the path.
fn transport(kind: &str) -> String {
    if kind == "rocev2" {
        // With 58 bytes of headers.
        return format!("kind = \"{kind}\"\npayload = \"1456 B\"\n");
    }
    let first_window = if matches!(kind, "ndp" | "eqds") { "\nfirst_window = 12" } else { "" };
    format!("kind = \"{kind}\"\npacket = \"1514 B\"{first_window}\n")
}

/// What flows of two transports have of the bottleneck in 20 ms, each pair in percent: bytes on the lines to their
/// receivers, framing, headers and copies included. These are 25 Gb/s, the bottleneck is 10 Gb/s.
fn shares(kinds: [&str; 2], queue: &str) -> [f64; 2] {
    let folder = project().join("experiments/coexistence");
    let mut text = fs::read_to_string(folder.join("pair.toml")).expect("the plan");
    let matrix = format!("file = \"{}\"", folder.join("pair.cm").display());
    text = text.replace("file = \"pair.cm\"", &matrix);
    for (from, to) in [
        (transport("cubic"), transport(kinds[0])),
        (transport("eqds"), transport(kinds[1])),
        ("queue = \"drop-tail\"\nlimit = \"100 packets\"".to_owned(), queue.to_owned()),
    ] {
        assert_eq!(text.matches(&from).count(), 1, "{from}");
        // What was put in is not to be found again.
        text = text.replace(&from, &to.replace("kind", "kind "));
    }
    let out = absent_folder();
    fs::create_dir_all(&*out).expect("a folder for the plan");
    let plan = out.join("pair.toml");
    fs::write(&plan, &text).expect("the plan can be written");
    let ran = run(&["sim".as_ref(), plan.as_os_str(), "--out-dir".as_ref(), out.join("out").as_os_str()]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let links = fs::read_to_string(out.join("out/links.csv")).expect("the table of links");
    let mut shares = [0.0; 2];
    for line in links.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[0] != "right-switch" {
            continue;
        }
        if let Some(host) = fields[2].strip_prefix("right-").and_then(|host| host.parse::<usize>().ok()) {
            shares[host / 2] += fields[7].parse::<f64>().expect("a part of the line") * 250.0;
        }
    }
    shares
}

fn table() -> String {
    // Each pair once: an upper triangle of each queue's table, row by row.
    let of_rows = |row| KINDS.iter().skip(row).map(move |column| [KINDS[row], *column]);
    let pairs: Vec<[&str; 2]> = (0..KINDS.len()).flat_map(of_rows).collect();
    let cells: Vec<(&str, [&str; 2])> =
        QUEUES.iter().flat_map(|(_, queue)| pairs.iter().map(|pair| (*queue, *pair))).collect();
    let mut cells = on_all_cores(&cells, |(queue, pair)| {
        let [one, other] = shares(*pair, queue);
        format!("{one:.0} + {other:.0}")
    })
    .into_iter();
    let mut text = String::new();
    for (name, _) in QUEUES {
        let _ = writeln!(text, "{name}\n");
        let _ = write!(text, "{:>8}", "");
        for kind in KINDS {
            let _ = write!(text, "{kind:>12}");
        }
        text.push('\n');
        for (row, one) in KINDS.iter().enumerate() {
            let _ = write!(text, "{one:>8}");
            for column in 0..KINDS.len() {
                let cell = if column < row { String::new() } else { cells.next().expect("each pair has a cell") };
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
        fs::write(&path, &found).expect("the project's folder can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "found\n{found}");
}

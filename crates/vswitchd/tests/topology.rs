//! What flow logs say of two ends at a past moment.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use vswitch::flow_log::{fields_of_header, header};
use vswitchd::topology::{FIELDS, Question, Topology, topology};

const AT: u64 = 1_790_000_000;

/// The logs of two switches: guest `one` of the first speaks to `three` of the second, and behind a load balancer to `two`.
fn logs() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, lines: &[&str]| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>())
            .expect("a file can be written");
    };
    let names = header(&FIELDS);
    let names = names.as_str();
    write(
        "a/one.log",
        &[
            // Written before the fields were named.
            "2 1 one 10.0.1.1 10.0.1.3 9 53 17 1 60 1789990000 1789990000 ACCEPT OK",
            names,
            "5 1 one 10.0.1.1 10.0.1.3 10 53 17 2 120 1789999980 1790000010 ACCEPT OK red egress 10.0.1.1 10.0.1.3 host-a 1789999979 \
             10.0.1.1 10 10.0.1.3 53 - 192.0.2.1 192.0.2.2",
            "5 1 one 10.0.1.1 10.0.1.100 1000 80 6 5 400 1789999990 1790000000 ACCEPT OK red egress 10.0.1.1 10.0.2.2 host-a \
             1789999990 10.0.1.1 1000 10.0.2.2 8080 two - -",
            "5 1 one - - - - - - - 1789999980 1790000040 - SKIPDATA red - - - host-a - - - - - - - -",
        ],
    );
    write(
        "b/three.log",
        &[
            names,
            "5 1 three 10.0.1.1 10.0.1.3 10 53 17 2 120 1789999980 1790000010 ACCEPT OK red ingress 10.0.1.1 10.0.1.3 host-b \
             1789999979 10.0.1.1 10 10.0.1.3 53 - 192.0.2.2 192.0.2.1",
        ],
    );
    folder
}

fn asked(logs: &Path, folders: &[&str], at: u64, ends: [&str; 2]) -> Result<Topology, String> {
    let folders = folders.iter().map(|folder| logs.join(folder)).collect();
    topology(&Question { folders, at, within: 60, ends: ends.map(str::to_owned) })
        .map_err(|failure| failure.render(false))
}

/// Returns the text without the folder of the test.
fn told(logs: &Path, topology: &Topology) -> String {
    topology.to_string().replace(&format!("{}/", logs.display()), "")
}

#[test]
fn both_switches_say_what_was_between_their_guests() {
    let logs = logs();
    let found = asked(logs.path(), &["a", "b"], AT, ["10.0.1.3", "10.0.1.1"]).expect("there are records");
    assert_eq!(
        told(logs.path(), &found),
        "10.0.1.3 and 10.0.1.1 at 2026-09-21T14:13:20Z
  10.0.1.3: vNIC three of VPC red on 192.0.2.2, host-b
  10.0.1.1: vNIC one of VPC red on 192.0.2.1, host-a
udp 10.0.1.1:10 > 10.0.1.3:53
  vNIC one on host-a sent 2 packets from 2026-09-21T14:13:00Z to 2026-09-21T14:13:30Z
  way: tunnel 192.0.2.1 - 192.0.2.2
  session since 2026-09-21T14:12:59Z
  a/one.log:3
udp 10.0.1.1:10 > 10.0.1.3:53
  vNIC three on host-b was given 2 packets from 2026-09-21T14:13:00Z to 2026-09-21T14:13:30Z
  way: tunnel 192.0.2.2 - 192.0.2.1
  session since 2026-09-21T14:12:59Z
  b/three.log:2
records were lost then, and some may be missing: a/one.log:5
"
    );
}

#[test]
fn a_back_end_is_found_by_its_own_address_and_by_its_name() {
    let logs = logs();
    for other in ["10.0.2.2", "10.0.1.100", "two"] {
        let found = asked(logs.path(), &["a"], AT, ["one", other]).expect("there are records");
        assert_eq!(found.seen.len(), 1, "{other}");
        let seen = &found.seen[0];
        assert_eq!(seen.flow, ["10.0.1.1:1000", "10.0.1.100:80"]);
        assert_eq!(seen.translated, Some(["10.0.1.1:1000", "10.0.2.2:8080"].map(str::to_owned)));
        assert!(found.ends[1].vnics.contains("two") && found.ends[1].hosts.contains("host-a"));
    }
}

#[test]
fn records_of_version_2_say_what_they_lack() {
    let logs = logs();
    let found = asked(logs.path(), &["a"], 1_789_990_000, ["10.0.1.1", "10.0.1.3"]).expect("there is a record");
    let text = told(logs.path(), &found);
    assert!(found.is_partial && text.contains("\"peer-srcaddr\"") && text.contains("vNIC one saw 1 packet"), "{text}");
    // What is to be set is what a configuration takes.
    let entry = text.lines().last().expect("a line").trim_start_matches("fields = [").trim_end_matches(']');
    let names = entry.replace("\", \"", " ").replace('"', "");
    assert!(fields_of_header(&names).expect("names of fields").starts_with(&FIELDS), "{names}");
}

#[test]
fn a_moment_without_records_tells_the_nearest() {
    let logs = logs();
    let refused = asked(logs.path(), &["a"], AT + 1000, ["10.0.1.1", "10.0.1.3"]).expect_err("nothing is there");
    assert!(refused.contains("one.log:3, 990 s from then"), "{refused}");
    let unknown = asked(logs.path(), &["a"], AT, ["10.0.1.1", "10.0.1.9"]).expect_err("nobody is there");
    assert!(unknown.contains("none of the 4 records"), "{unknown}");
    assert!(asked(logs.path(), &["c"], AT, ["a", "b"]).expect_err("no such folder").contains("cannot read"));
}

#[test]
fn a_line_that_is_no_record_is_refused_at_its_place() {
    let logs = logs();
    fs::write(logs.path().join("a/two.log"), "2 1 two 10.0.1.1\nversion colour\n").expect("it can be written");
    let refused = asked(logs.path(), &["a"], AT, ["10.0.1.1", "10.0.1.3"]).expect_err("a bad line");
    assert!(
        refused.contains("two.log:1:") && refused.contains("4 values") && refused.contains("14 fields"),
        "{refused}"
    );
    fs::write(logs.path().join("a/two.log"), "version colour\n").expect("it can be written");
    let refused = asked(logs.path(), &["a"], AT, ["10.0.1.1", "10.0.1.3"]).expect_err("a bad line");
    assert!(refused.contains("does not know"), "{refused}");
    // A record that is still being written is none.
    fs::write(logs.path().join("a/two.log"), "2 1 two 10.0").expect("it can be written");
    assert!(asked(logs.path(), &["a"], AT, ["10.0.1.1", "10.0.1.3"]).is_ok());
}

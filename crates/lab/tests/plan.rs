//! Plans of labs, in both forms: what they say, and what is wrong with them at its place.

use std::path::PathBuf;

use basis::{Duration, Rate};
use files::PlanText;
use lab::plan::{End, LabPlan, Options, read};

/// A folder with files, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("polyplane-lab-plan-{name}-{}", std::process::id()));
        for (file, text) in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
            std::fs::write(path, text).expect("a file can be written");
        }
        Self(folder)
    }

    fn read(&self, file: &str, options: &Options) -> Result<(LabPlan, String), String> {
        let text = PlanText { path: file.to_owned(), ..PlanText::read(&self.0.join(file)).expect("it is there") };
        read(&text, options).map(|read| (read.plan, read.warnings)).map_err(|failure| failure.to_string())
    }

    fn plan(&self, file: &str) -> Result<LabPlan, String> {
        self.read(file, &Options::default()).map(|(plan, _)| plan)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const TRIANGLE: &str = r#"
    name = "triangle"
    program = "router.p4"
    machine = "v1model"
    queue = 32

    [[host]]
    name = "h1"
    address = "10.0.1.1/24"
    mac = "08:00:00:00:01:11"
    gateway = "10.0.1.10"
    gateway_mac = "08:00:00:00:01:00"
    commands = ["sysctl -q net.ipv4.tcp_ecn=1"]

    [[host]]
    name = "h2"
    address = "2001:db8::2/64"

    [[switch]]
    name = "s1"
    tables = ["s1.json"]

    [[switch]]
    name = "s2"
    program = "other.p4"
    machine = "native"
    cpu_port = 510
    queue = 100

    [[link]]
    between = ["h1", "s1-p1"]

    [[link]]
    between = ["s2-p1", "h2"]
    rate = "10 Mb/s"
    delay = "5 ms"

    [[link]]
    between = ["s1-p2", "s2-p2"]

    [[link]]
    between = ["s1-p3", "s2-p3"]
"#;

#[test]
fn every_field_of_toml_is_read() {
    let files = [("triangle.toml", TRIANGLE), ("router.p4", ""), ("other.p4", ""), ("s1.json", "{}")];
    let folder = Folder::new("toml", &files);
    let plan = folder.plan("triangle.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(plan.name, "triangle");
    let host = &plan.hosts[0];
    assert_eq!(host.address.map(|address| address.to_string()).as_deref(), Some("10.0.1.1/24"));
    assert_eq!(host.mac.map(|mac| mac.to_string()).as_deref(), Some("08:00:00:00:01:11"));
    assert_eq!(host.gateway, "10.0.1.10".parse().ok());
    assert_eq!(host.commands, ["sysctl -q net.ipv4.tcp_ecn=1"]);
    let [s1, s2] = &plan.switches[..] else { panic!("{:?}", plan.switches) };
    assert!(s1.program.ends_with("router.p4") && s2.program.ends_with("other.p4"));
    assert_eq!((s1.machine.as_str(), s1.queue, s1.cpu_port), ("v1model", 32, None));
    assert_eq!((s2.machine.as_str(), s2.queue, s2.cpu_port), ("native", 100, Some(510)));
    let link = &plan.links[1];
    assert_eq!(link.ends, [End::Host(1), End::Switch(1, 1)], "the host is the first end");
    assert_eq!(
        (link.rate, link.delay),
        (Some(Rate::from_bits_per_second(10_000_000)), Duration::from_microseconds(5000))
    );
    let names: Vec<String> = plan.links.iter().map(|link| plan.link_name(link)).collect();
    assert_eq!(
        names,
        ["h1-s1", "h2-s2", "s1-p2-s2-p2", "s1-p3-s2-p3"],
        "parallel links have their ports in their names"
    );
}

#[test]
fn every_mistake_in_toml_is_reported_at_its_place() {
    let text = "name = \"a/b\"\nprogram = \"none.p4\"\n\n[[host]]\nname = \"h 1\"\naddress = \"10.0.0.1\"\nmac = \"01:00:00:00:00:01\"\n\n\
                [[host]]\nname = \"h2\"\ngatway = \"10.0.0.1\"\n\n[[switch]]\nname = \"h2\"\n\n[[switch]]\nname = \"longswitch\"\n\n\
                [[link]]\nbetween = [\"h2\", \"h3\"]\n\n[[link]]\nbetween = [\"h2\", \"longswitch\"]\n\n\
                [[link]]\nbetween = [\"h2\", \"longswitch-p60000\"]\nrate = \"fast\"\n\n[[link]]\nbetween = [\"longswitch-p60000\"]\n";
    let folder = Folder::new("mistakes", &[("lab.toml", text)]);
    let error = folder.plan("lab.toml").expect_err("almost everything is wrong");
    for (place, message) in [
        ("1:8", "cannot be the name of a lab"),
        ("2:11", "there is no program"),
        ("5:8", "cannot be the name of a host or a switch"),
        ("6:11", "an address and the length of its prefix"),
        ("7:7", "the address of one station"),
        ("11:1", "did you mean `gateway`?"),
        ("14:8", "`h2` is there already"),
        ("20:18", "no host is called `h3`"),
        ("23:18", "name the port of the switch: longswitch-p1"),
        ("26:12", "no interface can be called `longswitch-p60000`"),
        ("27:8", "`rate` must be a rate"),
        ("30:12", "a link has two ends, and not 1"),
    ] {
        assert!(error.contains(&format!("lab.toml:{place}")), "no error at {place} in\n{error}");
        assert!(error.contains(message), "no {message} in\n{error}");
    }
}

#[test]
fn mistakes_in_parts_that_are_alone_right_are_reported() {
    let text = "queue = 0\n\n[[host]]\nname = \"h1\"\ngateway = \"here\"\n\n[[host]]\nname = \"h2\"\ngateway_mac = \"02:00:00:00:00:01\"\n\n\
                [[host]]\naddress = \"10.0.0.1/33\"\n\n[[switch]]\nname = \"s1\"\nprogram = \"build/none.json\"\ntables = [\"none.txt\"]\ncpu_port = 70000\n\n\
                [[switch]]\nname = \"s2\"\n\n[[link]]\nrate = \"1 Mb/s\"\n\n[[link]]\nbetween = [\"h1\", \"h2\"]\n\n\
                [[link]]\nbetween = [\"h1\", \"s1-p1\"]\ndelay = \"11 s\"\n\n[[link]]\nbetween = [\"s2-p1\", \"s1-p1\"]\n\n\
                [[link]]\nbetween = [\"s3-p1\", \"s1-p2\"]\n";
    let folder = Folder::new("parts", &[("lab.toml", text), ("one.p4", ""), ("two.p4", "")]);
    let error = folder.plan("lab.toml").expect_err("almost everything is wrong");
    for (place, message) in [
        ("1:9", "a whole number from 1 to 1048576"),
        ("5:11", "`here` is no address"),
        ("9:15", "`gateway_mac` without a `gateway`"),
        ("11:1", "has no `name`"),
        ("12:11", "invalid value for `address`"),
        ("16:11", "of which `build/none.json` would be made"),
        ("17:11", "there is no file"),
        ("18:12", "a whole number from 0 to 65535"),
        ("21:8", "the switch `s2` has no program"),
        ("23:1", "has no `between`"),
        ("27:12", "connects two hosts without a switch between them"),
        ("31:9", "`delay` cannot be 11 s"),
        ("34:12", "`s1-p1` has a link already"),
        ("37:12", "no switch is called `s3`"),
    ] {
        assert!(error.contains(&format!("lab.toml:{place}")), "no error at {place} in\n{error}");
        assert!(error.contains(message), "no {message} in\n{error}");
    }
}

#[test]
fn hosts_have_one_link_each() {
    let text = "program = \"one.p4\"\n[[host]]\nname = \"h1\"\n[[host]]\nname = \"h2\"\n[[switch]]\nname = \"s1\"\n\
                [[link]]\nbetween = [\"h1\", \"s1-p1\"]\n[[link]]\nbetween = [\"h1\", \"s1-p2\"]\n";
    let folder = Folder::new("one-link", &[("lab.toml", text), ("one.p4", "")]);
    let error = folder.plan("lab.toml").expect_err("h1 has two links, and h2 none");
    assert!(error.contains("lab.toml:11:12") && error.contains("`h1` has a link already"), "{error}");
    assert!(error.contains("lab.toml:5:8") && error.contains("the host `h2` has no link"), "{error}");
    let missing = Options { programs: vec![folder.0.join("none.p4")], ..Options::default() };
    let error = folder.read("lab.toml", &missing).expect_err("the program is not there");
    assert!(error.contains("there is no program") && error.contains("none.p4"), "{error}");
}

#[test]
fn links_without_rate_and_delay_get_those_of_the_command() {
    let folder = pod("usual");
    let (slow, late) = (Rate::from_bits_per_second(10_000_000), Duration::from_microseconds(1000));
    let options = Options { rate: Some(slow), delay: late, ..Options::default() };
    let (plan, _) = folder.read("pod/topology.json", &options).unwrap_or_else(|error| panic!("{error}"));
    let links: Vec<_> = plan.links.iter().map(|link| (link.rate, link.delay.picoseconds() / 1_000_000)).collect();
    let half = Rate::from_bits_per_second(500_000);
    assert_eq!(links, [(Some(slow), 1000), (Some(half), 1000), (Some(slow), 5000), (Some(slow), 1500)]);
}

const POD: &str = r#"{
  "hosts": {
    "h1": { "ip": "10.0.1.1/24", "mac": "08:00:00:00:01:11", "commands": ["ip route add default via 10.0.1.10"] },
    "h2": { "ip": "10.0.2.2/31", "mac": "08:00:00:00:02:22" }
  },
  "switches": {
    "s1": { "runtime_json": "pod/s1-runtime.json", "program": "build/edge.json", "cpu_port": "510" },
    "s2": { "runtime_json": "pod/s2-runtime.json", "priority_queues": 8 }
  },
  "links": [["h1", "s1-p1"], ["s2-p1", "h2", "0", 0.5], ["s1-p2", "s2-p2", 5], ["s1-p3", "s2-p3", "1.5ms"]]
}"#;

fn pod(name: &str) -> Folder {
    let entries = r#"{ "bmv2_json": "build/core.json", "table_entries": [] }"#;
    let files = [
        ("pod/topology.json", POD),
        ("pod/s1-runtime.json", entries),
        ("pod/s2-runtime.json", entries),
        ("edge.p4", ""),
        ("core.p4", ""),
        ("solution/edge.p4", ""),
    ];
    Folder::new(name, &files)
}

#[test]
fn a_topology_of_the_tutorials_is_read() {
    let folder = pod("tutorials");
    let (plan, warnings) =
        folder.read("pod/topology.json", &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(plan.name.starts_with("polyplane_lab_plan_tutorials"), "that of the exercise's folder: {}", plan.name);
    assert!(plan.switches[0].program.ends_with("edge.p4"), "the source of build/edge.json");
    assert!(plan.switches[1].program.ends_with("core.p4"), "the program that the entries are for");
    assert!(plan.switches[0].tables[0].is_file(), "seen from the folder above that of the topology");
    assert_eq!((plan.switches[0].cpu_port, plan.switches[1].cpu_port), (Some(510), None));
    let links: Vec<_> = plan.links.iter().map(|link| (link.rate, link.delay.picoseconds() / 1_000_000)).collect();
    let half = Some(Rate::from_bits_per_second(500_000));
    assert_eq!(links, [(None, 0), (half, 0), (None, 5000), (None, 1500)], "a number is milliseconds, and Mbit/s");
    assert!(warnings.contains("pod/topology.json:8:") && warnings.contains("`priority_queues`"), "{warnings}");
}

#[test]
fn a_program_replaces_the_one_of_its_name() {
    let folder = pod("programs");
    let programs = vec![folder.0.join("solution/edge.p4")];
    let name = Some("other".to_owned());
    let (plan, _) = folder
        .read("pod/topology.json", &Options { name, programs, ..Options::default() })
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(plan.name, "other");
    assert!(plan.switches[0].program.ends_with("solution/edge.p4"));
    assert!(plan.switches[1].program.ends_with("core.p4") && !plan.switches[1].program.ends_with("solution/core.p4"));
    let unused = Options { programs: vec![folder.0.join("pod/topology.json")], ..Options::default() };
    let error = folder.read("pod/topology.json", &unused).expect_err("no switch runs it");
    assert!(error.contains("no switch runs") && error.contains("edge.p4"), "{error}");
}

#[test]
fn every_mistake_in_a_topology_is_reported_at_its_place() {
    let text = "{\n\"hosts\": {\"h1\": {\"ip\": 5, \"mac\": \"08:00\"}, \"h2\": []},\n\"switches\": {\"s1\": {\"runtime_json\": \"none.json\", \
                \"cpu_port\": \"cpu\"}},\n\"links\": [[\"h1\", \"s2-p1\"], [\"h2\", \"s1-p1\", -5, 0], [\"h1\"], 7, [\"h1\", \"s1-px\"]],\n\"links\": []\n}";
    let folder = Folder::new("json", &[("topology.json", text)]);
    let error = folder.plan("topology.json").expect_err("almost everything is wrong");
    for (place, message) in [
        ("2:24", "`ip` must be a text in quotes"),
        ("2:34", "six bytes in hexadecimal"),
        ("2:50", "a host must be an object"),
        ("3:37", "there is no file"),
        ("3:62", "`cpu_port` must be the number of a port"),
        ("4:18", "no switch is called `s2`"),
        ("4:44", "no delay of a link"),
        ("4:48", "no bandwidth of a link"),
        ("4:52", "a link has two ends"),
        ("4:60", "a link must be a list"),
        ("5:1", "`links` is given twice"),
    ] {
        assert!(error.contains(&format!("topology.json:{place}")), "no error at {place} in\n{error}");
        assert!(error.contains(message), "no {message} in\n{error}");
    }
    let broken = Folder::new("broken", &[("topology.json", "{ \"hosts\": ")]);
    let error = broken.plan("topology.json").expect_err("it is cut off");
    assert!(error.contains("this is not JSON"), "{error}");
    let empty = Folder::new("empty", &[("topology.json", "{}")]);
    let error = empty.plan("topology.json").expect_err("it has nothing");
    assert!(error.contains("has no `hosts`") && error.contains("the lab has no switch"), "{error}");
}

#[test]
fn the_plan_of_the_manual_is_right() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lab.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let text = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a plan");
    let folder = Folder::new("manual", &[("lab.toml", text), ("router.p4", ""), ("s1.json", "{}"), ("s2.txt", "")]);
    let plan = folder.plan("lab.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((plan.hosts.len(), plan.switches.len(), plan.links.len()), (2, 2, 3));
}

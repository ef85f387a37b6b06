//! Networks from files: shortest paths, and diagnostics for every mistake.

use diagnostics::Sources;
use netsim::topology::{Role, Topology, read_graph};

fn read(text: &str) -> Result<Topology, String> {
    let mut sources = Sources::new();
    let id = sources.add("network.txt", text);
    read_graph(&sources, id).map_err(|found| found.render(&sources, false))
}

const DIAMOND: &str = "\
# Two ways of equal length, and a longer one.
switch a
switch b
host h1 10.0.0.1
host h2 10.0.0.2  # Hosts may stand between switches.
switch up
switch down
switch far
link a up 100G 1us
link a down 100G 1us
link a far 100G 1us
link up b 100G 1us
link down b 100G 1us
link far up 100G 1us
link h1 a 25G 500ns mtu=1500 framing=20
link h2 b 25Gb/s 0.5us
";

#[test]
fn packets_take_all_shortest_paths() {
    let topology = read(DIAMOND).unwrap();
    assert_eq!(topology.verify(), Vec::<String>::new());
    let names: Vec<&str> = topology.stations.iter().map(|station| station.name.as_str()).collect();
    assert_eq!(names, ["h1", "h2", "a", "b", "up", "down", "far"]);
    let routes = |station: usize| match &topology.stations[station].role {
        Role::Switch(plan) => {
            plan.routes.iter().map(|route| (route.prefix as u8, &route.ports[..])).collect::<Vec<_>>()
        }
        Role::Host { .. } => panic!("a host"),
    };
    assert_eq!(routes(2), [(1, &[3][..]), (2, &[0, 1])]);
    assert_eq!(routes(3), [(1, &[0, 1][..]), (2, &[2])]);
    assert!(matches!(topology.stations[0].role, Role::Host { paths: 2, .. }));
    let link = topology.cables[6].link;
    assert_eq!((link.mtu, link.framing), (1500, 20));
}

#[test]
fn every_mistake_is_reported_with_its_line() {
    let text = "\
swich a
switch b c
switch b
switch b
host h1 10.0.0.256
host h2 10.0.0.2
host h3 10.0.0.2
link h2 b 100G 1us
link h2 b 100G 1us
link h2 bb 100X 1
link b b 100G 1us speed=3
";
    let path = format!("{}/tests/golden/graph_mistakes.txt", env!("CARGO_MANIFEST_DIR"));
    let actual = read(text).unwrap_err();
    // `UPDATE_EXPECT=1` writes the actual text instead; review the difference before you keep it.
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &actual).expect("writable");
    }
    assert_eq!(actual, std::fs::read_to_string(&path).unwrap_or_default());
}

#[test]
fn hosts_without_a_path_between_them_are_found() {
    let text = "switch a\nswitch b\nhost h1 10.0.0.1\nhost h2 10.0.0.2\nlink h1 a 1G 1us\nlink h2 b 1G 1us\n";
    assert!(read(text).unwrap_err().contains("there is no path from `h1` to `h2`"));
    assert!(read("switch a\n").unwrap_err().contains("a network needs at least one host"));
    assert!(read("switch a\nhost h 1.2.3.4\n").unwrap_err().contains("host `h` has no link"));
}

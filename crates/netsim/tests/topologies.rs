//! The generated topologies are valid, all packets arrive, and they take the intended paths.

use basis::{Duration, Rate};
use netsim::topology::{
    CableProperties, Dumbbell, FatTree, LeafSpine, ParkingLot, Role, SingleSwitch, SwitchPlan, Topology, TopologyPlan,
    dumbbell, fat_tree, leaf_spine, parking_lot, single_switch,
};

const LINE: CableProperties =
    CableProperties::ethernet(Rate::from_gigabits_per_second(100), Duration::from_microseconds(1));
const FAST: CableProperties =
    CableProperties::ethernet(Rate::from_gigabits_per_second(400), Duration::from_nanoseconds(500));

#[track_caller]
fn check(topology: &Topology, hosts: usize, switches: usize, cables: usize) {
    assert_eq!(topology.verify(), Vec::<String>::new());
    assert_eq!(topology.hosts().len(), hosts);
    assert_eq!(topology.stations.len(), hosts + switches);
    assert_eq!(topology.cables.len(), cables);
}

fn switch<'t>(topology: &'t Topology, name: &str) -> &'t SwitchPlan {
    let station = topology.stations.iter().find(|station| station.name == name).expect("such a station");
    match &station.role {
        Role::Switch(plan) => plan,
        Role::Host { .. } => panic!("{name} is a host"),
    }
}

#[test]
fn regular_topologies_are_complete_and_valid() {
    check(&single_switch(&SingleSwitch { hosts: 300, link: LINE }).unwrap(), 300, 1, 300);
    check(&dumbbell(&Dumbbell { left: 3, right: 5, link: LINE, bottleneck: FAST }).unwrap(), 8, 2, 9);
    let plan = LeafSpine { leaves: 5, spines: 3, hosts: 4, uplinks: 2, host_link: LINE, spine_link: FAST };
    check(&leaf_spine(&plan).unwrap(), 20, 8, 20 + 30);
    check(&leaf_spine(&LeafSpine { leaves: 300, hosts: 1, ..plan }).unwrap(), 300, 303, 300 + 1800);
    for k in [2, 4, 6, 8] {
        let plan = FatTree::new(k, LINE);
        let (hosts, switches) = ((k * k * k / 4) as usize, (k * k * 5 / 4) as usize);
        check(&fat_tree(&plan).unwrap(), hosts, switches, 3 * hosts);
        check(&fat_tree(&FatTree { oversubscription: 4, ..plan }).unwrap(), 4 * hosts, switches, 6 * hosts);
    }
    let plan = ParkingLot { switches: 6, hosts: 2, host_link: LINE, chain_link: LINE };
    check(&parking_lot(&plan).unwrap(), 12, 6, 12 + 5);
}

#[test]
fn the_largest_fat_tree_has_few_routes() {
    let topology = fat_tree(&FatTree::new(64, LINE)).unwrap();
    check(&topology, 65_536, 5120, 3 * 65_536);
    let routes = |name| switch(&topology, name).routes.len();
    assert_eq!([routes("edge-63-31"), routes("aggregation-0-0"), routes("core-1023")], [33, 33, 64]);
}

#[test]
fn a_path_number_encodes_every_choice_on_the_path() {
    let topology = fat_tree(&FatTree::new(8, LINE)).unwrap();
    let Role::Host { paths, address } = topology.stations[127].role else { panic!("hosts come first") };
    assert_eq!((paths, address.to_be_bytes()), (16, [10, 7, 3, 4]));
    // Every path ends at another core switch: 4 choices at the edge, and 4 more by the next digit above it.
    let (edge, aggregation) = (switch(&topology, "edge-0-0"), switch(&topology, "aggregation-0-0"));
    assert_eq!([edge.path_divisor, aggregation.path_divisor], [1, 4]);
    assert_eq!(edge.routes.last().unwrap().ports, [4, 5, 6, 7]);
    assert_eq!(aggregation.routes.last().unwrap().ports, [4, 5, 6, 7]);

    let plan = LeafSpine { leaves: 2, spines: 3, hosts: 1, uplinks: 2, host_link: LINE, spine_link: LINE };
    let topology = leaf_spine(&plan).unwrap();
    let spine = switch(&topology, "spine-1");
    assert_eq!((spine.path_divisor, &spine.routes[1].ports[..]), (3, &[2, 3][..]));
    // Path 4 leaves by uplink 4, which is the second cable to spine 1, and 4 / 3 selects the second cable down.
    let cable = topology.cables.iter().find(|cable| cable.ends[0] == (2, 1 + 4)).unwrap();
    assert_eq!((topology.stations[cable.ends[1].0].name.as_str(), cable.ends[1].1), ("spine-1", 1));
}

#[test]
fn a_round_trip_sums_all_transmissions_and_delays() {
    let topology = fat_tree(&FatTree::new(4, LINE)).unwrap();
    // Six cables in each direction: 1 us each, (1500 + 24) and (64 + 24) bytes at 12.5 bytes per nanosecond.
    let expected = 12 * 1_000_000 + 6 * (1524 + 88) * 80;
    assert_eq!(topology.base_round_trip(0, 15, 1500), Some(Duration::from_picoseconds(expected)));
    // Under a common edge switch there are two cables.
    assert_eq!(topology.base_round_trip(0, 1, 1500), Some(Duration::from_picoseconds(expected / 3)));
    assert_eq!(topology.base_round_trip(0, 999, 1500), None);
}

#[test]
fn verify_finds_every_kind_of_mistake() {
    let right = fat_tree(&FatTree::new(4, LINE)).unwrap();
    let change = |change: &dyn Fn(&mut Topology)| {
        let mut topology = right.clone();
        change(&mut topology);
        topology.verify().first().cloned().unwrap_or_default()
    };
    let edge = right.stations.iter().position(|station| station.name == "edge-0-0").unwrap();
    let plan = |topology: &mut Topology, change: &dyn Fn(&mut SwitchPlan)| match &mut topology.stations[edge].role {
        Role::Switch(plan) => change(plan),
        Role::Host { .. } => unreachable!(),
    };
    let twice = change(&|topology| topology.cables[1].ends = topology.cables[0].ends);
    assert_eq!(twice, "port 0 of `host-0-0-0` has two cables, 0 and 1");
    let nowhere = change(&|topology| plan(topology, &|plan| plan.routes[2].ports = vec![77]));
    assert_eq!(nowhere, "`edge-0-0` has a route to 0.0.0.0/0 by a port without a cable");
    let no_route = change(&|topology| plan(topology, &|plan| plan.routes.truncate(2)));
    assert_eq!(no_route, "`edge-0-0` has no route to `host-0-1-0`");
    let circle = change(&|topology| plan(topology, &|plan| plan.routes[0].ports = vec![2]));
    assert_eq!(circle, "packets to `host-0-0-0` loop at `edge-0-0`");
    let stray = change(&|topology| plan(topology, &|plan| plan.routes[0].ports = vec![1]));
    assert_eq!(stray, "packets to `host-0-0-0` reach host `host-0-0-1`");
}

fn plan_of(text: &str) -> Result<TopologyPlan, String> {
    TopologyPlan::parse(text).map_err(|(sources, found)| found.render(&sources, false))
}

#[test]
fn parses_short_notation_and_collects_all_mistakes() {
    assert_eq!(plan_of("fat-tree:k=8,line=100Gb/s/1us"), Ok(TopologyPlan::FatTree(FatTree::new(8, LINE))));
    let spines = LeafSpine { leaves: 4, spines: 2, hosts: 16, uplinks: 1, host_link: LINE, spine_link: FAST };
    let text = "leaf-spine:leaves=4,hosts=16,spine-line=400G/500ns";
    assert_eq!(plan_of(text), Ok(TopologyPlan::LeafSpine(spines)));
    assert!(plan_of("fat-three:k=8").unwrap_err().contains("did you mean `fat-tree`?"));
    let found = plan_of("fat-tree:k=many,lime=100G/1us,core-line=fast,8").unwrap_err();
    for finding in [
        "`many` is not a valid value for `k`",
        "no option `lime`",
        "`line`",
        "`fast` is not a valid link",
        "`8` is not an option",
    ] {
        assert!(found.contains(finding), "{finding}: {found}");
    }
    let build = |text| plan_of(text).unwrap().build().unwrap_err().to_string();
    assert_eq!(build("fat-tree:k=7"), "`k` cannot be 7, which is odd (half of a switch's ports go up: 6 or 8)");
    assert_eq!(build("fat-tree:k=64,oversubscription=8"), "`oversubscription` cannot be 8 (a number from 1 to 7)");
}

/// The number of paths to each host in a tree; more than one would bring copies of packets.
fn copies(topology: &Topology, root: usize, hosts: &[usize], choice: usize) -> Vec<usize> {
    let tree = topology.tree(root, hosts, choice).expect("every host can be reached");
    let mut reached = vec![0; topology.stations.len()];
    let mut to_visit = vec![root];
    while let Some(station) = to_visit.pop() {
        reached[station] += 1;
        assert!(reached[station] == 1, "a packet comes to station {station} twice");
        let node = &tree.nodes[&station];
        for &(port, next) in &node.down {
            let cable = topology.cables.iter().find(|cable| cable.ends.contains(&(station, port))).expect("a cable");
            let &(other, at_other) = cable.ends.iter().find(|end| **end != (station, port)).expect("two ends");
            assert_eq!((other, tree.nodes[&next].up), (next, Some((at_other, station))));
            to_visit.push(next);
        }
    }
    hosts.iter().map(|&host| reached[host]).collect()
}

#[test]
fn a_tree_reaches_every_host_once_by_whatever_choice() {
    let line = CableProperties::ethernet(Rate::from_gigabits_per_second(100), Duration::from_microseconds(1));
    let plan = FatTree { k: 4, oversubscription: 1, host_link: line, edge_link: line, core_link: line };
    let topology = fat_tree(&plan).expect("a fat tree");
    let hosts = [1, 2, 3, 5, 9, 15];
    for choice in 0..5 {
        assert_eq!(copies(&topology, 0, &hosts, choice), [1; 6]);
        let (edge, _) = topology.edge_switch(0).expect("an edge switch");
        assert_eq!(copies(&topology, edge, &hosts, choice), [1; 6]);
        let path = topology.path(0, 15, choice).expect("a path");
        let stations: Vec<usize> = path.iter().map(|hop| hop.station).collect();
        assert_eq!((stations.len(), stations[0], stations[1]), (6, 0, edge), "up to the core and down");
    }
    assert_eq!(topology.path(3, 3, 0), Some(Vec::new()));
    assert_eq!(topology.edge_switch(16), None, "a switch has no edge switch");
}

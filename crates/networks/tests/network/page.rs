//! The page of a run, its figures, and high-water marks of queues.

use networks::{files, is_result};

use super::{incast, ran};

fn text_of(files: &[(String, String)], name: &str) -> String {
    files.iter().find(|(of, _)| of == name).unwrap_or_else(|| panic!("no {name}")).1.clone()
}

#[test]
fn a_mark_of_a_queue_is_at_least_what_any_look_saw() {
    let outcome = ran(&incast(""));
    let queues = outcome.series.queues();
    let mut waited = 0;
    for link in &outcome.links {
        let station = &outcome.plan.topology.stations[link.ends.station as usize];
        let name = format!("{}:{}", station.name, link.ends.port);
        let seen = queues
            .iter()
            .find(|(queue, _)| *queue == name)
            .and_then(|(_, looks)| looks.iter().map(|look| look.1).max());
        match link.high_water {
            Some(mark) => assert!(mark >= seen.unwrap_or(0), "{name}: {mark} and {seen:?}"),
            None => assert!(name.starts_with("host-") && seen.is_none(), "{name}: {seen:?}"),
        }
        waited += u64::from(link.high_water > Some(0));
    }
    assert_eq!(waited, 1, "all wait for the receiver");
}

#[test]
fn the_page_shows_the_network_every_flow_and_every_probed_queue() {
    let outcome = ran(&incast(""));
    let files = files(&outcome);
    let page = text_of(&files, "index.html");
    for figure in [
        "completion-times",
        "goodput",
        "network",
        "queues",
        "rates",
        "rates-by-port-1",
        "flow-rates",
        "flow-acknowledged",
    ] {
        let svg = text_of(&files, &format!("{figure}.svg"));
        assert!(page.contains(&svg), "{figure} is in the page");
    }
    assert!(files.iter().all(|(name, _)| is_result(name) || name == "manifest.txt"));
    let network = text_of(&files, "network.svg");
    // Four cables, a link each way; the receiver has the busiest.
    assert_eq!(network.matches(" → ").count(), 8, "{network}");
    assert!(network.contains("<title>switch → host-0: "), "{network}");
    let goodput = text_of(&files, "goodput.svg");
    assert_eq!(goodput.matches("→ host-0, 60000 bytes").count(), 3, "a bar for each flow, and no line: {goodput}");
    assert!(page.contains("switch:1, switch:2, switch:3."), "{page}");
    let acknowledged = text_of(&files, "flow-acknowledged.svg");
    for flow in ["host-1:0 → host-0", "host-2:0 → host-0", "host-3:0 → host-0"] {
        assert!(acknowledged.contains(flow), "a line for each flow: {acknowledged}");
    }
    assert!(files.iter().all(|(name, _)| name != "flow-windows.svg"), "senders of NDP have no congestion window");
}

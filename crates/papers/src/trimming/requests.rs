//! The method `requests`: clients that ask a server in closed loops, while it is idle or beside nine flows to it
//! (figure 14).

use std::collections::BTreeMap;

use basis::Instant;
use experiments::plan::Axis;
use networks::NetworkMethod;
use networks::results::Outcome;
use plans::{Record, Value};

use super::{EQDS, STACK, TCP, shipped};

const MEASURES: [&str; 2] = ["seconds", "request_us"];

pub(super) fn method() -> NetworkMethod {
    let plans = [(TCP, "memcached-tcp.toml"), (EQDS, "memcached-eqds.toml")];
    NetworkMethod::new("requests", shipped::REQUESTS, (STACK, &plans))
        .with_fields(Axis::words("server", ["idle", "busy"]), |server| match server.word() {
            Some("idle") => vec![("workload.1", Value::Missing)],
            // Which hosts send makes no difference in front of one switch: when they begin does.
            _ => vec![("workload.1.spread", Value::from(SPREAD))],
        })
        .with_fields(Axis::integers("clients", 1..=100), |clients| {
            vec![("topology.hosts", Value::from(clients.integer().unwrap_or(0) + 1))]
        })
        .with_field(Axis::integers("requests", 1..=1000), "workload.0.count")
        .with_measures(&MEASURES, measure)
}

/// The longest time from the start of the first flow of the incast to that of the last, drawn for each with the seed.
const SPREAD: &str = "50 us";

/// The host that is the server.
const SERVER: u32 = 0;

/// Messages of so many bytes are those of the incast, which go to the server, too.
const BULK: u64 = 1_000_000;

/// The outcome for the requests of one client.
struct Client {
    asked: u64,
    answered: u64,
    first: Instant,
    last: Instant,
}

impl Client {
    /// The time from its first request to its last response.
    fn seconds(&self) -> f64 {
        self.last.since(self.first).seconds()
    }
}

/// The time of a client from its first request to the last response, in the mean over the clients, and that time by
/// request. Neither is known if a client has not got all that it asked for.
fn measure(outcome: &Outcome) -> Record {
    let mut clients: BTreeMap<u32, Client> = BTreeMap::new();
    for flow in outcome.flows.iter().filter(|flow| flow.bytes < BULK) {
        if flow.destination == SERVER {
            let unknown = || Client { asked: 0, answered: 0, first: flow.started, last: flow.started };
            clients.entry(flow.source).or_insert_with(unknown).asked += 1;
        } else if let (SERVER, Some(delivered)) = (flow.source, flow.delivered)
            && let Some(client) = clients.get_mut(&flow.destination)
        {
            client.answered += 1;
            client.last = client.last.max(delivered);
        }
    }
    let has_all = !clients.is_empty() && clients.values().all(|client| client.asked == client.answered);
    let mean = |of: fn(&Client) -> f64| -> f64 {
        let sum: f64 = clients.values().map(of).sum();
        if has_all { sum / clients.len() as f64 } else { f64::NAN }
    };
    Record::new()
        .with("seconds", mean(Client::seconds))
        .with("request_us", mean(|client| client.seconds() * 1e6 / client.asked as f64))
}

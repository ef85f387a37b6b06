//! The same stations driven by the simulator and by the live driver: what is delivered is the same, byte by byte and in
//! the same order a flow, and so is the state at the end, as far as it does not depend on time.
#![cfg(unix)]

mod application;
mod firewall;
mod live_network;
mod scenario;
mod simulated;

use std::collections::BTreeMap;

use basis::Duration;
use netsim::switch::{Router, Spread, SwitchParameters};
use queues::{BufferPlan, DisciplinePlan};
use scenario::{Carrier, HOSTS, Outcome, Scenario, Switch};
use transports::tcp::{Algorithm, TcpParameters};

/// Returns a TCP whose TIME-WAIT lasts only a millisecond, because nothing here depends on it.
fn tcp(algorithm: Algorithm) -> TcpParameters {
    TcpParameters { time_wait: Duration::from_microseconds(1000), ..TcpParameters::data_center(algorithm) }
}

/// Runs a scenario by both drivers, and compares them.
fn agree(scenario: &Scenario) -> Outcome {
    let simulated = simulated::run(scenario);
    let live = live_network::run(scenario);
    assert_eq!(simulated, live, "the simulator, and the live driver");
    for (receiver, arrived) in simulated.arrived.iter().enumerate() {
        let expected: Vec<usize> = (0..HOSTS).filter(|&sender| sender != receiver).collect();
        let messages: BTreeMap<u32, usize> = arrived.iter().map(|(source, flow)| (*source, flow.len())).collect();
        assert_eq!(messages.len(), expected.len(), "host {receiver} hears from all others");
        assert!(messages.values().all(|&count| count == scenario.messages), "{messages:?}");
    }
    simulated
}

#[test]
fn hosts_with_ndp_behind_trimming_queues() {
    let scenario = Scenario {
        carrier: Carrier::Ndp,
        messages: 6,
        bytes: 60_000,
        discipline: DisciplinePlan::trimming(6 * 1524),
        switch: Switch::Router,
    };
    agree(&scenario);
}

#[test]
fn hosts_with_tcp_behind_queues_that_drop_and_mark() {
    for algorithm in [Algorithm::CUBIC, Algorithm::DCTCP] {
        let scenario = Scenario {
            carrier: Carrier::Tcp(tcp(algorithm)),
            messages: 4,
            bytes: 100_000,
            discipline: DisciplinePlan::Ecn { limit: 30 * 1524, threshold: 10 * 1524 },
            switch: Switch::Router,
        };
        agree(&scenario);
    }
}

/// The firewall remembers each connection that was opened from inside in two registers of bits.
#[test]
fn a_program_with_queues_ends_in_the_same_state() {
    let scenario = Scenario {
        carrier: Carrier::Tcp(tcp(Algorithm::CUBIC)),
        messages: 5,
        bytes: 40_000,
        discipline: DisciplinePlan::DropTail { limit: 20 * 1524 },
        switch: Switch::Firewall,
    };
    let outcome = agree(&scenario);
    let program = outcome.program.expect("the switch is a program");
    assert!(program.registers.iter().all(|register| register.len() >= scenario.messages), "{program:?}");
}

/// Returns the router of a switch.
fn router(
    index: usize,
    scenario: &Scenario,
    plan: &netsim::topology::SwitchPlan,
    ports: Vec<queues::PortPlan>,
) -> Router {
    let discipline = scenario.discipline.clone();
    let parameters = SwitchParameters { discipline, buffer: BufferPlan::default(), spread: Spread::Flow, seed: 1 };
    Router::new(index, plan, ports, &parameters)
}

//! Every program, with offloads on and off.

use crate::site::{LEARNING_SWITCH, Program, RATE_LIMITER, ROUTER, STATEFUL_FIREWALL, Site};
use crate::tool::with_tools;
use crate::{offloads, throughput, values, web};

const TOOLS: [&str; 7] = ["ping", "iperf3", "nginx", "wrk", "redis-server", "redis-benchmark", "ethtool"];

/// Runs all tools through a program. `pings` tells whether pings come back.
fn everything_crosses(name: &str, program: &Program, pings: bool) {
    with_tools(name, &TOOLS, || {
        let mut site = Site::new(program);
        for state in ["on", "off"] {
            offloads::set(&site, state);
            assert_eq!(site.ping(), pings, "pings with offloads {state}");
            throughput::transfers(&site);
            web::requests(&site);
            values::requests(&site);
        }
        site.assert_running();
    });
}

#[test]
fn through_the_router() {
    everything_crosses("programs::through_the_router", &ROUTER, true);
}

#[test]
fn through_the_learning_switch() {
    everything_crosses("programs::through_the_learning_switch", &LEARNING_SWITCH, true);
}

/// Only TCP that was opened from inside comes back.
#[test]
fn through_the_stateful_firewall() {
    everything_crosses("programs::through_the_stateful_firewall", &STATEFUL_FIREWALL, false);
}

#[test]
fn through_the_rate_limiter() {
    everything_crosses("programs::through_the_rate_limiter", &RATE_LIMITER, true);
}

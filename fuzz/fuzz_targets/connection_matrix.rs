//! Connection matrices: refused with reasons at places inside the text, or demands of hosts that can be asked for.

#![no_main]

use basis::{Instant, Rate};
use demand::{HostOf, Matrix, Workload};
use diagnostics::Sources;
use libfuzzer_sys::fuzz_target;

/// Hosts that a fuzzer is ready to make for each input.
const MOST_HOSTS: u32 = 256;
/// How often each of them is woken.
const MOST_WAKES: usize = 100;

fuzz_target!(|data: &[u8]| {
    let mut sources = Sources::new();
    let source = sources.add("fuzz.cm", String::from_utf8_lossy(data));
    let matrix = match Matrix::read(&sources, source) {
        Err(found) => return fuzz::is_reasoned(&sources, &found),
        Ok(matrix) => matrix,
    };
    let hosts = |count: u32| -> Vec<HostOf> {
        (0..count).map(|number| HostOf { address: number, rate: Rate::from_gigabits_per_second(100) }).collect()
    };
    let (nodes, count) = (matrix.nodes(), matrix.len());
    if nodes > MOST_HOSTS {
        return;
    }
    let workload = Workload::new(matrix);
    if nodes > 2 {
        assert!(workload.applications(&hosts(nodes - 1), 1).is_err(), "{nodes} nodes on fewer hosts");
    }
    let mut asked = 0;
    for mut application in workload.applications(&hosts(nodes.max(2)), 1).expect("as many hosts as nodes") {
        let mut now = Instant::ZERO;
        for _ in 0..MOST_WAKES {
            let Some(deadline) = application.deadline() else { break };
            now = now.max(deadline);
            let mut wanted = Vec::new();
            application.wake(now, &mut wanted);
            asked += wanted.len();
        }
    }
    assert!(asked <= count, "{asked} messages of {count} connections");
});

//! Sixteen hosts send to one, with NDP and with DCTCP: when has the last flow arrived?

use polyplane::{Failure, Network};

pub(crate) fn main() -> Result<(), Failure> {
    for (transport, queue) in [("ndp", "trimming"), ("dctcp", "ecn")] {
        let plan = format!(
            r#"
            [topology]
            kind = "leaf-spine"
            hosts = 8
            [transport]
            kind = "{transport}"
            [switch]
            queue = "{queue}"
            [[workload]]
            kind = "incast"
            senders = 16
            bytes = "100 kB"
            "#
        );
        let results = Network::from_text(transport, &plan)?.run()?;
        let flows = results.table("flows").expect("every run has a table of flows");
        let delivered = flows.numbers("delivered_ps").expect("flows have times of delivery");
        let last = delivered.into_iter().flatten().fold(0.0, f64::max);
        println!("{transport:<6} all there after {:.1} us, drops {:?}", last / 1e6, results.summary().drops);
    }
    Ok(())
}

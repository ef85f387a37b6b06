//! A congestion control of one's own, driven by delay, in a network whose plan names it.

use polyplane::extend::{CongestionAlgorithm, CongestionControl, Heard, TcpKind, Window};
use polyplane::{Failure, Network, Registry};

#[derive(Debug)]
struct ByDelay;
#[derive(Debug)]
struct Control {
    shortest: u64,
}
impl CongestionAlgorithm for ByDelay {
    fn name(&self) -> &'static str {
        "by-delay"
    }
    fn control(&self) -> Box<dyn CongestionControl> {
        Box::new(Control { shortest: u64::MAX })
    }
}

impl CongestionControl for Control {
    /// Takes a segment off the window for each round trip that is twice as long as the shortest.
    fn heard(&mut self, heard: &Heard, window: &mut Window) {
        let round_trip = heard.round_trip.map_or(0, |time| time.picoseconds());
        self.shortest = if round_trip > 0 { self.shortest.min(round_trip) } else { self.shortest };
        if round_trip / 2 > self.shortest {
            window.bytes = window.bytes.saturating_sub(window.segment);
            window.threshold = window.bytes;
        }
    }
}
polyplane::rooms::basis::snapshot!(Control { values shortest; });

pub(crate) fn main() -> Result<(), Failure> {
    let registry = Registry::default().transport(&TcpKind { algorithm: &ByDelay });
    let network = Network::read_with("crates/polyplane/examples/own_congestion_control.toml", &registry)?;
    println!("completion times in us: {:?}", network.run()?.summary().completion_time_us);
    Ok(())
}

//! The congestion window (RFC 5681), and the parts that the algorithms have in common.

mod control;
mod cubic;
mod dctcp;
mod new_reno;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use control::{Cause, CongestionAlgorithm, CongestionControl, Heard, Window};
pub use cubic::Cubic;
pub use dctcp::Dctcp;
pub use new_reno::NewReno;

/// The congestion window of a connection, and the algorithm that decides about it.
#[derive(Debug)]
pub struct Congestion {
    window: Window,
    control: Control,
}

#[derive(Debug)]
enum Control {
    /// The control of a connection that runs.
    Running(Box<dyn CongestionControl>),
    /// The state of a control that was written down, until [`Congestion::resume`] makes a control of it.
    Written(Vec<u8>),
}

impl Congestion {
    pub fn new(algorithm: &dyn CongestionAlgorithm) -> Self {
        let window = Window { bytes: 1, threshold: u64::MAX, segment: 1, credit: 0 };
        Self { window, control: Control::Running(algorithm.control()) }
    }

    /// Goes on from the state that was read, with the algorithm that the connection had.
    ///
    /// # Errors
    /// The state is none of this algorithm.
    pub fn resume(&mut self, algorithm: &dyn CongestionAlgorithm) -> Result<(), Unfit> {
        if let Control::Written(state) = &self.control {
            let mut control = algorithm.control();
            let mut from = Loader::new(state);
            control.restore(&mut from)?;
            from.finish()?;
            self.control = Control::Running(control);
        }
        Ok(())
    }

    /// Sets the initial window when the connection opens, given the payload of a full segment in bytes and the number
    /// of segments.
    pub fn open(&mut self, segment: u32, initial_window: u32) {
        self.window.segment = u64::from(segment);
        self.window.bytes = self.window.segment * u64::from(initial_window);
    }

    pub fn window(&self) -> u64 {
        self.window.bytes
    }

    pub fn is_slow_start(&self) -> bool {
        self.window.is_slow_start()
    }

    /// Grows the window for newly acknowledged bytes. Must be called only outside of fast recovery, and only if the
    /// window has limited the sender.
    pub fn acknowledged(&mut self, heard: &Heard) {
        if self.is_slow_start() {
            // RFC 5681, equation 2.
            self.window.bytes += heard.bytes.min(self.window.segment);
            return;
        }
        let (control, window) = self.parts();
        control.grow(heard, window);
        self.bound();
    }

    /// Tells the algorithm of an acknowledgement.
    pub fn heard(&mut self, heard: &Heard) {
        let (control, window) = self.parts();
        control.heard(heard, window);
        self.bound();
    }

    /// Reduces the window, which happens at most once per round trip; `in_flight` is FlightSize.
    pub fn reduce(&mut self, cause: Cause, in_flight: u64) {
        self.window.threshold = self.reduced(cause, in_flight);
        self.window.bytes = self.window.threshold;
        self.window.credit = 0;
    }

    /// Reduces the window to one segment after a timeout; `is_first` is true for the first timeout since something was
    /// acknowledged.
    pub fn timed_out(&mut self, in_flight: u64, is_first: bool) {
        // The threshold stays the same if the same segment times out again (RFC 5681, section 3.1).
        if is_first {
            self.window.threshold = self.reduced(Cause::Loss, in_flight);
        }
        let (control, _) = self.parts();
        control.timed_out();
        self.window.bytes = self.window.segment;
        self.window.credit = 0;
    }

    /// Limits the window at the end of a recovery without selective acknowledgements (RFC 6582, section 3.2, step 3,
    /// first option).
    pub fn limit(&mut self, in_flight: u64) {
        self.window.bytes = self.window.threshold.min(in_flight.max(self.window.segment) + self.window.segment);
    }

    /// Sets the initial window to one segment, because the SYN or SYN-ACK was lost (RFC 5681, section 3.1).
    pub fn opened_late(&mut self) {
        self.window.bytes = self.window.segment;
    }

    fn reduced(&mut self, cause: Cause, in_flight: u64) -> u64 {
        let (control, window) = self.parts();
        control.reduced(cause, window, in_flight).max(2 * self.window.segment)
    }

    /// A window of less than a segment would send nothing.
    fn bound(&mut self) {
        self.window.bytes = self.window.bytes.max(self.window.segment);
    }

    fn parts(&mut self) -> (&mut dyn CongestionControl, &mut Window) {
        match &mut self.control {
            Control::Running(control) => (&mut **control, &mut self.window),
            Control::Written(_) => unreachable!("a connection goes on after its control has been resumed"),
        }
    }
}

/// The state as serde has it: the window, and the control's own state as bytes.
type SerializedCongestion = ([u64; 4], Vec<u8>);

impl Serialize for Congestion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Window { bytes, threshold, segment, credit } = self.window;
        let state = match &self.control {
            Control::Running(control) => {
                let mut into = Saver::default();
                control.save(&mut into).map_err(serde::ser::Error::custom)?;
                into.into_bytes()
            }
            Control::Written(state) => state.clone(),
        };
        let written: SerializedCongestion = ([bytes, threshold, segment, credit], state);
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Congestion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ([bytes, threshold, segment, credit], state) = SerializedCongestion::deserialize(deserializer)?;
        Ok(Self { window: Window { bytes, threshold, segment, credit }, control: Control::Written(state) })
    }
}

#[cfg(test)]
mod tests {
    use basis::{Duration, Instant};

    use super::*;

    fn congestion(algorithm: &dyn CongestionAlgorithm) -> Congestion {
        let mut congestion = Congestion::new(algorithm);
        congestion.open(1000, 10);
        congestion
    }

    /// An acknowledgement of so many bytes.
    fn of(bytes: u64) -> Heard {
        Heard {
            now: Instant::ZERO,
            bytes,
            unacknowledged: 0,
            next: 0,
            round_trip: None,
            smoothed_round_trip: Duration::from_microseconds(100),
            has_echo: false,
        }
    }

    #[test]
    fn slow_start_adds_at_most_one_segment_per_ack() {
        let mut congestion = congestion(&NewReno);
        congestion.acknowledged(&of(2000));
        congestion.acknowledged(&of(300));
        assert_eq!(congestion.window(), 11_300);
    }

    #[test]
    fn congestion_avoidance_adds_one_segment_per_window() {
        let mut congestion = congestion(&NewReno);
        congestion.reduce(Cause::Loss, 40_000);
        assert_eq!(congestion.window(), 20_000);
        for acknowledgement in 1..=20 {
            congestion.acknowledged(&of(1000));
            assert_eq!(congestion.window(), if acknowledgement < 20 { 20_000 } else { 21_000 });
        }
    }

    #[test]
    fn the_window_is_never_reduced_below_two_segments() {
        for algorithm in [&NewReno as &dyn CongestionAlgorithm, &Cubic, &Dctcp] {
            for cause in [Cause::Loss, Cause::Mark] {
                let mut congestion = congestion(algorithm);
                (0..30).for_each(|_| congestion.reduce(cause, 1000));
                assert_eq!(congestion.window(), 2000);
            }
        }
    }

    #[test]
    fn a_repeated_timeout_keeps_the_threshold() {
        let mut congestion = congestion(&NewReno);
        congestion.timed_out(10_000, true);
        congestion.timed_out(1000, false);
        assert_eq!((congestion.window(), congestion.window.threshold), (1000, 5000));
    }
}

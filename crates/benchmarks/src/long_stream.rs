//! Measures MP5 on a stream that is too long to be held in memory.

use std::time::Instant as WallClock;

use machines::Device;
use machines::mp5::{Mp5, Mp5Parameters};
use measure::Counts;
use node::Reason;
use serde::Serialize;

use super::memory::resident;
use super::timing::{Verdict, fingerprint_text, time_interpreter, time_machine};
use diagnostics::Failure;
use papers::mp5::streams::{PERIOD, Pattern, PublishedShape, PublishedSizes, Stream, StreamPlan};

/// A generated stream like the published ones, and the MP5 that runs it by the paper's rules: four pipelines of 16
/// stages, 4 of them stateful, and packets at line rate that are distributed evenly over the flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongStream {
    /// The length of every packet in bytes, 64 to 65,535.
    pub packet_size: u32,
    /// The capacity of each FIFO of a stage in packets; `None` for unbounded FIFOs.
    pub fifo_depth: Option<u32>,
    /// The number of packets. It is rounded up so that each of the 64 ports gets the same number.
    pub packets: u64,
}

/// The progress of a run at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mark {
    /// The fraction of all packets that have been offered, in percent.
    pub percent: u64,
    /// The number of packets that have been offered.
    pub packets: u64,
    /// Seconds since the run began.
    pub seconds: f64,
    /// The resident set size of this process in bytes; `None` on systems other than Linux.
    pub resident_bytes: Option<u64>,
}

/// The result of a long stream. Rates are per second of wall-clock time, which includes making the packets.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredStream {
    /// The length of every packet in bytes.
    pub packet_size: u32,
    /// The capacity of each FIFO of a stage in packets; `None` for unbounded FIFOs.
    pub fifo_depth: Option<u32>,
    /// The number of packets that the machine received.
    pub packets: u64,
    /// The number of packets that the machine transmitted.
    pub transmitted: u64,
    /// The number of packets that were dropped, by reason.
    pub discarded: Counts<Reason>,
    /// The maximum number of packets, including phantoms, in the queue of one stage of one pipeline.
    pub largest_queue: u64,
    /// Packets per second.
    pub packets_per_second: f64,
    /// Stage cycles in which a stage held a packet, per second.
    pub stage_cycles_per_second: f64,
    /// The progress after 1, 10, 20, … and 100 percent of the packets.
    pub marks: Vec<Mark>,
    /// The fingerprint of the machine's registers at the end, in 16 hexadecimal digits.
    pub state: String,
    /// The fingerprint of the interpreter's registers at the end; `None` if the machine dropped packets, because then
    /// the interpreter would run packets that the machine did not.
    pub interpreter_state: Option<String>,
    /// Whether both fingerprints are equal, as they must be; `None` if the interpreter did not run.
    pub verdict: Option<Verdict>,
    /// Packets per second of the interpreter; `None` if it did not run.
    pub interpreter_packets_per_second: Option<f64>,
}

/// The capacity of each FIFO of a stage, in packets, when packets arrive faster than state can be accessed.
const BOUND: u32 = 64;

const SEED: u64 = 1;

impl LongStream {
    /// Returns the two streams of the benchmark: one of 128-byte packets, all of which the machine carries, and one of
    /// 64-byte packets, some of which it drops because its queues are full.
    pub fn both(packets: u64) -> [Self; 2] {
        [
            Self { packet_size: 128, fifo_depth: None, packets },
            Self { packet_size: 64, fifo_depth: Some(BOUND), packets },
        ]
    }

    fn stream(&self) -> Result<Stream, Failure> {
        let shape = PublishedShape { packet_size: PublishedSizes::Fixed(self.packet_size), ..PublishedShape::DEFAULT };
        if let Some(fault) = shape.faults().first() {
            return Err(Failure::plain(fault.clone()));
        }
        let packets_per_port = self.packets.div_ceil(shape.ports.into());
        let packets_per_port = u32::try_from(packets_per_port)
            .map_err(|_| Failure::plain(format!("{} packets are too many for {} ports", self.packets, shape.ports)))?;
        Ok(Stream::generate(&StreamPlan { shape, pattern: Pattern::Uniform, packets_per_port }, SEED))
    }

    fn machine(&self, stream: &Stream) -> Result<Mp5, Failure> {
        let parameters =
            Mp5Parameters { fifo_depth: self.fifo_depth, seed: SEED, period: PERIOD, ..Mp5Parameters::default() };
        Ok(Mp5::new(&stream.pipeline(), stream.binding(), parameters)?)
    }
}

/// An iterator over packets that reports its progress whenever certain percentages of them have been taken.
struct Marked<I, F> {
    packets: I,
    taken: u64,
    /// The reports that are still due, as percentages and numbers of packets, the next one last.
    ahead: Vec<(u64, u64)>,
    start: WallClock,
    tell: F,
}

impl<I: Iterator, F: FnMut(Mark)> Marked<I, F> {
    fn new(packets: I, of: u64, tell: F) -> Self {
        let percents = (1..=10).rev().map(|tenth| 10 * tenth).chain([1]);
        let at = |percent: u64| (u128::from(of) * u128::from(percent)).div_ceil(100) as u64;
        let ahead = percents.map(|percent| (percent, at(percent))).collect();
        Self { packets, taken: 0, ahead, start: WallClock::now(), tell }
    }
}

impl<I: Iterator, F: FnMut(Mark)> Iterator for Marked<I, F> {
    type Item = I::Item;

    // Reports progress when the next packet is requested: by then the machine has taken those before it.
    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        while let Some(&(percent, at)) = self.ahead.last()
            && self.taken >= at
        {
            self.ahead.pop();
            let seconds = self.start.elapsed().as_secs_f64();
            (self.tell)(Mark { percent, packets: self.taken, seconds, resident_bytes: resident() });
        }
        self.taken += 1;
        self.packets.next()
    }
}

/// Runs MP5 on a long stream, and then the interpreter on the same packets if none was dropped. `tell` is called with
/// the name of the runner, `mp5` or `interpreter`, and its progress.
///
/// # Errors
/// If the length of the packets is out of range, if there are too many for the ports, or if the machine does not become
/// idle.
pub fn long_stream(plan: &LongStream, tell: &mut dyn FnMut(&str, &Mark)) -> Result<MeasuredStream, Failure> {
    let stream = plan.stream()?;
    let mut machine = plan.machine(&stream)?;
    let count = stream.len();
    let mut marks = Vec::new();
    let packets = Marked::new(stream.packets(PERIOD), count, |mark| {
        tell("mp5", &mark);
        marks.push(mark);
    });
    let (seconds, ended) = time_machine(&mut machine, packets);
    ended?;
    let statistics = machine.statistics();
    let state = machine.state().registers.fingerprint();
    let interpreted = (statistics.discarded.total() == 0).then(|| {
        let packets = Marked::new(stream.packets(PERIOD), count, |mark| tell("interpreter", &mark));
        time_interpreter(&stream.program(), &stream.binding(), packets)
    });
    Ok(MeasuredStream {
        packet_size: plan.packet_size,
        fifo_depth: plan.fifo_depth,
        packets: statistics.received,
        transmitted: statistics.transmitted,
        largest_queue: statistics.largest_queue,
        packets_per_second: count as f64 / seconds,
        stage_cycles_per_second: statistics.stage_cycles as f64 / seconds,
        discarded: statistics.discarded,
        marks,
        state: fingerprint_text(state),
        interpreter_state: interpreted.map(|(_, state)| fingerprint_text(state)),
        verdict: interpreted.map(|(_, interpreter)| Verdict::of(state, interpreter)),
        interpreter_packets_per_second: interpreted.map(|(seconds, _)| count as f64 / seconds),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(plan: LongStream) -> MeasuredStream {
        long_stream(&plan, &mut |_, _| {}).unwrap()
    }

    #[test]
    fn a_stream_without_drops_ends_in_the_interpreters_state() {
        let [carried, _] = LongStream::both(20_000);
        let mut told = Vec::new();
        let measured = long_stream(&carried, &mut |who, mark| told.push((who.to_owned(), mark.percent))).unwrap();
        assert_eq!((measured.packets, measured.transmitted), (20_032, 20_032), "313 packets on each of 64 ports");
        assert_eq!(measured.verdict, Some(Verdict::Equal), "{measured:?}");
        let marks: Vec<_> = measured.marks.iter().map(|mark| (mark.percent, mark.packets)).collect();
        assert_eq!(marks[..3], [(1, 201), (10, 2004), (20, 4007)]);
        assert_eq!((marks.len(), marks[10]), (11, (100, 20_032)));
        let of = |name| told.iter().filter(|(who, _)| who == name).map(|&(_, percent)| percent).collect::<Vec<_>>();
        assert_eq!(of("mp5"), marks.iter().map(|&(percent, _)| percent).collect::<Vec<_>>());
        assert_eq!(of("interpreter"), of("mp5"));
    }

    #[test]
    fn full_queues_drop_packets_and_count_them() {
        // Enough packets for an unbounded queue to grow beyond the bound.
        let [_, bounded] = LongStream::both(60_000);
        let measured = run(bounded);
        assert!(measured.discarded.total() > 0, "{measured:?}");
        assert_eq!(measured.packets, measured.transmitted + measured.discarded.total());
        assert!(measured.largest_queue <= 4 * u64::from(BOUND), "a FIFO for each of four pipelines: {measured:?}");
        assert_eq!((measured.verdict, measured.interpreter_state), (None, None));
        let free = run(LongStream { fifo_depth: None, ..bounded });
        assert!(free.largest_queue > 4 * u64::from(BOUND) && free.verdict == Some(Verdict::Equal), "{free:?}");
    }

    #[test]
    fn impossible_streams_are_rejected() {
        let plan = LongStream { packet_size: 128, fifo_depth: None, packets: 128 };
        let refused = |plan| long_stream(&plan, &mut |_, _| {}).unwrap_err().render(false);
        let text = refused(LongStream { packet_size: 12, ..plan });
        assert!(text.contains("packets of 12 bytes, but 64 to 65535 are possible"), "{text}");
        let text = refused(LongStream { packets: u64::MAX, ..plan });
        assert!(text.contains("are too many for 64 ports"), "{text}");
    }
}

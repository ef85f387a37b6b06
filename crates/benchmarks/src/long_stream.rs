//! A stream that is far longer than what memory would hold of it.

use std::time::Instant as WallClock;

use machines::Device;
use machines::mp5::{Mp5, Parameters};
use measure::Counts;
use node::Reason;
use serde::Serialize;

use super::memory::resident;
use super::timing::{Verdict, fingerprint_text, time_interpreter, time_machine};
use diagnostics::Failure;
use papers::mp5::streams::{PERIOD, Pattern, PublishedShape, PublishedSizes, Stream, StreamPlan};

/// A generated stream like the published ones: four pipelines of 16 stages, 4 of them with state, packets at line rate
/// spread evenly over the flows; on an MP5 by the paper's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongStream {
    /// The packets' length in bytes, 64 to 65,535.
    pub packet_size: u32,
    /// Places in each FIFO of a stage; `None` grows them.
    pub fifo_depth: Option<u32>,
    /// How many packets; the ports get equally many, so that there may be up to 63 more.
    pub packets: u64,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mark {
    /// Of all packets, how many have been offered, in percent.
    pub percent: u64,
    /// How many packets that are.
    pub packets: u64,
    /// Seconds since the run began.
    pub seconds: f64,
    /// What this process has in memory, in bytes; `None` where the system does not say.
    pub resident_bytes: Option<u64>,
}

/// What came of a long stream. Rates are of this computer's time, the making of the packets included.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredStream {
    /// The packets' length in bytes.
    pub packet_size: u32,
    /// Places in each FIFO of a stage; `None` if they grow.
    pub fifo_depth: Option<u32>,
    /// Packets that came.
    pub packets: u64,
    /// Packets that left.
    pub transmitted: u64,
    /// Packets that were dropped, by reason.
    pub discarded: Counts<Reason>,
    /// The most packets, phantoms among them, in the queue of one stage of one pipeline.
    pub largest_queue: u64,
    /// Packets per second.
    pub packets_per_second: f64,
    /// Stages that held a packet, per second.
    pub stage_cycles_per_second: f64,
    /// After 1, 10, 20, … and 100 percent of the packets.
    pub marks: Vec<Mark>,
    /// A fingerprint of the registers at the end, 16 hexadecimal digits.
    pub state: String,
    /// The interpreter's; `None` if packets were dropped, for then it has run others.
    pub interpreter_state: Option<String>,
    /// Whether both are the same, as they must be.
    pub verdict: Option<Verdict>,
    /// Packets per second of the interpreter.
    pub interpreter_packets_per_second: Option<f64>,
}

/// Places in each FIFO of a stage, for packets that come faster than state can be accessed.
const BOUND: u32 = 64;

const SEED: u64 = 1;

impl LongStream {
    /// The two streams of the benchmark: packets of 128 bytes, all of which the machine carries, and packets of 64
    /// bytes, of which it drops what does not fit its queues.
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
            Parameters { fifo_depth: self.fifo_depth, seed: SEED, period: PERIOD, ..Parameters::default() };
        Ok(Mp5::new(&stream.pipeline(), stream.binding(), parameters)?)
    }
}

/// Packets, with a look at how far they are whenever so many percent of them have been taken.
struct Marked<I, F> {
    packets: I,
    taken: u64,
    /// In percent and in packets, the next one last.
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

    // A look comes when the packet after is asked for: those before it are with the machine then.
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

/// Runs a long stream packet by packet, and then the interpreter on the same packets if none was dropped. `tell` is
/// called now and then with how far which of them is.
///
/// # Errors
/// Packets that no switch has, and more than ports can send.
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
    fn a_stream_that_is_carried_ends_in_the_interpreters_state() {
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
    fn what_does_not_fit_bounded_queues_is_dropped_and_counted() {
        // So many that a queue that is not bounded grows beyond these bounds.
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
    fn what_no_switch_has_is_refused() {
        let plan = LongStream { packet_size: 128, fifo_depth: None, packets: 128 };
        let refused = |plan| long_stream(&plan, &mut |_, _| {}).unwrap_err().render(false);
        let text = refused(LongStream { packet_size: 12, ..plan });
        assert!(text.contains("packets of 12 bytes, but 64 to 65535 are possible"), "{text}");
        let text = refused(LongStream { packets: u64::MAX, ..plan });
        assert!(text.contains("are too many for 64 ports"), "{text}");
    }
}

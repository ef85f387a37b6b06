//! One run of a contender, with everything that the microbenchmarks of section 4.3.2 measure.

use basis::Instant;
use machines::drive;
use machines::pipelines::events::Access;
use measure::{Event, Interest};
use node::{Discarded, Sink, Transmission};

use super::order::{AccessLog, Violations};
use crate::mp5::streams::{Contender, PERIOD, Rules, Stream, StreamOutcome, run_stream, stream_machine};
use diagnostics::Failure;

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipleOutcome {
    /// The throughput and counters of the stream.
    pub outcome: StreamOutcome,
    /// The shares of packets that violated condition C1, by each way of counting.
    pub violations: Violations,
}

impl PrincipleOutcome {
    /// The mean number of passes through a pipeline per packet, not counting the first.
    pub fn recirculations_per_packet(&self) -> f64 {
        self.outcome.recirculations as f64 / self.outcome.packets.max(1) as f64
    }
}

/// Runs a contender on a stream.
///
/// # Errors
/// Fails with a resource report if the machine cannot be built, or if packets get stuck in it.
pub fn run_principle(
    stream: &Stream,
    contender: &Contender,
    rules: Rules,
    seed: u64,
) -> Result<PrincipleOutcome, Failure> {
    let outcome = run_stream(stream, contender, rules, seed)?;
    // Without overtaking there is nothing to count, and the order of all accesses takes more memory than the packets of
    // a run.
    let violations = if outcome.violations == 0 {
        Violations::default()
    } else {
        let mut log = Log::default();
        let mut machine = stream_machine(stream, contender, rules, seed)?;
        let interest = Interest::of::<Access>();
        drive(&mut *machine, stream.packets(PERIOD), interest, &mut log)?;
        log.0.violations(outcome.packets)
    };
    Ok(PrincipleOutcome { outcome, violations })
}

#[derive(Default)]
struct Log(AccessLog);

impl Sink for Log {
    fn transmitted(&mut self, _: Transmission) {}

    fn discarded(&mut self, _: Instant, _: Discarded) {}

    fn event(&mut self, _: Instant, event: Event) {
        if let Ok(Access { unit, index, sequence }) = event.read() {
            self.0.add(unit, index, sequence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mp5::principles::States;
    use crate::mp5::streams::{Pattern, PublishedShape, PublishedSizes, StreamPlan};

    fn run(states: States, contender: Contender, pipelines: u32, stateful_stages: u32) -> PrincipleOutcome {
        let packet_size = PublishedSizes::Fixed(64);
        let shape =
            PublishedShape { ports: 64, pipelines, stages: 16, stateful_stages, register_size: 512, packet_size };
        let stream = states.stream(&StreamPlan { shape, pattern: Pattern::Skewed, packets_per_port: 30 }, 5);
        run_principle(&stream, &contender, Rules::paper(), 5)
            .unwrap_or_else(|failure| panic!("{}", failure.render(false)))
    }

    /// [`equivalence::AccessOrder`] counts while packets fly, in another way.
    #[test]
    fn counts_overtaking_packets_like_the_comparison() {
        for contender in [Contender::NoPhantoms, Contender::Recirculating] {
            let PrincipleOutcome { outcome, violations } = run(States::OfPackets, contender, 4, 4);
            assert!(outcome.violations > 100, "{contender}: {outcome:?}");
            let share = outcome.violations as f64 / outcome.packets as f64;
            assert_eq!(violations.overtaking, share, "{contender}");
        }
    }

    #[test]
    fn phantoms_keep_the_order_of_crossing_packets() {
        assert_eq!(run(States::OfPackets, Contender::Mp5, 4, 4).violations, Violations::default());
    }

    /// Section 4.3.2, D3.
    #[test]
    fn frequent_recirculation_is_slower_than_one_pipeline() {
        let [few, many, naive] =
            [(1, Contender::Recirculating), (10, Contender::Recirculating), (10, Contender::Naive)]
                .map(|(stages, contender)| run(States::OfFlows, contender, 2, stages));
        assert!(few.recirculations_per_packet() < 1.0 && few.outcome.throughput > naive.outcome.throughput);
        assert!(many.recirculations_per_packet() > 2.0 && many.outcome.throughput < naive.outcome.throughput);
    }
}

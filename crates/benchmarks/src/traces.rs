//! Measures MP5 on the traces that its artifact was measured with.

use machines::mp5::Rules;
use serde::Serialize;

use super::published_simulator::{PUBLISHED_PIPELINES, PUBLISHED_RATE, published_best_rate};
use super::timing::{RUNS, Verdict, best_of_each, fingerprint_text, time_interpreter, time_machine};
use diagnostics::Failure;
use papers::mp5::streams::{Contender, PERIOD, Pattern, Stream, stream_machine};
use papers::mp5::suite::{ShippedStream, shipped_streams};

/// The speed of MP5 on a trace under some rules. Rates are per second of wall-clock time, which includes making the
/// packets for both MP5 and the interpreter.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredTrace {
    /// The name of the trace's file.
    pub trace: String,
    /// The distribution of packets over flows: `uniform` or `skewed`.
    pub pattern: &'static str,
    /// The number of pipelines of the switch.
    pub pipelines: u32,
    /// The machine's rules, as `--rules` takes them.
    pub rules: String,
    /// The number of packets in the trace.
    pub packets: u64,
    /// Packets per second.
    pub packets_per_second: f64,
    /// Stage cycles in which a stage held a packet, per second.
    pub stage_cycles_per_second: f64,
    /// Packets per second of the interpreter.
    pub interpreter_packets_per_second: f64,
    /// The speed relative to the interpreter.
    pub against_interpreter: f64,
    /// The speed relative to the published simulator ([`PUBLISHED_RATE`]); `None` where its speed is not known.
    pub against_published: Option<f64>,
    /// The speed relative to the published simulator's best run ([`published_best_rate`]); `None` where its speed is
    /// not known.
    pub against_published_best: Option<f64>,
    /// The fingerprint of the machine's registers at the end, in 16 hexadecimal digits.
    pub state: String,
    /// The fingerprint of the interpreter's registers at the end.
    pub interpreter_state: String,
    /// Whether both fingerprints are equal.
    pub verdict: Verdict,
    /// Whether both fingerprints must be equal. This holds under the paper's rules; the artifact's rules do not keep
    /// the order of arrival.
    pub must_be_equal: bool,
}

/// Measures MP5 on the shipped traces for 1 to 16 pipelines, by the paper's rules and by the artifact's.
///
/// Each trace runs until about `packets` packets have passed, and at least three times, alternating with the
/// interpreter; the fastest runs count. A new machine is built for each run, before the clock starts.
///
/// # Errors
/// If a shipped trace cannot be read or run, which would be a bug.
pub fn traces(packets: u64) -> Result<Vec<MeasuredTrace>, Failure> {
    let mut measured = Vec::new();
    for ShippedStream { name, pattern, stream } in shipped_streams()? {
        for rules in [Rules::paper(), Rules::artifact()] {
            measured.push(measure(&stream, name.clone(), pattern, rules, packets)?);
        }
    }
    Ok(measured)
}

fn measure(
    stream: &Stream,
    trace: String,
    pattern: Pattern,
    rules: Rules,
    packets: u64,
) -> Result<MeasuredTrace, Failure> {
    // Errors in building the machine are reported before anything is measured.
    stream_machine(stream, &Contender::Mp5, rules, 1)?;
    let runs = (packets / stream.len().max(1)).max(RUNS);
    let run_machine = || {
        let machine = stream_machine(stream, &Contender::Mp5, rules, 1);
        let mut machine = machine.unwrap_or_else(|_| unreachable!("one was built above"));
        let (seconds, ended) = time_machine(&mut *machine, stream.packets(PERIOD));
        (seconds, (machine.statistics().stage_cycles, machine.state().registers.fingerprint(), ended))
    };
    let (program, binding) = (stream.program(), stream.binding());
    let run_interpreter = || time_interpreter(&program, &binding, stream.packets(PERIOD));
    let ((seconds, (stage_cycles, state, ended)), (interpreter_seconds, interpreter_state)) =
        best_of_each(runs, run_machine, run_interpreter);
    ended?;
    let rate = stream.len() as f64 / seconds;
    let interpreter_rate = stream.len() as f64 / interpreter_seconds;
    let pipelines = stream.shape().pipelines;
    let against = |published: f64| (pipelines == PUBLISHED_PIPELINES).then_some(rate / published);
    Ok(MeasuredTrace {
        trace,
        pattern: pattern.name(),
        pipelines,
        rules: rules.to_string(),
        packets: stream.len(),
        packets_per_second: rate,
        stage_cycles_per_second: stage_cycles as f64 / seconds,
        interpreter_packets_per_second: interpreter_rate,
        against_interpreter: rate / interpreter_rate,
        against_published: against(PUBLISHED_RATE),
        against_published_best: against(published_best_rate(pattern)),
        state: fingerprint_text(state),
        interpreter_state: fingerprint_text(interpreter_state),
        verdict: Verdict::of(state, interpreter_state),
        must_be_equal: rules == Rules::paper(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use papers::mp5::streams::interpret_stream;

    #[test]
    fn every_trace_ends_in_the_state_of_the_interpreter() {
        let measured = traces(0).unwrap();
        assert_eq!(measured.len(), 6 * 2 * 2, "pipelines, patterns, rules");
        for (shipped, rows) in shipped_streams().unwrap().iter().zip(measured.chunks_exact(2)) {
            let expected = fingerprint_text(interpret_stream(&shipped.stream));
            let (paper, artifact) = (&rows[0], &rows[1]);
            assert_eq!((&paper.state, &paper.interpreter_state), (&expected, &expected), "{paper:?}");
            assert_eq!((paper.verdict, paper.must_be_equal), (Verdict::Equal, true));
            assert_eq!((&*artifact.rules, artifact.must_be_equal), ("artifact", false));
            assert_eq!((paper.pipelines, paper.pattern), (shipped.stream.shape().pipelines, shipped.pattern.name()));
            assert_eq!(paper.against_published.is_some(), paper.pipelines == 4);
        }
    }
}

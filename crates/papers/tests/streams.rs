//! Tests of streams of the published format, and of machines that run them.

use ir::interpret::{Interpreter, PipelineInterpreter};
use papers::mp5::streams::{
    Contender, PERIOD, Pattern, PublishedShape, PublishedSizes, Rules, Stream, StreamPlan, interpret_stream, run_stream,
};
use proptest::prelude::*;
use traffic::{PublishedPacket, PublishedTrace, StatefulAccess};

fn plan(shape: PublishedShape, pattern: Pattern, packets_per_port: u32) -> StreamPlan {
    StreamPlan { shape, pattern, packets_per_port }
}

fn shapes() -> impl Strategy<Value = PublishedShape> {
    let sizes = prop_oneof![Just(PublishedSizes::Fixed(64)), Just(PublishedSizes::Bimodal)];
    (1..=16u32, 1..=4u32, 1..=16u32, 0..=16u32, 1..=40u32, sizes).prop_map(
        |(pipelines, ports, stages, stateful, register_size, packet_size)| PublishedShape {
            ports: pipelines * ports,
            pipelines,
            stages,
            stateful_stages: stateful.min(stages),
            register_size,
            packet_size,
        },
    )
}

fn patterns() -> impl Strategy<Value = Pattern> {
    prop_oneof![Just(Pattern::Uniform), Just(Pattern::Skewed)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn mp5_ends_in_the_interpreters_state(shape in shapes(), pattern in patterns(), seed in 0..1000u64) {
        let stream = Stream::generate(&plan(shape, pattern, 25), seed);
        let outcome = run_stream(&stream, &Contender::Mp5, Rules::paper(), seed).unwrap();
        prop_assert_eq!(outcome.state, interpret_stream(&stream));
        prop_assert_eq!((outcome.violations, outcome.discarded), (0, 0));
        prop_assert_eq!(outcome.packets, u64::from(shape.ports) * 25);
        prop_assert!(outcome.last_departure >= outcome.last_arrival + u64::from(shape.depth()));
    }

    #[test]
    fn its_pipeline_is_a_pipeline_and_does_what_its_program_does(
        shape in shapes(), pattern in patterns(), seed in 0..1000u64,
    ) {
        let stream = Stream::generate(&plan(shape, pattern, 10), seed);
        let (pipeline, program, binding) = (stream.pipeline(), stream.program(), stream.binding());
        prop_assert_eq!(pipeline.verify(), Ok(()));
        prop_assert!(ir::verify::program(&program).is_ok());
        prop_assert_eq!(pipeline.depth(), shape.depth() as usize);
        let (mut staged, mut plain) = (PipelineInterpreter::new(&pipeline), Interpreter::new(&program));
        let mut values = vec![0; program.variables.len()];
        let mut expected = values.clone();
        let mut loads: Vec<Vec<u64>> = stream.loads().iter().map(|loads| vec![0; loads.len()]).collect();
        for (offered, (packet, accesses)) in stream.packets(PERIOD).zip(stream.clone().trace().packets()) {
            prop_assert!(binding.load(&offered.packet, offered.port.0, &mut values));
            expected.copy_from_slice(&values);
            prop_assert_eq!(offered.at.picoseconds(), packet.cycle * PERIOD.picoseconds());
            let mut touched = Vec::new();
            plain.packet_observed(&mut expected, &mut |register, index| touched.push((register.index(), index)));
            touched.dedup();
            let stages = stream.stateful_stages();
            let named = touched.iter().map(|&(place, index)| (stages[place], index as u32));
            prop_assert!(named.eq(accesses.iter().map(|access| (access.stage, access.index))));
            touched.into_iter().for_each(|(place, index)| loads[place][index] += 1);
            prop_assert_eq!(staged.packet_checked(&mut values), Ok(()));
            let fields = program.fields().count();
            prop_assert_eq!(&values[..fields], &expected[..fields]);
        }
        prop_assert_eq!(staged.registers(), plain.registers());
        prop_assert_eq!(loads, stream.loads());
    }

    #[test]
    fn packets_are_the_same_whether_they_are_kept_or_made_again(
        shape in shapes(), pattern in patterns(), seed in 0..1000u64,
    ) {
        let made = Stream::generate(&plan(shape, pattern, 10), seed);
        let kept = Stream::of_trace(shape, made.clone().trace().clone());
        prop_assert!(made.packets(PERIOD).eq(kept.packets(PERIOD)));
        prop_assert_eq!(made.loads(), kept.loads());
        prop_assert_eq!((made.len(), made.last_arrival()), (kept.len(), kept.last_arrival()));
    }
}

/// A stream whose packets all access one index of one stage.
fn one_place(pipelines: u32, packets: u32) -> Stream {
    let ports = pipelines;
    let shape = PublishedShape { ports, pipelines, stateful_stages: 1, ..PublishedShape::DEFAULT };
    let flows = vec![vec![StatefulAccess { stage: 5, index: 7 }]];
    let packets = (0..packets).map(|n| PublishedPacket::new((n / ports).into(), (n % ports) as u16, 64, 1)).collect();
    Stream::of_trace(shape, PublishedTrace::of_parts(flows, packets).unwrap())
}

#[test]
fn the_final_state_depends_on_the_order_of_accesses() {
    let stream = one_place(4, 400);
    let expected = interpret_stream(&stream);
    let run = |contender| run_stream(&stream, &contender, Rules::paper(), 1).unwrap();
    let mp5 = run(Contender::Mp5);
    assert_eq!((mp5.state, mp5.violations), (expected, 0));
    // Packets of other pipelines come round again and meet later packets of the state's own pipeline.
    let recirculating = run(Contender::Recirculating);
    assert!(recirculating.violations > 0 && recirculating.recirculations > 0);
    assert_ne!(recirculating.state, expected);
}

#[test]
fn an_index_serves_one_packet_per_cycle() {
    // 400 packets at 4 a cycle arrive in cycles 0 to 99 and need 400 cycles, and the last one passes what comes behind
    // stage 5: 10 stages more. The machine has one stage for address resolution in front.
    let outcome = run_stream(&one_place(4, 400), &Contender::Mp5, Rules::paper(), 0).unwrap();
    assert_eq!((outcome.last_arrival, outcome.last_departure), (99, 6 + 400 + 10));
    assert_eq!(outcome.throughput, 99.0 / 416.0);
    // Steady are cycles 9 to 99, and 17 later for departures. Packet n leaves in cycle 17 + n: 91, of 91 * 4 that
    // arrive.
    assert_eq!(outcome.steady_throughput, 91.0 / 364.0);
    assert_eq!(outcome.packets, 400);
}

#[test]
fn without_state_every_packet_passes_at_line_rate() {
    let shape = PublishedShape { stateful_stages: 0, ..PublishedShape::DEFAULT };
    let stream = Stream::generate(&plan(shape, Pattern::Uniform, 100), 3);
    assert_eq!((stream.len(), stream.stateful_stages(), stream.loads().len()), (6400, &[][..], 0));
    assert!(stream.trace().arrivals().iter().all(|packet| packet.flow == 0));
    let outcome = run_stream(&stream, &Contender::Mp5, Rules::paper(), 0).unwrap();
    // Some packets of one pipeline arrive in one cycle, so a queue of a few may be there at the end.
    assert!((17..40).contains(&(outcome.last_departure - outcome.last_arrival)), "{outcome:?}");
    assert_eq!(outcome.state, interpret_stream(&stream));
}

#[test]
fn every_contender_runs_and_has_its_name() {
    let shape = PublishedShape { register_size: 64, ..PublishedShape::DEFAULT };
    let stream = Stream::generate(&plan(shape, Pattern::Skewed, 100), 1);
    for contender in Contender::ALL {
        assert_eq!(Contender::from_name(contender.name()), Some(contender));
        let outcome = run_stream(&stream, &contender, Rules::paper(), 1).unwrap();
        assert_eq!((outcome.packets, outcome.discarded), (6400, 0), "{contender}");
        // Every index of such a stream belongs to one flow, and nobody overtakes within a flow without phantoms either.
        assert_eq!(outcome.violations == 0, contender != Contender::Recirculating, "{contender}");
        assert_eq!(outcome.state == interpret_stream(&stream), outcome.violations == 0, "{contender}");
    }
}

#[test]
fn refuses_file_names_without_a_shape() {
    let refused = |name: &str| {
        let failure = Stream::read("flows.csv".as_ref(), name.as_ref()).unwrap_err();
        (failure.exit_status(), failure.render(false))
    };
    let (status, text) = refused("trace.csv");
    assert!(status == 2 && text.contains("this name says no shape"), "{text}");
    let (_, text) = refused("uniform_64_0_16_4_512_64.csv");
    assert!(text.contains("0 pipelines, but a switch has 1 to 64"), "{text}");
}

//! Traces like the published ones: the promises of their generator, the same promises for the published files, and
//! writing and reading of files.

mod common;

use std::collections::BTreeMap;

use common::{assert_findings, file, rendered};
use proptest::prelude::*;
use traffic::{
    Input, PublishedPacket, PublishedPattern, PublishedPlan, PublishedShape, PublishedSizes, PublishedTrace,
    StatefulAccess,
};

fn shapes() -> impl Strategy<Value = PublishedShape> {
    let sizes = prop_oneof![(64..=1500u32).prop_map(PublishedSizes::Fixed), Just(PublishedSizes::Bimodal)];
    (1..=8u32, 1..=8u32, 1..=16u32, 0..=16u32, 1..=64u32, sizes).prop_map(
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

fn plans() -> impl Strategy<Value = PublishedPlan> {
    let pattern = prop_oneof![Just(PublishedPattern::Uniform), Just(PublishedPattern::Skewed)];
    (shapes(), pattern, 0..40u32).prop_map(|(shape, pattern, packets_per_port)| PublishedPlan {
        shape,
        pattern,
        packets_per_port,
    })
}

/// Asserts everything that the description of the format says about traces.
fn assert_is_like_the_published(shape: &PublishedShape, trace: &PublishedTrace) {
    assert_eq!(shape.faults(), Vec::<String>::new());
    let stateful = shape.stateful_stages as usize;
    let mut indices: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for accesses in trace.flows().filter(|accesses| !accesses.is_empty()) {
        assert!((1..=stateful).contains(&accesses.len()), "a flow uses 1 to {stateful} stages");
        assert!(accesses.windows(2).all(|pair| pair[0].stage < pair[1].stage));
        accesses.iter().for_each(|access| indices.entry(access.stage).or_default().push(access.index));
    }
    assert!(indices.len() <= stateful);
    assert!(indices.keys().all(|&stage| stage + 1 < shape.depth()), "the last stage keeps no state");
    for (stage, taken) in &indices {
        let expected: Vec<u32> = (0..taken.len() as u32).collect();
        assert_eq!(taken, &expected, "the flows take the indices of stage {stage} one after the other");
    }
    let most = indices.values().map(Vec::len).max();
    assert_eq!(most, (stateful > 0).then_some(shape.register_size as usize), "until one stage has no index left");

    let unit = u64::from(shape.ports / shape.pipelines);
    let mut last: BTreeMap<u16, PublishedPacket> = BTreeMap::new();
    for packet in trace.arrivals() {
        assert!(u32::from(packet.port) < shape.ports && (packet.flow == 0) == (stateful == 0));
        match shape.packet_size {
            PublishedSizes::Fixed(size) => assert_eq!(packet.size, size),
            PublishedSizes::Bimodal => assert!([256, 1472].contains(&packet.size)),
        }
        let due = last.insert(packet.port, *packet).map(|last| last.cycle + u64::from(last.size / 64) * unit);
        assert!(due.map_or(packet.cycle < unit, |due| packet.cycle == due), "{packet:?} is due at {due:?}");
    }
    let order = |packet: &PublishedPacket| (packet.cycle, packet.port);
    assert!(trace.arrivals().is_sorted_by_key(order));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn generated_traces_resemble_the_published_ones(plan in plans(), seed in any::<u64>()) {
        let trace = plan.trace(seed);
        assert_is_like_the_published(&plan.shape, &trace);
        prop_assert_eq!(trace.len() as u32, plan.shape.ports * plan.packets_per_port);
        prop_assert_eq!(&trace, &plan.trace(seed));
        // Made one after the other, the packets are the same, and their number is known.
        let flows = trace.flows().filter(|accesses| !accesses.is_empty()).count();
        let packets = plan.packets(flows, seed);
        prop_assert_eq!(packets.size_hint(), (trace.len(), Some(trace.len())));
        prop_assert!(packets.eq(trace.arrivals().iter().copied()));
    }

    #[test]
    fn a_trace_survives_writing_and_reading(plan in plans(), seed in any::<u64>()) {
        let trace = plan.trace(seed);
        let (mut flows, mut packets) = (Vec::new(), Vec::new());
        trace.write_flows(&mut flows).unwrap();
        trace.write_packets(&mut packets).unwrap();
        let (flows, packets) = (file("f", flows), file("p", packets));
        let read = PublishedTrace::read_for(&plan.shape, &flows, &packets);
        prop_assert_eq!(read.map_err(rendered), Ok(trace));
        let name = plan.shape.file_name(plan.pattern.published_name());
        prop_assert_eq!(PublishedShape::from_name(&name), Some(plan.shape));
    }
}

#[test]
fn a_skewed_trace_has_the_skew_of_its_plan() {
    let shape = PublishedShape { stateful_stages: 1, register_size: 100, ..PublishedShape::DEFAULT };
    let of_busy = |pattern| {
        let trace = PublishedPlan { shape, pattern, packets_per_port: 1000 }.trace(5);
        let mut counts = [0u32; 100];
        trace.arrivals().iter().for_each(|packet| counts[packet.flow as usize - 1] += 1);
        assert!(counts.iter().all(|&count| count > 0), "every flow has packets");
        f64::from(counts[..30].iter().sum::<u32>()) / trace.len() as f64
    };
    // The tolerance is five standard deviations of 64,000 draws.
    assert!((of_busy(PublishedPattern::Skewed) - 0.95).abs() < 0.0044);
    assert!((of_busy(PublishedPattern::Uniform) - 0.3).abs() < 0.0092);
}

#[test]
fn a_single_flow_gets_all_packets() {
    let shape = PublishedShape { stateful_stages: 1, register_size: 1, ..PublishedShape::DEFAULT };
    let trace = PublishedPlan { shape, pattern: PublishedPattern::Skewed, packets_per_port: 9 }.trace(0);
    assert!(trace.flows().len() == 1 && trace.arrivals().iter().all(|packet| packet.flow == 1));
}

#[test]
fn stages_depend_on_the_seed_or_are_given() {
    let plan =
        PublishedPlan { shape: PublishedShape::DEFAULT, pattern: PublishedPattern::Uniform, packets_per_port: 1 };
    let mut seen = [false; 15];
    (0..100).flat_map(|seed| plan.stateful_stages(seed)).for_each(|stage| seen[stage as usize] = true);
    assert_eq!(seen, [true; 15]);
    assert!(plan.flows(&[1, 4], 0).iter().flatten().all(|access| [1, 4].contains(&access.stage)));
}

#[test]
fn flow_0_accesses_nothing_and_may_be_left_out() {
    let packets = file("p", "header\n0,64,0,4\n1,64,0,2\n");
    let trace = PublishedTrace::read(&file("f", "header\n"), &packets).unwrap();
    let seen: Vec<_> = trace.packets().map(|(packet, accesses)| (packet.port, accesses.len())).collect();
    assert_eq!((seen, trace.flows().len()), (vec![(1, 0), (0, 0)], 1));
    let given = PublishedTrace::read(&file("f", "header\n0,3,9\n"), &packets).unwrap();
    assert!(given.packets().all(|(_, accesses)| accesses == [StatefulAccess { stage: 3, index: 9 }]));
}

#[test]
fn equal_times_are_ordered_by_port() {
    let (flows, packets) = (file("f", "h\n1,2,3\n"), file("p", "h\n3,64,1,5\n1,64,1,5\n9,64,1,4\n1,65,1,5\n"));
    let trace = PublishedTrace::read_for(&PublishedShape::DEFAULT, &flows, &packets).unwrap();
    let ports: Vec<_> = trace.arrivals().iter().map(|packet| (packet.port, packet.size)).collect();
    assert_eq!(ports, [(9, 64), (1, 64), (1, 65), (3, 64)]);
}

#[test]
fn reports_values_outside_the_shape_with_positions() {
    let (flows, packets) = (file("f.csv", "h\n1,16,0\n2,3,512\n3,15,511\n"), file("p.csv", "h\n64,64,1,0\n"));
    let read = PublishedTrace::read_for(&PublishedShape::DEFAULT, &flows, &packets);
    assert_findings(
        &rendered(read.unwrap_err()),
        &[
            ("f.csv:2:3", "`16` is not a valid stage", "a number from 0 to 15"),
            ("f.csv:3:5", "`512` is not a valid index", "a number from 0 to 511"),
            ("p.csv:2:1", "`64` is not a valid port", "a number from 0 to 63"),
        ],
    );
}

#[test]
fn inconsistent_parts_make_no_trace() {
    let access = |stage, index| StatefulAccess { stage, index };
    let packets = || vec![PublishedPacket::new(7, 0, 64, 2), PublishedPacket::new(3, 1, 64, 0)];
    let trace = PublishedTrace::of_parts(vec![vec![], vec![access(5, 1), access(2, 0)]], packets()).unwrap();
    let seen: Vec<_> = trace.packets().map(|(packet, accesses)| (packet.cycle, accesses.to_vec())).collect();
    assert_eq!(seen, [(3, vec![]), (7, vec![access(2, 0), access(5, 1)])]);
    assert_eq!(PublishedTrace::of_parts(vec![vec![]], packets()), None, "there is no flow 2");
    assert_eq!(PublishedTrace::of_parts(vec![vec![access(5, 1), access(5, 2)]], vec![]), None, "stage 5 twice");
}

/// The published files keep the promises of the generator. They are not part of the project: the variable `MP5_TRACES`
/// names their folder, and without it the test does nothing.
#[test]
fn published_traces_keep_the_generators_promises() {
    let Some(folder) = std::env::var_os("MP5_TRACES") else { return };
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(shape) = PublishedShape::from_name(&name).filter(|_| !name.starts_with("flows")) else { continue };
        let flows = Input::Path(path.with_file_name(shape.file_name("flows")));
        let trace = PublishedTrace::read_for(&shape, &flows, &Input::Path(path));
        assert_is_like_the_published(&shape, &trace.unwrap_or_else(|found| panic!("{}", rendered(found))));
    }
}

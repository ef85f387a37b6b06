//! Plans in their short notation.

mod common;

use common::{assert_findings, plan, prepare, rendered};
use demand::FlowSizes;
use proptest::prelude::*;
use traffic::{
    FieldGenerator, Form, Generated, Input, Making, Pace, PacketSizes, Pattern, Protocol, Published, Replay, Traffic,
    TrafficSource,
};

#[test]
fn short_plans_have_the_defaults_of_the_paper() {
    assert_eq!(plan("uniform"), Traffic::new(TrafficSource::Generated(Generated::of_pattern(Pattern::Uniform))));
    assert_eq!(plan("skewed").to_string(), "skewed:hot=30%,share=95%,flows=1024,size=64,protocol=tcp,ports=64,seed=1");
    let TrafficSource::Generated(websearch) = plan("websearch").source else { panic!() };
    assert_eq!((websearch.flow_sizes, websearch.sizes), (Some(FlowSizes::WebSearch), PacketSizes::Bimodal));
    assert_eq!(plan("a/b.pcap").source, TrafficSource::Capture(Replay::of(Input::Path("a/b.pcap".into()))));
    assert_eq!(plan("table:x.txt").source, TrafficSource::Table(Input::Path("x.txt".into())));
    assert_eq!(plan("x.CSV,packets=10").packets, Some(10));
    let trace = plan("published:a/heavytail_64_4.csv,field.f=stage(3)");
    let [packets, flows] = ["a/heavytail_64_4.csv", "a/flows_64_4.csv"].map(|path| Input::Path(path.into()));
    assert_eq!(trace.inputs(), [&packets, &flows]);
    let fields = vec![("f".to_owned(), FieldGenerator::Stage(3))];
    let making = Making { fields, ..Making::default() };
    assert_eq!(trace.source, TrafficSource::Published(Published { packets, flows, making }));
    let named = plan("published:t.csv,flows=a/b.csv");
    assert_eq!(named.inputs(), [&Input::Path("t.csv".into()), &Input::Path("a/b.csv".into())]);
}

#[test]
fn parses_options() {
    let traffic =
        plan("skewed:states=512,size=64..1500,protocol=udp,field.a=skewed(9),field.b=-3..4,packets=1_000,pipelines=8");
    let TrafficSource::Generated(generated) = &traffic.source else { panic!() };
    assert_eq!(
        (generated.flows, generated.sizes, generated.making.protocol),
        (512, PacketSizes::Uniform(64, 1500), Protocol::Udp)
    );
    assert_eq!(generated.making.fields[0].1, FieldGenerator::Spread(Pattern::SKEWED, 9));
    assert_eq!(generated.making.fields[1].1, FieldGenerator::Uniform(-3, 4));
    assert_eq!((traffic.packets, traffic.pipelines), (Some(1000), Some(8)));
    let TrafficSource::Capture(replay) = plan("a.pcapng,scale=1/10,pace=timestamps,repeat=3,faults=accept").source
    else {
        panic!()
    };
    assert_eq!(replay.pace, Pace::Timestamps { numerator: 1, denominator: 10 });
    assert_eq!((replay.repeat, replay.accepts_faults), (3, true));
}

#[test]
fn reports_all_mistakes_of_a_plan_with_positions() {
    let text = rendered(Traffic::parse("uniform:ports=0,hot=3%,size=20,oops,field.x=maybe,seed=1,seed=2").unwrap_err());
    let expected = [
        ("--traffic:1:15", "`0` is not a valid value for `ports`", "a number from 1 to 65535"),
        ("--traffic:1:17", "there is no option `hot` here", "the options are packets, ports"),
        ("--traffic:1:29", "`20` is not a valid value for `size`", "64 to 9216 bytes"),
        ("--traffic:1:32", "`oops` is not an option", "`name=value`"),
        ("--traffic:1:45", "`maybe` is not a valid value for `field.x`", "a number, a range"),
        ("--traffic:1:58", "`seed` is given twice", "give it once"),
    ];
    assert_findings(&text, &expected);
    for (text, message) in [
        ("published:t.csv,seed=1", "the file of flows that belongs to this one is not given"),
        ("published:uniform_t.csv,flows=", "`` is not a valid value for `flows`"),
        ("published:uniform_t.csv,size=64", "there is no option `size` here"),
        ("published:", "the name of a file is missing"),
        ("uniform:field.x=stage(1)", "generated packets have no stages"),
        ("published:uniform_t.csv,field.x=stage(-1)", "`stage(-1)` is not a valid value for `field.x`"),
    ] {
        let told = rendered(Traffic::parse(text).unwrap_err());
        assert!(told.contains(message), "{text}: {told}");
    }
    assert!(rendered(Traffic::parse("unifrom").unwrap_err()).contains("`unifrom` is not a kind of traffic"));
    for plan in ["a.pcap,scale=2", "a.pcap,pace=line-64,scale=2"] {
        assert!(rendered(Traffic::parse(plan).unwrap_err()).contains("add `pace=timestamps`"));
    }
}

#[test]
fn refuses_unknown_fields_and_missing_files() {
    let text = prepare(&plan("uniform:field.b=1"), &["a"]).unwrap_err();
    assert!(text.contains("the program has no field `b`") && text.contains("its fields are a"), "{text}");
    let text = prepare(&plan("uniform:field.a=1,form=wire"), &["a"]).unwrap_err();
    assert!(text.contains("leave one of them out"), "{text}");
    for missing in ["no/such.pcap", "no/such.csv", "no/uniform_such.csv"] {
        let text = prepare(&plan(missing), &["a"]).unwrap_err();
        assert!(text.contains(&format!("cannot read {missing}: No such file")), "{text}");
    }
}

fn generators() -> impl Strategy<Value = Generated> {
    let sizes = prop_oneof![
        (64..=9216u32).prop_map(PacketSizes::Fixed),
        (64..=9216u32, 0..99u32).prop_map(|(first, more)| PacketSizes::Uniform(first, (first + more).min(9216))),
        Just(PacketSizes::Bimodal),
    ];
    let field = prop_oneof![
        any::<i64>().prop_map(FieldGenerator::Constant),
        (any::<i32>(), 0..99i64)
            .prop_map(|(first, more)| FieldGenerator::Uniform(first.into(), i64::from(first) + more)),
        (1..99u64).prop_map(|count| FieldGenerator::Spread(Pattern::SKEWED, count)),
        (1..99u64).prop_map(FieldGenerator::PerFlow),
        Just(FieldGenerator::Flow),
        Just(FieldGenerator::Sequence),
    ];
    let kind = prop_oneof![
        Just(Generated::of_pattern(Pattern::Uniform)),
        Just(Generated::of_pattern(Pattern::SKEWED)),
        prop::sample::select(&FlowSizes::ALL[..]).prop_map(Generated::of_flow_sizes),
    ];
    (kind, sizes, 1..1u32 << 24, proptest::option::of(field), any::<bool>()).prop_map(
        |(kind, sizes, flows, field, udp)| {
            let fields = field.map(|field| ("f.1".to_owned(), field)).into_iter().collect();
            let protocol = if udp { Protocol::Udp } else { Protocol::Tcp };
            Generated { sizes, flows, making: Making { fields, protocol, form: None }, ..kind }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn plans_parse_as_they_print(
        source in prop_oneof![
            generators().prop_map(TrafficSource::Generated),
            (0..3usize, 1..99u32, 1..9u32, any::<bool>()).prop_map(|(pace, repeat, numerator, accepts_faults)| {
                let timed = Pace::Timestamps { numerator, denominator: 7 };
                let pace = [timed, Pace::LineRate, Pace::LineRateOf64Bytes][pace];
                TrafficSource::Capture(Replay { pace, repeat, accepts_faults, ..Replay::of(Input::Path("a b:c.x".into())) })
            }),
            Just(TrafficSource::Table(Input::Path("t".into()))),
            (proptest::option::of(0..9u32), any::<bool>()).prop_map(|(stage, named)| {
                let fields = stage.map(|stage| ("f".to_owned(), FieldGenerator::Stage(stage))).into_iter().collect();
                let path = if named { "a/uniform_x" } else { "b" };
                let making = Making { fields, form: Some(Form::Record), ..Making::default() };
                let flows = Published::flows_beside(path.as_ref()).unwrap_or_else(|| Input::Path("c d".into()));
                TrafficSource::Published(Published { packets: Input::Path(path.into()), flows, making })
            }),
        ],
        packets in any::<Option<u64>>(),
        ports in 1..=u16::MAX,
        pipelines in proptest::option::of(1..=64u16),
        seed in any::<u64>(),
    ) {
        let traffic = Traffic { source, packets, ports, pipelines, seed };
        prop_assert_eq!(plan(&traffic.to_string()), traffic);
    }

    #[test]
    fn survives_arbitrary_text(
        text in prop_oneof![
            any::<String>(),
            "(uniform|skewed|websearch|capture|table|published|published:uniform_x|x\\.pcap|x\\.csv)(:|,)((packets|ports|size|flows|hot|share|field\\.x|scale|pace|repeat|seed|flows|form)=?([0-9]{0,22}|%|\\.\\.|/|-|bimodal|flow|skewed\\(|\\)|timestamps|é),?){0,8}",
        ],
    ) {
        if let Ok(traffic) = Traffic::parse(&text) {
            prop_assert_eq!(plan(&traffic.to_string()), traffic);
        }
    }
}

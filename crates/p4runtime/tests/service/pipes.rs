//! A controller of a chip with four pipes, which are one switch to it.

use p4runtime::client::READ;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action as SetAction;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::{
    CounterEntry, DirectCounterEntry, Entity, Index, ReadRequest, ReadResponse, RegisterEntry, TableEntry,
};
use switchd::plan::P4RuntimePlan;
use switchd::{Request, SwitchPlan};
use tonic::{Code, Status};
use workbench::kinds::{self, Given};

use crate::packets::{next_packet, packet_out};
use crate::pipeline::{Controller, config, p4info_of};
use crate::switch::{DEVICE, Running, block_on};

const PROGRAM: &str = include_str!("echo_tna.p4");

async fn read(controller: &Controller, kind: Kind) -> Result<Vec<Kind>, Status> {
    let entities = vec![Entity { entity: Some(kind) }];
    let request = ReadRequest { device_id: DEVICE, entities, ..ReadRequest::default() };
    let answers: Vec<ReadResponse> = controller.client.call_for_all(READ, request).await?;
    Ok(answers.into_iter().flat_map(|answer| answer.entities).filter_map(|entity| entity.entity).collect())
}

/// Returns the packets that a counter of one kind has counted.
async fn counted(controller: &Controller, kind: i64) -> i64 {
    let counter_id = p4info_of(PROGRAM).counters[0].preamble.clone().expect("it has one").id;
    let asked = CounterEntry { counter_id, index: Some(Index { index: kind }), data: None };
    match &read(controller, Kind::CounterEntry(asked)).await.expect("it is there")[..] {
        [Kind::CounterEntry(found)] => found.data.expect("a value").packet_count,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_controller_sees_four_pipes_as_one_switch_and_is_told_where_they_differ() {
    let chip = std::env::temp_dir().join(format!("polyplane-four-pipes-{}.toml", std::process::id()));
    std::fs::write(&chip, "pipes = 4\n").expect("the folder can be written");
    let kind = kinds::named("tofino").expect("there is such a machine");
    let option = kind.options().iter().find(|option| option.name == "chip").expect("it has a file");
    let mut given = Given::default();
    given.push(option, chip.display().to_string()).expect("it is a file");
    let port_of_controller = |cpu_port| {
        let given = given.clone();
        move |plan: SwitchPlan| {
            let p4runtime = plan.p4runtime.clone().map(|own| P4RuntimePlan { cpu_port, ..own });
            SwitchPlan { machine: Some(kind), given, p4runtime, ..plan }
        }
    };
    // A program whose machine has its port of the controller elsewhere once was taken, and no packet came.
    let elsewhere = Running::start_with(port_of_controller(None));
    block_on(async {
        let controller = Controller::connect(elsewhere.address()).await;
        let refused = controller.set(SetAction::VerifyAndCommit, Some(config(PROGRAM, 1))).await;
        let refused = refused.expect_err("packets would go to another port");
        assert!(refused.message().contains("set `cpu_port = 64` under [p4runtime]"), "{}", refused.message());
    });
    drop(elsewhere);
    let running = Running::start_with(port_of_controller(Some(64)));
    block_on(async {
        let mut controller = Controller::connect(running.address()).await;
        controller.set(SetAction::VerifyAndCommit, Some(config(PROGRAM, 1))).await.expect("it can be realized");
        // Kind 7 goes through two pipes, and each counts it.
        for kind in [7, 9, 7] {
            controller.stream.send(packet_out(kind)).await;
            assert_eq!(next_packet(&mut controller).await.payload, [kind, 0xAA]);
        }
        assert_eq!((counted(&controller, 7).await, counted(&controller, 9).await), (4, 1));
        // An entry is in all pipes, and has counted the packets of all.
        controller.insert(7, "").await.expect("there is room");
        controller.insert(8, "").await.expect("there is room");
        for kind in [7, 8, 8, 9] {
            controller.stream.send(packet_out(kind)).await;
        }
        assert_eq!(next_packet(&mut controller).await.payload[0], 9, "the entries drop 7 and 8");
        let table_id = p4info_of(PROGRAM).tables[0].preamble.clone().expect("it has one").id;
        let all =
            DirectCounterEntry { table_entry: Some(TableEntry { table_id, ..TableEntry::default() }), data: None };
        let mut hits: Vec<i64> = Vec::new();
        for found in read(&controller, Kind::DirectCounterEntry(all)).await.expect("they are there") {
            let Kind::DirectCounterEntry(found) = found else { panic!("{found:?}") };
            hits.push(found.data.expect("a value").packet_count);
        }
        assert_eq!(hits, [1, 2]);
        controller.write(vec![Controller::drop_of(Type::Delete, 7)], "").await.expect("it is there");
        assert_eq!(controller.entries().await.expect("it can be read"), 1);
        // P4Runtime cannot name a pipe, and registers cannot be added up.
        let register_id = p4info_of(PROGRAM).registers[0].preamble.clone().expect("it has one").id;
        let register = |index| {
            let asked = RegisterEntry { register_id, index: Some(Index { index }), data: None };
            read(&controller, Kind::RegisterEntry(asked))
        };
        assert_eq!(register(0).await.expect("all pipes hold 0").len(), 1);
        let refused = register(1).await.expect_err("pipes 0 and 2 have seen packets");
        // P4Runtime 1.4, section 10: the mistakes of a batch are in the details.
        let details = String::from_utf8_lossy(refused.details()).into_owned();
        assert!(refused.code() == Code::Unknown && details.contains("hold different values"), "{refused:?}");
    });
    // The control socket names the pipes that differ, each in a row of its own.
    let shown = running.handle.ask(Request::Counters { names: Vec::new(), most: 2 }).expect("it runs").to_string();
    for row in ["EchoIngress.seen in pipe 0", "EchoIngress.seen in pipe 1", "EchoIngress.seen in pipe 2"] {
        assert!(shown.contains(row), "{row}: {shown}");
    }
    let lines = "pipe 2 register_read seen 1\npipe 3 register_read seen 1\n".to_owned();
    let answer = running.handle.ask(Request::Execute { lines, stf: false }).expect("it runs").to_string();
    assert!(answer.contains('3') && answer.contains('0'), "{answer}");
    drop(running);
    std::fs::remove_file(chip).expect("it is there");
}

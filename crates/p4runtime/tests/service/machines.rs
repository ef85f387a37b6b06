//! The same controller on every kind of machine.

use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action as SetAction;
use p4runtime::message::p4::v1::update::Type;
use switchd::SwitchPlan;
use workbench::kinds;

use crate::packets::{next_packet, packet_out};
use crate::pipeline::{Controller, config};
use crate::switch::{PROGRAM, Running, block_on};

/// A controller sets the pipeline, writes and reads an entry, and exchanges packets.
fn works_on(machine: &str) {
    let kind = kinds::named(machine).expect("there is such a machine");
    let running = Running::start_with(|plan| SwitchPlan { machine: Some(kind), ..plan });
    // Pipelines have no digests.
    let program = PROGRAM.replace("digest<seen_t>(1, { hdr.frame.kind });", "");
    block_on(async {
        let mut controller = Controller::connect(running.address()).await;
        controller.set(SetAction::VerifyAndCommit, Some(config(&program, 1))).await.expect("it can be realized");
        controller.stream.send(packet_out(7)).await;
        assert_eq!(next_packet(&mut controller).await.payload, [7, 0xAA], "{machine}");
        controller.insert(8, "").await.expect("there is room");
        assert_eq!(controller.entries().await.expect("it can be read"), 1);
        controller.stream.send(packet_out(8)).await;
        controller.stream.send(packet_out(9)).await;
        assert_eq!(next_packet(&mut controller).await.payload[0], 9, "{machine}: the entry drops 8");
        controller.write(vec![Controller::drop_of(Type::Delete, 8)], "").await.expect("it is there");
        controller.stream.send(packet_out(8)).await;
        assert_eq!(next_packet(&mut controller).await.payload[0], 8, "{machine}");
        controller.set(SetAction::ReconcileAndCommit, Some(config(&program, 2))).await.expect("all is kept");
    });
}

#[test]
fn a_controller_works_on_the_interpreter() {
    works_on("v1model");
}

#[test]
fn a_controller_works_on_machine_code() {
    works_on("native");
}

#[test]
fn a_controller_works_on_one_pipeline() {
    works_on("banzai");
}

#[test]
fn a_controller_works_on_parallel_pipelines() {
    works_on("mp5");
}

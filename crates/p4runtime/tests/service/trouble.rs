//! Controllers that take nothing, or vanish, beside one that works.

use std::sync::atomic::Ordering;

use p4runtime::client::{Client, WRITE, claim};
use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action as SetAction;
use p4runtime::message::p4::v1::stream_message_request::Update as Asked;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::{Uint128, WriteRequest, WriteResponse};
use tonic::Code;

use crate::packets::packet_out;
use crate::pipeline::{Controller, config};
use crate::switch::{DEVICE, PROGRAM, Running, block_on, with_switch};

#[test]
fn a_controller_that_reads_nothing_loses_packets_and_holds_up_nobody() {
    let running = Running::start();
    let server = running.server.as_ref().expect("it runs");
    block_on(async {
        let stalled = Controller::connect(running.address()).await;
        stalled.set(SetAction::VerifyAndCommit, Some(config(PROGRAM, 1))).await.expect("it can be realized");
        let other = Client::connect(running.address()).await.expect("it listens");
        let mut stream = other.stream().await.expect("the stream opens");
        stream.send(claim(DEVICE, "filter", 1)).await;
        assert_eq!(stream.standing().await.expect("it is told"), 0);
        let working = Controller { client: other, stream };
        let Asked::Packet(mut long) = packet_out(7) else { panic!("it is a packet-out") };
        long.payload.resize(1400, 0);
        let mut sent = 0;
        // Each packet comes back to both; one reads none of them.
        while server.packets().lost.load(Ordering::Relaxed) == 0 {
            for _ in 0..200 {
                stalled.stream.send(Asked::Packet(long.clone())).await;
            }
            for of in [Type::Insert, Type::Delete] {
                let written = working.write(vec![Controller::drop_of(of, 9)], "filter").await;
                written.expect("nobody holds up the write");
            }
            sent += 200;
            assert!(sent < 200_000, "nothing is lost, so that what waits has no limit");
        }
        assert_eq!(working.entries().await.expect("nobody holds up the read"), 0);
    });
}

#[test]
fn a_controller_that_vanishes_during_a_batch_leaves_the_switch_to_the_next() {
    with_switch(async |address| {
        let first = Controller::connect(address).await;
        first.set(SetAction::VerifyAndCommit, Some(config(PROGRAM, 1))).await.expect("it can be realized");
        // Whether all of it is carried out or nothing, no entry is left.
        let pair = [Type::Insert, Type::Delete].map(|of| Controller::drop_of(of, 9));
        let updates: Vec<_> = std::iter::repeat_n(pair, 5_000).flatten().collect();
        let batch = first.write(updates, "");
        let vanished = tokio::time::timeout(std::time::Duration::from_millis(20), batch).await;
        drop((vanished, first));
        let client = Client::connect(address).await.expect("it listens");
        let mut stream = client.stream().await.expect("the stream opens");
        stream.send(claim(DEVICE, "", 2)).await;
        // The new primary is told once the write of the first one has ended.
        assert_eq!(stream.standing().await.expect("it is told"), Code::Ok as i32);
        let request = WriteRequest {
            device_id: DEVICE,
            election_id: Some(Uint128 { high: 0, low: 2 }),
            updates: vec![Controller::drop_of(Type::Insert, 1)],
            ..WriteRequest::default()
        };
        client.call::<_, WriteResponse>(WRITE, request).await.expect("it is the primary");
        let second = Controller { client, stream };
        assert_eq!(second.entries().await.expect("it can be read"), 1);
    });
}

//! Packet-outs, packet-ins and digests.

use p4runtime::client::WRITE;
use p4runtime::message::p4::v1::digest_entry::Config;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action as SetAction;
use p4runtime::message::p4::v1::stream_message_request::Update as Asked;
use p4runtime::message::p4::v1::stream_message_response::Update;
use p4runtime::message::p4::v1::{
    DigestEntry, DigestList, DigestListAck, Entity, PacketIn, PacketMetadata, PacketOut, Uint128, WriteRequest,
    WriteResponse,
};
use tonic::Code;

use crate::pipeline::{Controller, config, p4info_of};
use crate::switch::{DEVICE, PROGRAM, with_switch};

fn metadata(metadata_id: u32, value: &[u8]) -> PacketMetadata {
    PacketMetadata { metadata_id, value: value.to_vec() }
}

pub fn packet_out(kind: u8) -> Asked {
    Asked::Packet(PacketOut { payload: vec![kind, 0xAA], metadata: vec![metadata(1, &[1, 0x23])] })
}

pub async fn next_packet(controller: &mut Controller) -> PacketIn {
    loop {
        match controller.stream.next().await.expect("the stream lasts") {
            Some(Update::Packet(packet)) => return packet,
            Some(_) => {}
            None => panic!("the stream has ended"),
        }
    }
}

async fn next_digests(controller: &mut Controller) -> DigestList {
    loop {
        match controller.stream.next().await.expect("the stream lasts") {
            Some(Update::Digest(list)) => return list,
            Some(_) => {}
            None => panic!("the stream has ended"),
        }
    }
}

#[test]
fn packets_go_to_the_switch_and_come_back_with_their_metadata() {
    with_switch(async |address| {
        let mut controller = Controller::connect(address).await;
        controller.set(SetAction::VerifyAndCommit, Some(config(PROGRAM, 1))).await.expect("it can be realized");
        controller.stream.send(packet_out(7)).await;
        let back = next_packet(&mut controller).await;
        let expected = vec![metadata(1, &[1, 0x23]), metadata(2, &[5])];
        assert_eq!(back, PacketIn { payload: vec![7, 0xAA], metadata: expected });
        // A packet that the program drops does not come back; the next one does.
        controller.insert(8, "").await.expect("there is room");
        controller.stream.send(packet_out(8)).await;
        controller.stream.send(packet_out(9)).await;
        assert_eq!(next_packet(&mut controller).await.payload[0], 9);
    });
}

#[test]
fn wrong_packet_outs_are_told_and_dropped() {
    with_switch(async |address| {
        let mut controller = Controller::connect(address).await;
        let cases = [
            (vec![metadata(1, &[1])], Code::FailedPrecondition),
            (vec![], Code::InvalidArgument),
            (vec![metadata(1, &[1]), metadata(1, &[1])], Code::InvalidArgument),
            (vec![metadata(1, &[1]), metadata(9, &[1])], Code::InvalidArgument),
            (vec![metadata(1, &[2, 0])], Code::OutOfRange),
        ];
        for (at, (metadata, code)) in cases.into_iter().enumerate() {
            controller.stream.send(Asked::Packet(PacketOut { payload: vec![1], metadata: metadata.clone() })).await;
            match controller.stream.next().await {
                Ok(Some(Update::Error(error))) => assert_eq!(error.canonical_code, code as i32, "{metadata:?}"),
                other => panic!("{other:?}"),
            }
            if at == 0 {
                let set = controller.set(SetAction::VerifyAndCommit, Some(config(PROGRAM, 1))).await;
                set.expect("it can be realized");
            }
        }
        let backup = controller.client.stream().await.expect("the stream opens");
        let mut backup = backup;
        backup.send(packet_out(1)).await;
        match backup.next().await {
            Ok(Some(Update::Error(error))) => assert_eq!(error.canonical_code, Code::PermissionDenied as i32),
            other => panic!("{other:?}"),
        }
        controller.stream.send(packet_out(3)).await;
        assert_eq!(next_packet(&mut controller).await.payload[0], 3, "the stream lasts");
    });
}

#[test]
fn digests_come_once_until_they_are_acknowledged() {
    with_switch(async |address| {
        let mut controller = Controller::connect(address).await;
        controller.set(SetAction::VerifyAndCommit, Some(config(PROGRAM, 1))).await.expect("it can be realized");
        let digest_id = p4info_of(PROGRAM).digests[0].preamble.clone().expect("it has one").id;
        let own = Config { max_timeout_ns: 0, max_list_size: 1, ack_timeout_ns: 3_600_000_000_000 };
        let entity = Some(Entity { entity: Some(Kind::DigestEntry(DigestEntry { digest_id, config: Some(own) })) });
        let request = WriteRequest {
            device_id: DEVICE,
            election_id: Some(Uint128 { high: 0, low: 1 }),
            updates: vec![p4runtime::message::p4::v1::Update { r#type: 1, entity }],
            ..WriteRequest::default()
        };
        let written: Result<WriteResponse, _> = controller.client.call(WRITE, request).await;
        written.expect("it is a digest of the program");
        controller.stream.send(packet_out(1)).await;
        let first = next_digests(&mut controller).await;
        assert_eq!((first.digest_id, first.data.len()), (digest_id, 1));
        // The same again is not sent, and something else is.
        controller.stream.send(packet_out(1)).await;
        controller.stream.send(packet_out(2)).await;
        let second = next_digests(&mut controller).await;
        assert!(second.list_id > first.list_id && second.data != first.data, "{second:?}");
        controller.stream.send(Asked::DigestAck(DigestListAck { digest_id, list_id: first.list_id })).await;
        controller.stream.send(packet_out(1)).await;
        assert_eq!(next_digests(&mut controller).await.data, first.data);
        controller.stream.send(Asked::DigestAck(DigestListAck { digest_id: 1, list_id: 1 })).await;
        loop {
            match controller.stream.next().await {
                Ok(Some(Update::Error(error))) => {
                    assert_eq!(error.canonical_code, Code::InvalidArgument as i32);
                    break;
                }
                Ok(Some(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    });
}

#[test]
fn hidden_fields_of_headers_are_transmitted_and_are_no_metadata() {
    let program =
        PROGRAM.replace("bit<9> egress_port;\n    @padding bit<7> unused;", "@hidden bit<7> gap; bit<9> egress_port;");
    let program = program.replace(
        "bit<9> ingress_port;\n    bit<7> queue;",
        "@hidden bit<12> gap; bit<9> ingress_port; bit<7> queue; @hidden bit<4> rest;",
    );
    let program = program.replace(
        "hdr.packet_in.queue = 5;",
        "hdr.packet_in.queue = 5; hdr.packet_in.gap = 0xABC; hdr.packet_in.rest = 0xF;",
    );
    with_switch(async move |address| {
        let mut controller = Controller::connect(address).await;
        controller.set(SetAction::VerifyAndCommit, Some(config(&program, 1))).await.expect("it can be realized");
        controller.stream.send(packet_out(7)).await;
        let back = next_packet(&mut controller).await;
        let expected = vec![metadata(1, &[1, 0x23]), metadata(2, &[5])];
        assert_eq!(back, PacketIn { payload: vec![7, 0xAA], metadata: expected });
    });
}

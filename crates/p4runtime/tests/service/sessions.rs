//! Streams of several controllers, and what they may do.

use p4runtime::client::{CAPABILITIES, Client, SET_PIPELINE, claim};
use p4runtime::message::google::protobuf::Any;
use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action as SetAction;
use p4runtime::message::p4::v1::stream_message_request::Update as Asked;
use p4runtime::message::p4::v1::stream_message_response::Update;
use p4runtime::message::p4::v1::{
    CapabilitiesRequest, CapabilitiesResponse, DigestListAck, SetForwardingPipelineConfigRequest,
    SetForwardingPipelineConfigResponse, Uint128,
};
use p4runtime::role_config::P4RoleConfig;
use tonic::{Code, Status};

use crate::packets::{next_packet, packet_out};
use crate::pipeline::{Controller, config, p4info_of};
use crate::switch::{DEVICE, PROGRAM, with_switch};

#[test]
fn capabilities_tell_the_version() {
    with_switch(async |address| {
        let client = Client::connect(address).await.expect("the server listens");
        let ask = |device_id| client.call(CAPABILITIES, CapabilitiesRequest { device_id });
        let told: CapabilitiesResponse = ask(0).await.expect("anybody may ask");
        assert_eq!(told.p4runtime_api_version, "1.4.0");
        let other: Result<CapabilitiesResponse, Status> = ask(99).await;
        assert_eq!(other.expect_err("there is no such device").code(), Code::NotFound);
        let unknown: Result<CapabilitiesResponse, Status> =
            client.call("/p4.v1.P4Runtime/Other", CapabilitiesRequest::default()).await;
        assert_eq!(unknown.expect_err("there is no such call").code(), Code::Unimplemented);
    });
}

#[test]
fn controllers_hear_of_each_other() {
    with_switch(async |address| {
        let client = Client::connect(address).await.expect("the server listens");
        let (mut one, mut two) =
            (client.stream().await.expect("the stream opens"), client.stream().await.expect("the stream opens"));
        one.send(claim(DEVICE, "", 1)).await;
        assert_eq!(one.standing().await.expect("a notice"), Code::Ok as i32);
        two.send(claim(DEVICE, "", 2)).await;
        assert_eq!(two.standing().await.expect("a notice"), Code::Ok as i32);
        assert_eq!(one.standing().await.expect("a notice"), Code::AlreadyExists as i32);
        drop(two);
        assert_eq!(one.standing().await.expect("a notice"), Code::NotFound as i32, "the primary has gone");
        // A stream that is refused ends with the reason.
        let mut three = client.stream().await.expect("the stream opens");
        three.send(claim(DEVICE, "", 1)).await;
        assert_eq!(three.next().await.expect_err("the id is used").code(), Code::InvalidArgument);
        let mut four = client.stream().await.expect("the stream opens");
        four.send(claim(99, "", 1)).await;
        assert_eq!(four.next().await.expect_err("there is no such device").code(), Code::NotFound);
    });
}

#[test]
fn tables_belong_to_roles() {
    with_switch(async |address| {
        let controller = Controller::connect(address).await;
        controller.set(SetAction::VerifyAndCommit, Some(config(PROGRAM, 1))).await.expect("it can be realized");
        let denied = controller.insert(1, "filter").await.expect_err("the role has no primary");
        assert_eq!(denied.code(), Code::PermissionDenied);
        assert_eq!(controller.insert(1, "nobody").await.expect_err("no such role").code(), Code::NotFound);
        let mut filter = controller.client.stream().await.expect("the stream opens");
        filter.send(claim(DEVICE, "filter", 1)).await;
        assert_eq!(filter.standing().await.expect("a notice"), Code::Ok as i32);
        controller.insert(1, "filter").await.expect("the table is its own");
        let mut other = controller.client.stream().await.expect("the stream opens");
        other.send(claim(DEVICE, "other", 1)).await;
        assert_eq!(other.standing().await.expect("a notice"), Code::Ok as i32);
        // The reason stands in the details of the update; the call itself has UNKNOWN (section 12.3).
        assert_eq!(controller.insert(2, "other").await.expect_err("not its own").code(), Code::Unknown);
        controller.insert(2, "").await.expect("the default role may do everything");
    });
}

/// Returns a claim of a role with a configuration.
fn configured(role: &str, config: &P4RoleConfig) -> Asked {
    match claim(DEVICE, role, 1) {
        Asked::Arbitration(mut update) => {
            update.role.get_or_insert_default().config = Some(Any::pack(config));
            Asked::Arbitration(update)
        }
        other => other,
    }
}

#[test]
fn the_configuration_of_a_role_says_what_it_may_do() {
    // Without an annotation in the program, every role may do everything.
    let program = PROGRAM.replace("@p4runtime_role(\"filter\")", "");
    let table = p4info_of(&program).tables[0].preamble.clone().expect("it has one").id;
    let own = P4RoleConfig { exclusive_p4_ids: vec![table], ..P4RoleConfig::default() };
    with_switch(async move |address| {
        let mut controller = Controller::connect(address).await;
        controller.set(SetAction::VerifyAndCommit, Some(config(&program, 1))).await.expect("it can be realized");
        let client = controller.client.clone();
        let mut filter = client.stream().await.expect("it opens");
        filter.send(configured("filter", &own)).await;
        match filter.next().await {
            Ok(Some(Update::Arbitration(told))) => {
                assert_eq!(told.role.and_then(|role| role.config), Some(Any::pack(&own)));
            }
            other => panic!("{other:?}"),
        }
        controller.insert(1, "filter").await.expect("the table is its own");
        // Others may neither write nor read it, whether they are configured or not; the default role may.
        let nothing = P4RoleConfig { receives_packet_ins: true, can_push_pipeline: true, ..P4RoleConfig::default() };
        let (mut other, mut free) =
            (client.stream().await.expect("it opens"), client.stream().await.expect("it opens"));
        other.send(configured("other", &nothing)).await;
        assert_eq!(other.standing().await.expect("it is told"), Code::Ok as i32);
        free.send(claim(DEVICE, "free", 1)).await;
        assert_eq!(free.standing().await.expect("it is told"), Code::Ok as i32);
        for role in ["other", "free"] {
            assert_eq!(controller.insert(2, role).await.expect_err("not its own").code(), Code::Unknown, "{role}");
        }
        controller.insert(2, "").await.expect("the default role may do everything");
        // Packet-ins come to those that receive them, and the pipeline is set by those that may.
        controller.stream.send(packet_out(7)).await;
        next_packet(&mut controller).await;
        assert!(matches!(other.next().await, Ok(Some(Update::Packet(_)))));
        let request = SetForwardingPipelineConfigRequest {
            device_id: DEVICE,
            role: "filter".to_owned(),
            election_id: Some(Uint128 { high: 0, low: 1 }),
            action: SetAction::Verify.into(),
            config: Some(config(&program, 2)),
            ..SetForwardingPipelineConfigRequest::default()
        };
        let set = async |role: &str| {
            let request = SetForwardingPipelineConfigRequest { role: role.to_owned(), ..request.clone() };
            client.call::<_, SetForwardingPipelineConfigResponse>(SET_PIPELINE, request).await
        };
        assert_eq!(set("filter").await.expect_err("it may not").code(), Code::PermissionDenied);
        set("other").await.expect("it may");
        // Claims that cannot be.
        let foreign = Any { type_url: "type.googleapis.com/example.Roles".to_owned(), value: vec![] };
        let Asked::Arbitration(mut unknown) = claim(DEVICE, "unknown", 1) else { panic!("it is a claim") };
        unknown.role.get_or_insert_default().config = Some(foreign);
        for wrong in [configured("second", &own), configured("", &nothing), Asked::Arbitration(unknown)] {
            let mut stream = client.stream().await.expect("it opens");
            stream.send(wrong).await;
            assert_eq!(stream.next().await.expect_err("it is refused").code(), Code::InvalidArgument);
        }
        // A controller that receives no packet-ins has heard of none.
        drop(controller);
        filter.send(Asked::DigestAck(DigestListAck { digest_id: 1, list_id: 1 })).await;
        match filter.next().await {
            Ok(Some(Update::Error(error))) => assert_eq!(error.canonical_code, Code::InvalidArgument as i32),
            other => panic!("{other:?}"),
        }
    });
}

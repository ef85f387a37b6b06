//! Streams of several controllers, and what they may do.

use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action as SetAction;
use p4runtime::message::p4::v1::{CapabilitiesRequest, CapabilitiesResponse};
use tonic::{Code, Status};

use crate::pipeline::{Controller, config};
use crate::switch::{DEVICE, PROGRAM, with_switch};
use p4runtime::client::{CAPABILITIES, Client, claim};

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

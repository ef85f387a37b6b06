//! Streams of several controllers, and what they may do.

use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action as SetAction;
use p4runtime::message::p4::v1::{CapabilitiesRequest, CapabilitiesResponse};
use tonic::{Code, Status};

use crate::client::{Client, claim};
use crate::pipeline::{Controller, config};
use crate::switch::{DEVICE, PROGRAM, with_switch};

#[test]
fn capabilities_tell_the_version() {
    with_switch(async |address| {
        let client = Client::connect(address).await;
        let ask = |device_id| client.call("/p4.v1.P4Runtime/Capabilities", CapabilitiesRequest { device_id });
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
        let client = Client::connect(address).await;
        let (mut one, mut two) = (client.stream().await, client.stream().await);
        one.send(claim(DEVICE, "", 1));
        assert_eq!(one.standing().await, Code::Ok as i32);
        two.send(claim(DEVICE, "", 2));
        assert_eq!(two.standing().await, Code::Ok as i32);
        assert_eq!(one.standing().await, Code::AlreadyExists as i32);
        drop(two);
        assert_eq!(one.standing().await, Code::NotFound as i32, "the primary has gone");
        // A stream that is refused ends with the reason.
        let mut three = client.stream().await;
        three.send(claim(DEVICE, "", 1));
        assert_eq!(three.next().await.expect_err("the id is used").code(), Code::InvalidArgument);
        let mut four = client.stream().await;
        four.send(claim(99, "", 1));
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
        let mut filter = controller.client.stream().await;
        filter.send(claim(DEVICE, "filter", 1));
        assert_eq!(filter.standing().await, Code::Ok as i32);
        controller.insert(1, "filter").await.expect("the table is its own");
        let mut other = controller.client.stream().await;
        other.send(claim(DEVICE, "other", 1));
        assert_eq!(other.standing().await, Code::Ok as i32);
        // The reason stands in the details of the update; the call itself has UNKNOWN (section 12.3).
        assert_eq!(controller.insert(2, "other").await.expect_err("not its own").code(), Code::Unknown);
        controller.insert(2, "").await.expect("the default role may do everything");
    });
}

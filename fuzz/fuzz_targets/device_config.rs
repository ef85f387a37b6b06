//! Configurations of a device as controllers send them. One is refused and changes nothing, or it is what runs from then on,
//! is told as it was sent, and its state can be read.

#![no_main]

use std::sync::LazyLock;

use fuzz::controllers::{DEVICE, echo, pipeline, service, switch};
use libfuzzer_sys::fuzz_target;
use p4runtime::message::p4::config::v1::P4Info;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action;
use p4runtime::message::p4::v1::{
    Entity, ForwardingPipelineConfig, GetForwardingPipelineConfigRequest, ReadRequest, TableEntry,
};
use p4runtime::pipeline::DeviceConfig;
use p4runtime::{DirectService, DirectStream, p4info};
use prost::Message;

/// The service, and the stream of its primary.
static SERVICE: LazyLock<(DirectService, DirectStream)> = LazyLock::new(|| service(switch()));

/// The configuration from which each input begins.
static ECHO: LazyLock<ForwardingPipelineConfig> = LazyLock::new(echo);

fn running(service: &DirectService) -> ForwardingPipelineConfig {
    let request = GetForwardingPipelineConfigRequest { device_id: DEVICE, response_type: 0 };
    service.get_pipeline(&request).expect("it can be asked for").config.expect("there is one")
}

// A byte for the action and for whether the P4Info is the program's own, two for the length of the P4Info, the P4Info, and
// the program.
fuzz_target!(|data: &[u8]| {
    let [how, low, high, rest @ ..] = data else { return };
    let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
    let (given, program) = rest.split_at(length);
    let p4info = match how & 1 {
        0 => P4Info::decode(given).ok(),
        // A program that needs seconds is refused or is a finding, which the service would be as well.
        _ => DeviceConfig::read(program).and_then(|config| config.load()).ok().map(|own| p4info::of(&own.info)),
    };
    let action = [Action::Verify, Action::VerifyAndCommit, Action::ReconcileAndCommit, Action::VerifyAndSave];
    let action = action[usize::from(how >> 1) % 4];
    let (service, _) = &*SERVICE;
    if !matches!(action, Action::Verify) {
        let begins = service.set_pipeline(pipeline(Action::VerifyAndCommit, ECHO.clone()));
        begins.expect("the tests run this program");
    }
    let config = ForwardingPipelineConfig { p4info, p4_device_config: program.into(), cookie: None };
    let before = service.get_pipeline(&GetForwardingPipelineConfigRequest { device_id: DEVICE, response_type: 0 });
    match service.set_pipeline(pipeline(action, config.clone())) {
        Err(status) => assert!(!status.message().is_empty(), "{status:?}"),
        Ok(()) if action != Action::Verify => assert_eq!(running(service), config),
        Ok(()) => {}
    }
    if matches!(action, Action::Verify) {
        let after = service.get_pipeline(&GetForwardingPipelineConfigRequest { device_id: DEVICE, response_type: 0 });
        assert_eq!(before.expect("it can be asked for"), after.expect("it can be asked for"));
        return;
    }
    let entities = vec![Entity { entity: Some(Kind::TableEntry(TableEntry::default())) }];
    service.read(&ReadRequest { device_id: DEVICE, entities, ..ReadRequest::default() }).expect("all can be read");
});

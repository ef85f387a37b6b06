//! Messages of several controllers on their streams. Each is carried out, refused on its stream, or ends it; there never are two
//! primaries of a role; and whoever is left can still become one.

#![no_main]

use std::sync::LazyLock;

use fuzz::controllers::{DEVICE, claim, echo, pipeline, service, switch};
use libfuzzer_sys::fuzz_target;
use live::MemoryInterface;
use p4runtime::message::google::rpc::Code;
use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action;
use p4runtime::message::p4::v1::stream_message_request::Update as Asked;
use p4runtime::message::p4::v1::stream_message_response::Update;
use p4runtime::message::p4::v1::{MasterArbitrationUpdate, StreamMessageRequest};
use p4runtime::{DirectService, DirectStream};
use prost::Message;
use switchd::SwitchHandle;

/// A switch that runs a program.
static SWITCH: LazyLock<SwitchHandle> = LazyLock::new(|| {
    let (handle, cpu) = switch();
    let (service, _stream) = service((handle.clone(), cpu));
    service.set_pipeline(pipeline(Action::VerifyAndCommit, echo())).expect("the tests run this program");
    handle
});

/// A controller, and what it has been told.
struct Controller {
    stream: DirectStream,
    /// The role, and whether it is the primary of it.
    standing: Option<(String, bool)>,
}

impl Controller {
    /// Hears everything that waits.
    fn hear(&mut self) {
        while let Some(message) = self.stream.next() {
            if let Some(Update::Arbitration(MasterArbitrationUpdate { role, status, .. })) = message.update {
                let code = status.expect("a notice has a status").code;
                self.standing = Some((role.unwrap_or_default().name, code == i32::from(Code::Ok)));
            }
        }
    }
}

// Messages, each with a byte in front: two bits for the controller, one for whether it vanishes instead; the others say for
// some whether they are of this device, since few numbers are.
fuzz_target!(|data: &[u8]| {
    let mut data = data;
    // Who was the primary before an input is forgotten with the service. Packets go as far as the link.
    let [_near, far] = MemoryInterface::pair("controllers", 8).expect("there are descriptors");
    let service = DirectService::new(DEVICE, SWITCH.clone(), far);
    let mut controllers: [Option<Controller>; 4] = [const { None }; 4];
    while let [how, rest @ ..] = data {
        data = rest;
        let controller = &mut controllers[usize::from(how % 4)];
        if how & 4 != 0 {
            *controller = None;
        } else {
            let Ok(mut message) = StreamMessageRequest::decode_length_delimited(&mut data) else { break };
            if let (Some(Asked::Arbitration(update)), true) = (&mut message.update, how & 8 != 0) {
                update.device_id = DEVICE;
            }
            let own = controller.get_or_insert_with(|| Controller { stream: service.stream(), standing: None });
            if own.stream.send(message).is_err() {
                *controller = None;
            }
        }
        let mut primaries: Vec<&str> = Vec::new();
        controllers.iter_mut().flatten().for_each(Controller::hear);
        for (role, is_primary) in controllers.iter().flatten().filter_map(|own| own.standing.as_ref()) {
            if *is_primary {
                assert!(!primaries.contains(&role.as_str()), "two primaries of `{role}`");
                primaries.push(role);
            }
        }
    }
    drop(controllers);
    let mut last = Controller { stream: service.stream(), standing: None };
    last.stream.send(claim(u128::MAX)).expect("a claim that nobody disputes");
    last.hear();
    assert_eq!(last.standing, Some((String::new(), true)));
});

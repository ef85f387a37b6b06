//! The service of P4Runtime on a running switch, without sockets.

use std::sync::mpsc;

use live::MemoryInterface;
use node::Port;
use p4runtime::message::p4::v1::set_forwarding_pipeline_config_request::Action;
use p4runtime::message::p4::v1::stream_message_request::Update;
use p4runtime::message::p4::v1::{
    ForwardingPipelineConfig, MasterArbitrationUpdate, SetForwardingPipelineConfigRequest, StreamMessageRequest,
    Uint128,
};
use p4runtime::{CPU_QUEUE, DirectService, DirectStream, p4info};
use switchd::plan::P4RuntimePlan;
use switchd::{BoxedInterface, Switch, SwitchHandle, SwitchPlan};
use workbench::LoadedProgram;

/// The number of the device.
pub const DEVICE: u64 = 7;
/// The program that the tests of the service have: it sends packets of controllers back, and digests.
pub const ECHO: &str = include_str!("../../crates/p4runtime/tests/service/echo.p4");

/// Starts a switch that waits for its program, on a thread that lasts as long as the process. Returns its handle, and the far
/// end of the link at its CPU port.
pub fn switch() -> (SwitchHandle, MemoryInterface) {
    let listen = "127.0.0.1:0".parse().expect("an address");
    let p4runtime = P4RuntimePlan { device_id: DEVICE, ..P4RuntimePlan::at(listen) };
    let plan = SwitchPlan { p4runtime: Some(p4runtime), ..SwitchPlan::named("fuzz".to_owned()) };
    let (sender, started) = mpsc::channel();
    std::thread::spawn(move || {
        let loaded = plan.load().expect("there is nothing to load");
        let station = plan.build(&loaded).expect("it fits");
        let port = plan.cpu_port(station.device()).expect("it has P4Runtime");
        let [near, far] = MemoryInterface::pair("controllers", CPU_QUEUE).expect("there are descriptors");
        let interfaces: Vec<(Port, BoxedInterface)> = vec![(Port(port), Box::new(near))];
        let switch = Switch::new(plan, loaded, station, interfaces).expect("there are descriptors");
        sender.send((switch.handle(), far)).expect("the fuzzer waits");
        switch.run(None).expect("the link works");
    });
    started.recv().expect("the switch starts")
}

/// Returns the service of a switch, and the stream of its primary, whose election id is 1.
pub fn service((handle, cpu): (SwitchHandle, MemoryInterface)) -> (DirectService, DirectStream) {
    let service = DirectService::new(DEVICE, handle, cpu);
    let stream = service.stream();
    stream.send(claim(1)).expect("nobody else is there");
    (service, stream)
}

/// Returns the message of a claim to be the primary of the default role.
pub fn claim(election_id: u128) -> StreamMessageRequest {
    let election_id = Some(Uint128::from(election_id));
    let update = MasterArbitrationUpdate { device_id: DEVICE, election_id, ..Default::default() };
    StreamMessageRequest { update: Some(Update::Arbitration(update)) }
}

/// Returns the request of the primary to run a configuration.
pub fn pipeline(action: Action, config: ForwardingPipelineConfig) -> SetForwardingPipelineConfigRequest {
    SetForwardingPipelineConfigRequest {
        device_id: DEVICE,
        election_id: Some(Uint128::from(1)),
        action: action.into(),
        config: Some(config),
        ..Default::default()
    }
}

/// Returns the configuration of [`ECHO`].
pub fn echo() -> ForwardingPipelineConfig {
    let info = LoadedProgram::of_text("echo.p4", ECHO, None).expect("the program is right").info;
    ForwardingPipelineConfig { p4info: Some(p4info::of(&info)), p4_device_config: ECHO.into(), cookie: None }
}

//! Where packets go, and what the control plane can ask.

use basis::snapshot::{Loader, Saver, Snapshot};
use control::{RegisterRequest, Request, Response};
use machines::Device;
use machines::aggregator::atp::AtpSwitchParameters;
use machines::aggregator::reasons;
use node::Reason;
use runtime::Bits;
use wire::Packet;

use crate::packets::{Fields, GROUP, SERVER, Seen, Switch, gradient, parameter};

#[test]
fn destinations_without_route_or_group_are_reasons() {
    let mut switch = Switch::new(AtpSwitchParameters::default());
    let to = |destination| Fields { destination, ..parameter() };
    assert_eq!(switch.take(&to(SERVER + 1)), Seen::Discarded(reasons::NO_ROUTE));
    assert_eq!(switch.take(&to(GROUP + 1)), Seen::Discarded(reasons::NO_ROUTE));
    let last_hop = Fields { time_to_live: 1, ..gradient(0, 2, 5) };
    assert_eq!(switch.take(&last_hop), Seen::Discarded(reasons::TIME_TO_LIVE_EXCEEDED));
    assert_eq!(
        switch.take(&Fields { destination: SERVER + 1, ..gradient(0, 2, 5) }),
        Seen::Discarded(reasons::NO_ROUTE)
    );
    assert_eq!(switch.register("identifier"), 0, "what is not forwarded is not aggregated");
    assert_eq!(switch.take_packet(Packet::of_bytes(&[0; 20])), Seen::Discarded(reasons::NO_ROUTE));
    assert_eq!(switch.take_packet(Packet::of_bytes(&[])), Seen::Discarded(Reason::MALFORMED));
    let Seen::Sent(sent) = switch.take(&parameter()) else { panic!("not sent") };
    assert_eq!(sent, [(2, parameter()), (1, parameter())]);
}

#[test]
fn registers_are_read_written_and_reset_by_name() {
    let mut switch = Switch::new(AtpSwitchParameters::default());
    switch.take(&gradient(2, 4, -5));
    let named = |switch: &Switch, name| switch.device.info().register_named(name).unwrap();
    let (identifier, value) = (named(&switch, "identifier"), named(&switch, "value_61"));
    let read = |switch: &mut Switch, register| {
        switch.device.execute(&Request::Register(register, RegisterRequest::Read(Some(3)))).unwrap()
    };
    let one = |value: u64| Response::Registers(vec![vec![Bits::Narrow(value)]]);
    assert_eq!(read(&mut switch, identifier), one(7 << 24 | 1000));
    assert_eq!(read(&mut switch, value), one(u64::from(-5i32 as u32)));
    let state = switch.device.state().into_owned();
    assert_eq!(state.registers.array(value.index())[3], u64::from(-5i32 as u32));

    let write = RegisterRequest::Write(Some(3), vec![Bits::Narrow(100)]);
    switch.device.execute(&Request::Register(value, write)).unwrap();
    assert_eq!(read(&mut switch, value), one(100));
    // Refused requests change nothing.
    let beyond = RegisterRequest::Write(Some(1 << 16), vec![Bits::Narrow(1)]);
    assert!(switch.device.execute(&Request::Register(value, beyond)).is_err());
    // This is how a switch loses its memory.
    switch.device.execute(&Request::Register(identifier, RegisterRequest::Reset)).unwrap();
    assert_eq!((read(&mut switch, identifier), switch.device.protocol().in_use()), (one(0), 0));
}

#[test]
fn a_restored_switch_continues_as_the_saved_one() {
    let mut first = Switch::new(AtpSwitchParameters::default());
    first.take(&gradient(0, 3, 5));
    first.take(&gradient(1, 3, 6));
    let mut saver = Saver::default();
    first.device.save(&mut saver).unwrap();
    let bytes = saver.into_bytes();
    let mut second = Switch::new(AtpSwitchParameters::default());
    let mut loader = Loader::new(&bytes);
    second.device.restore(&mut loader).unwrap();
    loader.finish().unwrap();
    assert_eq!(second.device.state().registers, first.device.state().registers);
    second.adopt(&first);
    assert_eq!(second.forwarded(&gradient(2, 3, 7)).values, [18; 62]);
}

//! Messages between application and transport: several destinations, and messages that a transport refuses.

use std::sync::{Arc, Mutex};

use basis::{Instant, Rate};
use demand::{Application, Content, Destinations, Message, Wanted};
use measure::Interest;
use node::{Counter, Link, MessageProgress, Node, Outbox, Reason, Station, UnfinishedWork};
use transports::eqds::{self, Eqds};
use transports::ndp::{self, Ndp};
use transports::reasons;
use transports::{Endpoint, Host, HostParameters, Notice, Refusal, Transport};
use transports::{Flow, FlowEvent};
use wire::Packet;

/// A transport that accepts every message, with or without multicast.
struct Taker {
    multicasts: bool,
    taken: Arc<Mutex<Vec<Message>>>,
}

impl Endpoint<Vec<Notice>> for Taker {
    fn receive(&mut self, _: Instant, packet: Packet, _: &mut Vec<Notice>) -> Result<(), (Packet, Reason)> {
        Err((packet, reasons::UNEXPECTED))
    }

    fn wake(&mut self, _: Instant, _: &mut Vec<Notice>) {}

    fn transmit(&mut self, _: Instant) -> Option<Packet> {
        None
    }

    fn is_ready(&self, _: Instant) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn waiting(&self, _: Instant) -> Vec<UnfinishedWork> {
        Vec::new()
    }

    fn counters(&self, _: &mut dyn FnMut(Counter)) {}
}

impl Transport for Taker {
    fn submit(&mut self, _now: Instant, message: Message) -> Result<(), (Message, Refusal)> {
        self.taken.lock().unwrap().push(message);
        Ok(())
    }

    fn multicasts(&self) -> bool {
        self.multicasts
    }

    fn progress(&self, _: &mut dyn FnMut(MessageProgress)) {}
}

basis::snapshot!(Taker {});

/// An application that asks for messages at the start, and records the tags of those that finish.
struct Asker {
    wants: Vec<Wanted>,
    finished: Arc<Mutex<Vec<u32>>>,
}

impl Application for Asker {
    fn deadline(&self) -> Option<Instant> {
        (!self.wants.is_empty()).then_some(Instant::ZERO)
    }

    fn wake(&mut self, _now: Instant, wanted: &mut Vec<Wanted>) {
        wanted.append(&mut self.wants);
    }

    fn finished(&mut self, _now: Instant, message: Message, _wanted: &mut Vec<Wanted>) {
        self.finished.lock().unwrap().push(message.tag);
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.wants.len() as u64)
    }
}

basis::snapshot!(Asker {});

fn link() -> Link {
    Link::new(Rate::from_gigabits_per_second(100), Link::ETHERNET_FRAMING)
}

/// Wakes a host until nothing is due. Returns the host, the tags that its application was told of, and the events.
fn run(transport: Box<dyn Transport>, wants: Vec<Wanted>) -> (Host, Vec<u32>, Vec<FlowEvent>) {
    let finished = Arc::default();
    let application = Box::new(Asker { wants, finished: Arc::clone(&finished) });
    let mut host = Host::new(HostParameters { address: 1, link: link(), transport, application });
    let mut out = Outbox::new(Interest::of::<Flow>());
    loop {
        out.begin(Instant::ZERO);
        host.wake(Instant::ZERO, &mut out);
        if out.take_deadline() != Some(Instant::ZERO) {
            break;
        }
    }
    let events = out.events.drain(..).filter_map(|event| event.read().ok()).map(|Flow { happened, .. }| happened);
    let events = events.collect();
    let finished = finished.lock().unwrap().clone();
    (host, finished, events)
}

fn to_three() -> Wanted {
    let content = Content::from(vec![1, 2, 3]);
    Wanted { destinations: Destinations::Several([5, 9, 7].into()), content, tag: 4, ..Wanted::default() }
}

#[test]
fn without_multicast_each_destination_gets_a_message() {
    let taken = Arc::default();
    let transport = Box::new(Taker { multicasts: false, taken: Arc::clone(&taken) });
    let nobody = Wanted { destinations: Destinations::Several([].into()), ..to_three() };
    let (_, _, events) = run(transport, vec![nobody, to_three(), to_three().to(8)]);
    let expected: Vec<_> = (0..).zip([5, 9, 7, 8]).map(|(number, host)| to_three().to(host).numbered(number)).collect();
    assert_eq!(*taken.lock().unwrap(), expected);
    assert_eq!(events, [5, 9, 7, 8].map(|destination| FlowEvent::Started { destination, bytes: 3 }));
}

#[test]
fn a_multicast_transport_gets_the_whole_message() {
    let taken = Arc::default();
    let transport = Box::new(Taker { multicasts: true, taken: Arc::clone(&taken) });
    let nobody = Wanted { destinations: Destinations::Several([].into()), ..to_three() };
    run(transport, vec![nobody, to_three()]);
    assert_eq!(*taken.lock().unwrap(), [to_three().numbered(0)]);
}

#[test]
fn refused_content_is_abandoned_and_explained() {
    let transports: [Box<dyn Transport>; 2] = [
        Box::new(Ndp::new(1, ndp::NdpParameters::new(link()), 1)),
        Box::new(Eqds::new(1, eqds::EqdsParameters::new(link()), 1)),
    ];
    for mut transport in transports {
        let several = Wanted { content: Content::Length(3), ..to_three() }.numbered(9);
        let refused = transport.submit(Instant::ZERO, several.clone());
        assert_eq!(refused, Err((several, Refusal::SeveralDestinations)));
        let (host, finished, events) = run(transport, vec![to_three().to(0x0A00_0002), to_three().to(3)]);
        assert_eq!(finished, [4, 4]);
        assert_eq!(events[2..], [FlowEvent::Abandoned, FlowEvent::Abandoned]);
        let waiting = host.waiting(Instant::ZERO);
        assert_eq!(waiting[0].what, "message 0 of 3 bytes to 10.0.0.2");
        assert_eq!(waiting[0].why, "its transport carries only the lengths of messages, not their content");
        assert_eq!(waiting.len(), 2);
    }
}

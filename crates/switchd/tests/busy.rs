//! A switch that has more packets than it can carry still answers, and whoever asks it without pause stops no packets.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use live::{Interface, Offload};
use node::{Burst, Discarded, Port};
use rustix::event::{EventfdFlags, eventfd};
use switchd::{Answer, BoxedInterface, Request, Switch, SwitchHandle, SwitchPlan};
use wire::Packet;

/// An interface where packets always wait.
struct Endless(OwnedFd);

impl Interface for Endless {
    fn name(&self) -> &str {
        "endless"
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        into.extend((0..limit).map(|_| Packet::of_bytes(&[0; 60])));
        Ok(())
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, sent: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        sent.extend(packets.drain(..));
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn received(handle: &SwitchHandle) -> u64 {
    match handle.ask(Request::Ports {}) {
        Ok(Answer::Ports(rows)) => rows[0].received.packets,
        other => panic!("{other:?}"),
    }
}

#[test]
fn packets_without_end_and_questions_without_end_leave_each_other_room() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/pair.p4");
    let (sender, started) = mpsc::channel();
    let running = thread::spawn(move || {
        let plan = SwitchPlan::of_program(program);
        let loaded = plan.load().expect("the program is right");
        let station = plan.build(&loaded).expect("it fits");
        let descriptor = eventfd(1, EventfdFlags::NONBLOCK).expect("there are descriptors");
        let interfaces: Vec<(Port, BoxedInterface)> = vec![(Port(0), Box::new(Endless(descriptor)))];
        let switch = Switch::new(plan, loaded, station, interfaces).expect("there are descriptors");
        sender.send(switch.handle()).expect("the test waits");
        switch.run(None).expect("the interface works")
    });
    let handle = started.recv().expect("the switch starts");
    let asking: Vec<_> = (0..4)
        .map(|_| {
            let handle = handle.clone();
            thread::spawn(move || {
                let mut last = received(&handle);
                for _ in 0..50 {
                    let now = received(&handle);
                    assert!(now > last, "no packet has passed between two answers");
                    last = now;
                }
            })
        })
        .collect();
    asking.into_iter().for_each(|asks| asks.join().expect("it was answered each time"));
    handle.ask(Request::Stop {}).expect("it hears that it is to stop");
    let totals = running.join().expect("it stops");
    assert!(totals.received > 200, "{totals:?}");
}

//! The course of a run: packets and requests in order of time, and who follows it.

use basis::Instant;
use control::{Request, Response};
use machines::pipelines::events::{Access, Completed};
use machines::{Device, Standstill};
use measure::{Event, Interest};
use node::{Course, Discarded, Endless, Limit, Offered, Sink, Transmission};
use traffic::ArrivalOrder;

use crate::judge::Judge;
use crate::watcher::Watcher;

/// Somebody who is told of everything in a run, in order.
pub(crate) trait Follower: Sink {
    /// Called before a packet is offered to the machine.
    fn offered(&mut self, offered: &Offered);

    /// Called when the machine has answered a request of the control plane.
    fn asked(&mut self, request: &Request, response: Result<Response, control::Error>);
}

/// Offers packets to a machine, with the requests of the control plane in between, until it is idle.
pub(crate) fn drive(
    machine: &mut dyn Device,
    packets: impl IntoIterator<Item = Offered>,
    requests: &[(Instant, Request)],
    interest: Interest,
    follower: &mut impl Follower,
) -> Result<(), Standstill> {
    let mut course = Course::new(Limit::default(), interest);
    let mut requests = requests.iter().peekable();
    let endless = |machine: &dyn Device, endless: Endless| Standstill::of(machine, endless.at, Some(endless));
    for offered in ArrivalOrder::new(packets.into_iter()) {
        while let Some((_, request)) = requests.next_if(|(at, _)| *at <= offered.at) {
            follower.asked(request, machine.execute(request));
            course.tell_time(machine, follower).map_err(|error| endless(machine, error))?;
        }
        follower.offered(&offered);
        course.offer(machine, offered, follower).map_err(|error| endless(machine, error))?;
    }
    let at = course.finish(machine, follower).map_err(|error| endless(machine, error))?;
    Standstill::at_end(machine, at).map_or(Ok(()), Err)
}

/// Passes the output of the machine to the judge and to the watcher.
pub(crate) struct Observer<'j, 'r, 'w> {
    pub judge: &'j mut Judge<'r>,
    pub watcher: Option<&'w mut dyn Watcher>,
}

impl Follower for Observer<'_, '_, '_> {
    fn offered(&mut self, offered: &Offered) {
        self.judge.offer(offered);
    }

    fn asked(&mut self, request: &Request, response: Result<Response, control::Error>) {
        self.judge.asked(request, response);
    }
}

impl Sink for Observer<'_, '_, '_> {
    fn transmitted(&mut self, transmission: Transmission) {
        if let Some(watcher) = &mut self.watcher {
            watcher.transmitted(&transmission);
        }
        self.judge.transmitted(transmission);
    }

    fn discarded(&mut self, at: Instant, discarded: Discarded) {
        if let Some(watcher) = &mut self.watcher {
            watcher.discarded(at, &discarded);
        }
        self.judge.discarded(at, &discarded);
    }

    fn event(&mut self, at: Instant, event: Event) {
        if let Some(watcher) = &mut self.watcher {
            watcher.event(&event);
        }
        let judge = &mut self.judge;
        match event.read() {
            Ok(Access { unit, index, sequence }) => judge.access(at, unit, index, sequence),
            Err(event) => {
                if let Ok(Completed { sequence, fields }) = event.read() {
                    judge.completed(at, sequence, &fields);
                }
            }
        }
    }
}

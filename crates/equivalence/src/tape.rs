//! A run of a machine that is written down, to be judged when it is over.

use basis::Instant;
use control::{Request, Response};
use measure::Event;
use node::{Discarded, Offered, Sink, Transmission};

use crate::course::Follower;

/// All that happened in a run, in order.
#[derive(Debug, Default)]
pub(crate) struct Tape(Vec<Taped>);

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Taped {
    /// A packet was offered, with its number and its time of arrival in its sidecar.
    Offered(Offered),
    /// The control plane asked something.
    Asked(Box<(Request, Result<Response, control::Error>)>),
    /// A packet left.
    Transmitted(Transmission),
    /// A packet was discarded.
    Discarded(Instant, Discarded),
    /// The machine told something.
    Event(Instant, Event),
}

impl Tape {
    /// Returns what happened, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Taped> {
        self.0.iter()
    }

    /// Tells a follower of everything again.
    pub fn play(self, follower: &mut impl Follower) {
        for taped in self.0 {
            match taped {
                Taped::Offered(offered) => follower.offered(&offered),
                Taped::Asked(asked) => {
                    let (request, response) = *asked;
                    follower.asked(&request, response);
                }
                Taped::Transmitted(transmission) => follower.transmitted(transmission),
                Taped::Discarded(at, discarded) => follower.discarded(at, discarded),
                Taped::Event(at, event) => follower.event(at, event),
            }
        }
    }
}

impl Sink for Tape {
    fn transmitted(&mut self, transmission: Transmission) {
        self.0.push(Taped::Transmitted(transmission));
    }

    fn discarded(&mut self, at: Instant, discarded: Discarded) {
        self.0.push(Taped::Discarded(at, discarded));
    }

    fn event(&mut self, at: Instant, event: Event) {
        self.0.push(Taped::Event(at, event));
    }
}

impl Follower for Tape {
    fn offered(&mut self, offered: &Offered) {
        self.0.push(Taped::Offered(offered.clone()));
    }

    fn asked(&mut self, request: &Request, response: Result<Response, control::Error>) {
        self.0.push(Taped::Asked(Box::new((request.clone(), response))));
    }
}

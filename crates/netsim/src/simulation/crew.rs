//! Threads that run shards side by side.
//!
//! A shard belongs to whoever runs it and comes home after each round, so that between rounds everything can be looked
//! at, and nothing is shared.

use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{Builder, Scope};

use basis::Instant;

use super::log::Log;
use super::shard::Shard;

/// How often a thread looks whether there is something to do before it sleeps. Rounds last some ten to some hundred
/// microseconds, about as long as it takes to wake a thread.
const LOOKS: u32 = 20_000;

/// A shard and what it has to tell.
pub(super) type Told = (Box<Shard>, Log);

/// A thread for each shard but the first, which whoever calls runs himself.
pub(super) struct Crew {
    members: Vec<Member>,
}

struct Member {
    tasks: Sender<(Told, Instant)>,
    done: Receiver<Told>,
}

impl Crew {
    /// So many threads, which end when the crew is dropped.
    ///
    /// # Errors
    /// The system has no room for so many.
    pub fn new<'scope>(scope: &'scope Scope<'scope, '_>, count: usize) -> io::Result<Self> {
        let member = |_| {
            let (tasks, to_do) = channel::<(Told, Instant)>();
            let (finished, done) = channel();
            let run = move || {
                while let Some(((mut shard, mut log), last)) = receive(&to_do) {
                    shard.run(last, u64::MAX, &mut log);
                    if finished.send((shard, log)).is_err() {
                        break;
                    }
                }
            };
            Builder::new().spawn_scoped(scope, run)?;
            Ok(Member { tasks, done })
        };
        Ok(Self { members: (0..count).map(member).collect::<io::Result<_>>()? })
    }

    /// Runs all shards until `last`, each in its thread.
    pub fn run(&self, shards: &mut Vec<Told>, last: Instant) {
        for (told, member) in shards.drain(1..).zip(&self.members) {
            member.tasks.send((told, last)).expect("a thread waits for tasks until the crew is gone");
        }
        let (shard, log) = &mut shards[0];
        shard.run(last, u64::MAX, log);
        for member in &self.members {
            shards.push(receive(&member.done).expect("a shard came to no good in its thread"));
        }
    }
}

/// Waits: awake at first, then asleep.
fn receive<T>(from: &Receiver<T>) -> Option<T> {
    for _ in 0..LOOKS {
        match from.try_recv() {
            Ok(received) => return Some(received),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
        }
    }
    from.recv().ok()
}

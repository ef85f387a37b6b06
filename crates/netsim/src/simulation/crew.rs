//! The threads that run shards in parallel.
//!
//! A shard is owned by the thread that runs it and returned after each round, so that between rounds everything can be
//! inspected and nothing is shared.

use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{Builder, Scope};

use basis::Instant;

use super::log::Log;
use super::shard::Shard;

/// The number of times that a thread polls for work before it sleeps. Rounds last from ten to some hundred
/// microseconds, which is about as long as it takes to wake a thread.
const LOOKS: u32 = 20_000;

/// A shard and the log of what happened in it.
pub(super) type ShardAndLog = (Box<Shard>, Log);

/// A thread for each shard but the first, which the calling thread runs.
pub(super) struct Crew {
    members: Vec<Member>,
}

struct Member {
    tasks: Sender<(ShardAndLog, Instant)>,
    done: Receiver<ShardAndLog>,
}

impl Crew {
    /// Starts `count` threads, which end when the crew is dropped.
    ///
    /// # Errors
    /// Returns an error if the system cannot start that many threads.
    pub fn new<'scope>(scope: &'scope Scope<'scope, '_>, count: usize) -> io::Result<Self> {
        let member = |_| {
            let (tasks, to_do) = channel::<(ShardAndLog, Instant)>();
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
    ///
    /// # Panics
    ///
    /// Panics if a thread of the crew has panicked.
    pub fn run(&self, shards: &mut Vec<ShardAndLog>, last: Instant) {
        for (shard, member) in shards.drain(1..).zip(&self.members) {
            member.tasks.send((shard, last)).expect("threads wait for tasks while the crew exists");
        }
        let (shard, log) = &mut shards[0];
        shard.run(last, u64::MAX, log);
        for member in &self.members {
            shards.push(receive(&member.done).expect("the thread of a shard has panicked"));
        }
    }
}

/// Waits for a message, first by polling and then asleep. Returns `None` if the channel is closed.
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

//! The events that workers report about tensors.

use measure::{EventKind, Numbers, TypedEvent};

use super::Wrong;

/// An event in the life of a tensor at one worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TensorEvent {
    /// The number of the job.
    pub job: u8,
    /// The rank of the worker.
    pub worker: u16,
    /// The number of the tensor.
    pub tensor: u32,
    /// What has happened.
    pub happened: TensorHappening,
}

/// What can happen to a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TensorHappening {
    /// The worker has begun to contribute to it.
    Begun {
        /// The number of its values.
        values: u64,
    },
    /// All of its sums have come out, but for those that the worker missed.
    Finished {
        /// The number of values that were complete before the worker was started.
        missed: u64,
        /// The number of values whose sums contain fewer workers than the job has.
        partial: u64,
    },
    /// A sum is wrong. Further ones of the tensor at this worker are not reported.
    Wrong(Wrong),
    /// What came out of the tensor does not cover each of its positions once.
    Uncovered {
        /// The number of positions for which something came out.
        values: u64,
    },
    /// The network takes a worker for slow.
    Straggler {
        /// The rank of the slow worker.
        straggler: u16,
        /// Whether it is out of service for a long time, rather than slow for a while.
        is_permanent: bool,
    },
}

/// The first word of the event is job, worker and tensor; the list is what happened.
impl TypedEvent for TensorEvent {
    const KIND: &'static EventKind = {
        static KIND: EventKind = EventKind::new(
            "transports",
            "tensor",
            "A worker has begun or finished a tensor, found a wrong sum in it, or heard of a slow worker.",
        );
        &KIND
    };

    fn into_numbers(self) -> Numbers {
        let Self { job, worker, tensor, happened } = self;
        let first = u64::from(job) << 48 | u64::from(worker) << 32 | u64::from(tensor);
        let (kind, list): (u64, Vec<u64>) = match happened {
            TensorHappening::Begun { values } => (0, vec![values]),
            TensorHappening::Finished { missed, partial } => (1, vec![missed, partial]),
            TensorHappening::Wrong(Wrong { position, expected, found }) => {
                (2, vec![position, expected.to_bits(), found.to_bits()])
            }
            TensorHappening::Uncovered { values } => (3, vec![values]),
            TensorHappening::Straggler { straggler, is_permanent } => (4, vec![straggler.into(), is_permanent.into()]),
        };
        Numbers { words: [first, kind, 0], list: list.into() }
    }

    fn from_numbers(numbers: Numbers) -> Self {
        let [first, kind, _] = numbers.words;
        let number = |at: usize| numbers.list.get(at).copied().unwrap_or_default();
        let happened = match kind {
            0 => TensorHappening::Begun { values: number(0) },
            1 => TensorHappening::Finished { missed: number(0), partial: number(1) },
            2 => {
                let (expected, found) = (f64::from_bits(number(1)), f64::from_bits(number(2)));
                TensorHappening::Wrong(Wrong { position: number(0), expected, found })
            }
            3 => TensorHappening::Uncovered { values: number(0) },
            _ => TensorHappening::Straggler { straggler: number(0) as u16, is_permanent: number(1) != 0 },
        };
        Self { job: (first >> 48) as u8, worker: (first >> 32) as u16, tensor: first as u32, happened }
    }
}

#[cfg(test)]
mod tests {
    use measure::Event;

    use super::*;

    #[test]
    fn an_event_survives_its_encoding() {
        for happened in [
            TensorHappening::Begun { values: u64::MAX },
            TensorHappening::Finished { missed: 7, partial: u64::MAX },
            TensorHappening::Wrong(Wrong { position: 1 << 40, expected: -0.25, found: 1e30 }),
            TensorHappening::Uncovered { values: 3 },
            TensorHappening::Straggler { straggler: u16::MAX, is_permanent: true },
        ] {
            let event = TensorEvent { job: 255, worker: 1023, tensor: u32::MAX, happened };
            assert_eq!(Event::of(event).read(), Ok(event));
        }
    }
}

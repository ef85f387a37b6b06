//! Saving and restoring the state of a switch.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use super::buffer::Buffer;
use super::layout::Layout;
use super::statistics::Statistics;
use super::switch::Switch;
use super::traveller::{Traveller, Way};
use crate::blocks::{Executor, restore_block, restore_discards, save_discards};
use crate::sealed::Sealed;

/// The program, its parameters and its compiled form are construction parameters and are not saved. Between calls, the
/// only packets inside are those in queues.
impl<E: Executor> Snapshot for Switch<E> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.sealed().save(into, |into| self.save_state(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.sealed().restore(from, |from| self.restore_state(from))
    }
}

impl<E: Executor> Switch<E> {
    fn sealed(&self) -> Sealed {
        Sealed::of(self.executor.program(), &self.parameters)
    }

    fn save_state(&self, into: &mut Saver) -> Result<(), Unfit> {
        if self.recorder.is_some() {
            return Err(Unfit("traces of packets are being recorded, and these cannot be saved".to_owned()));
        }
        self.state.save(into)?;
        self.replication.save(into)?;
        self.digests.save(into)?;
        into.put(&self.random)?;
        self.undefined.save(into)?;
        into.put(&self.now)?;
        save_statistics(&self.statistics, into)?;
        let Some(Buffer { queues, places, free }) = &self.buffer else { return Ok(()) };
        queues.save(into)?;
        into.put(free)?;
        into.put(&places.len())?;
        for place in places {
            into.put(&place.is_some())?;
            if let Some(traveller) = place {
                traveller.packet.save(into)?;
                into.put(&traveller.way)?;
                into.put(traveller.way.block)?;
            }
        }
        Ok(())
    }

    fn restore_state(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.state.restore(from)?;
        self.replication.restore(from)?;
        self.digests.restore(from)?;
        self.repeats_ports = None;
        self.next_idle.find(std::slice::from_ref(&self.state));
        self.random = from.take()?;
        self.undefined.restore(from)?;
        self.now = from.take()?;
        self.statistics = restore_statistics(&self.layout, from)?;
        let Some(Buffer { queues, places, free }) = &mut self.buffer else { return Ok(()) };
        queues.restore(from)?;
        *free = from.take()?;
        places.clear();
        for _ in 0..from.take::<usize>()? {
            let is_taken: bool = from.take()?;
            places.push(match is_taken {
                true => Some(Box::new(traveller(&self.executor, &self.layout, from)?)),
                false => None,
            });
        }
        Ok(())
    }
}

fn traveller<E: Executor>(executor: &E, layout: &Layout, from: &mut Loader<'_>) -> Result<Traveller<E::Packet>, Unfit> {
    let mut packet = executor.packet();
    packet.restore(from)?;
    let mut way: Way = from.take()?;
    way.block = restore_block(layout.architecture, from)?;
    Ok(Traveller { packet, way })
}

fn save_statistics(statistics: &Statistics, into: &mut Saver) -> Result<(), Unfit> {
    let Statistics {
        received,
        replicated,
        transmitted,
        // The sums of those in blocks.
        discarded: _,
        discarded_in,
        parser_errors,
        resubmissions,
        recirculations,
        clones,
        digests,
        ignored_requests,
        tail_reads,
    } = statistics;
    into.put(&[received, replicated, transmitted, parser_errors, resubmissions, recirculations])?;
    into.put(&[clones, digests, ignored_requests, tail_reads])?;
    save_discards(discarded_in, into)
}

fn restore_statistics(layout: &Layout, from: &mut Loader<'_>) -> Result<Statistics, Unfit> {
    let [received, replicated, transmitted, parser_errors, resubmissions, recirculations] = from.take()?;
    let [clones, digests, ignored_requests, tail_reads] = from.take()?;
    let (discarded, discarded_in) = restore_discards(layout.architecture, from)?;
    Ok(Statistics {
        received,
        replicated,
        transmitted,
        discarded,
        discarded_in,
        parser_errors,
        resubmissions,
        recirculations,
        clones,
        digests,
        ignored_requests,
        tail_reads,
    })
}

//! Saving and restoring the state of a switch.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use measure::Counts;
use node::Reason;

use super::buffer::Buffer;
use super::layout::Layout;
use super::statistics::Statistics;
use super::switch::Switch;
use super::traveller::{Traveller, Way};
use crate::blocks::Executor;

/// The program, its parameters and its compiled form are construction parameters and are not saved. Between calls, the
/// only packets inside are those in queues.
impl<E: Executor> Snapshot for Switch<E> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
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

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.state.restore(from)?;
        self.replication.restore(from)?;
        self.digests.restore(from)?;
        self.repeats_ports = None;
        self.find_next_idle();
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
    way.block = block(layout, from)?;
    Ok(Traveller { packet, way })
}

/// Reads the name of the last block that a packet was in.
fn block(layout: &Layout, from: &mut Loader<'_>) -> Result<&'static str, Unfit> {
    let name: String = from.take()?;
    let mut names = [""].into_iter().chain(layout.architecture.blocks.iter().map(|block| block.name));
    names.find(|known| *known == name).ok_or_else(|| Unfit(format!("the program has no block `{name}`")))
}

fn save_statistics(statistics: &Statistics, into: &mut Saver) -> Result<(), Unfit> {
    let Statistics {
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
    } = statistics;
    into.put(&[received, replicated, transmitted, parser_errors, resubmissions, recirculations])?;
    into.put(&[clones, digests, ignored_requests, tail_reads])?;
    into.put(&discarded.iter().collect::<Vec<_>>())?;
    let discarded_in: Vec<_> = discarded_in.iter().collect();
    into.put(&discarded_in.len())?;
    discarded_in.into_iter().try_for_each(|((reason, block), count)| {
        into.put(block)?;
        into.put(&(reason, count))
    })
}

fn restore_statistics(layout: &Layout, from: &mut Loader<'_>) -> Result<Statistics, Unfit> {
    let [received, replicated, transmitted, parser_errors, resubmissions, recirculations] = from.take()?;
    let [clones, digests, ignored_requests, tail_reads] = from.take()?;
    let discarded: Vec<(Reason, u64)> = from.take()?;
    let mut discarded_in = Vec::new();
    for _ in 0..from.take::<usize>()? {
        let block = block(layout, from)?;
        let (reason, count) = from.take()?;
        discarded_in.push(((reason, block), count));
    }
    Ok(Statistics {
        received,
        replicated,
        transmitted,
        discarded: Counts::from_iter(discarded),
        discarded_in: Counts::from_iter(discarded_in),
        parser_errors,
        resubmissions,
        recirculations,
        clones,
        digests,
        ignored_requests,
        tail_reads,
    })
}

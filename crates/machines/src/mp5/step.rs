//! The execution of one cycle in all pipelines.

use super::packets::{FREE, NOWHERE};
use super::stateless_stretch;
use super::stop::Stop;
use super::switch::ParallelPipelines;

impl ParallelPipelines {
    /// Executes a cycle with all pipelines together: no stop sees what another one does in this cycle, and at each stop
    /// each step is done for all pipelines before the next step begins. The order of the pipelines therefore makes no
    /// difference.
    pub(super) fn cycle_together(&mut self) {
        self.admit();
        self.enter_together();
        if self.remaps_first {
            (0..self.stops.len()).rev().for_each(|number| self.receive(number));
            self.finish_discards();
            self.remap(self.core.cycle + 1);
            (0..self.stops.len()).rev().for_each(|number| self.serve(number));
        } else {
            for number in (0..self.stops.len()).rev() {
                self.receive(number);
                self.serve(number);
                self.finish_discards();
            }
        }
        // Packets that come out at the beginning of the next cycle leave at the end of this one.
        let Self { core, stretches, update, .. } = self;
        let row = stretches[self.stops.len()].row(core.cycle + 1);
        for &pipeline in update.iter() {
            let mut cell = pipeline;
            while let Some(packet) = row.get_mut(cell) {
                match std::mem::replace(packet, FREE) {
                    FREE => {}
                    packet => core.finish(pipeline, packet),
                }
                cell += update.len();
            }
        }
    }

    /// Executes the first half of a stop's cycle in all pipelines (section 3.4): pushes arriving phantoms; then inserts
    /// data packets that access state here in place of their phantoms, or pushes them if there are no phantoms. All
    /// other packets are stateless here and take the stage of their pipeline.
    #[inline(always)]
    fn receive(&mut self, number: usize) {
        let Self { core, stops, stretches, update, .. } = self;
        let (stop, stretch) = (&mut stops[number], &mut stretches[number]);
        let cycle = core.cycle;
        let is_stateful = stop.is_stateful();
        if is_stateful && core.phantoms_travel {
            core.receive_phantoms(number, stop, update.iter().copied());
        }
        let row = stretch.row(cycle);
        let pipelines = update.len();
        for &pipeline in update.iter() {
            // The lanes of a pipeline.
            let mut cell = pipeline;
            while let Some(packet) = row.get_mut(cell) {
                match std::mem::replace(packet, FREE) {
                    FREE => {}
                    packet => core.receive_packet(number, stop, pipeline, packet),
                }
                cell += pipelines;
            }
        }
        if is_stateful {
            core.mark(std::slice::from_ref(stop), number);
            if let Some(limit) = self.parameters.starvation_limit {
                update.iter().for_each(|&pipeline| core.guard(stop, pipeline, limit));
            }
            core.statistics.largest_queue = core.statistics.largest_queue.max(stop.longest());
        }
    }

    /// Executes the second half of a stop's cycle: pops the queue unless a stateless packet has taken the stage
    /// (Invariant 2), and lets the packet in the stage move on.
    #[inline(always)]
    fn serve(&mut self, number: usize) {
        let Self { core, stops, stretches, update, .. } = self;
        let (before, after) = stops.split_at_mut(number + 1);
        let (Stop { plan, stages, .. }, next_stop) = (&mut before[number], after.first());
        let is_stateful = plan.is_stateful();
        let cycle = core.cycle;
        let pipelines = update.len();
        let distance = stretches[number + 1].distance;
        let row = stretches[number + 1].row(cycle + distance);
        let mut moved = 0;
        for &pipeline in update.iter() {
            let stage = &mut stages[pipeline];
            core.serve(plan, stage, pipeline);
            let packet = core.let_go(plan, stage, pipeline, cycle);
            stage.processed = [packet, FREE];
            if packet != FREE {
                stateless_stretch::put(row, pipeline, packet);
                moved += 1;
            }
            if core.delayed_at_exit && is_stateful {
                let late = core.let_go_from_exit(plan, stage, next_stop, pipeline, packet);
                if late != FREE {
                    let lane = usize::from(packet != FREE);
                    stateless_stretch::put(row, lane * pipelines + pipeline, late);
                    moved += 1;
                    stage.processed[1] = late;
                }
            }
        }
        core.statistics.stage_cycles += moved * distance;
        if !is_stateful && self.phantoms_at_once {
            for turn in 0..self.update.len() {
                let pipeline = self.update[turn];
                self.send_phantoms_now(pipeline, self.stops[number].stages[pipeline].processed[0]);
            }
        }
    }

    /// Executes a cycle with one pipeline after the other ([`super::Departure::OneAfterAnother`]): first queues are
    /// served, then all packets move, then one enters. Compared with `cycle_together`, a cycle consists of the second
    /// half of the previous cycle and the first half of this one.
    pub(super) fn cycle_one_after_another(&mut self) {
        self.measure_queues();
        self.admit();
        for turn in 0..self.update.len() {
            let pipeline = self.update[turn];
            self.core.mark(&self.stops, 0);
            for stop in &mut self.stops {
                if let Some(limit) = self.parameters.starvation_limit {
                    self.core.guard(stop, pipeline, limit);
                }
                self.core.serve(&stop.plan, &mut stop.stages[pipeline], pipeline);
            }
            self.finish_discards();
            self.take_out(self.stops.len(), pipeline, self.core.cycle);
            for number in (0..self.stops.len()).rev() {
                self.move_on(number, pipeline);
                if self.core.phantoms_travel {
                    self.core.receive_phantoms(number, &mut self.stops[number], std::iter::once(pipeline));
                }
                self.take_out(number, pipeline, self.core.cycle);
            }
            self.enter(pipeline);
            self.finish_discards();
        }
    }

    /// Notes the largest queue, if pipelines are updated one after the other.
    #[inline(always)]
    pub(super) fn measure_queues(&mut self) {
        for stop in &self.stops {
            self.core.statistics.largest_queue = self.core.statistics.largest_queue.max(stop.longest());
        }
    }

    /// Moves on the packets that leave a stop of a pipeline, if pipelines are updated one after the other.
    fn move_on(&mut self, number: usize, pipeline: usize) {
        let (before, after) = self.stops.split_at_mut(number + 1);
        let Stop { plan, stages, .. } = &mut before[number];
        let stage = &mut stages[pipeline];
        let packet = self.core.let_go(plan, stage, pipeline, self.core.cycle.wrapping_sub(1));
        let late = if self.core.delayed_at_exit && plan.is_stateful() {
            self.core.let_go_from_exit(plan, stage, after.first(), pipeline, packet)
        } else {
            FREE
        };
        stage.processed = [packet, late];
        if !plan.is_stateful() {
            self.send_phantoms_now(pipeline, packet);
        }
        for (lane, packet) in [(0, packet), (usize::from(packet != FREE), late)] {
            if packet != FREE {
                self.put(number + 1, pipeline, lane, packet, 1);
            }
        }
    }

    /// Puts a packet into the stretch before a stop, or before the exit. `early` is 1 if the packet is in the first of
    /// these stages already in this cycle.
    fn put(&mut self, number: usize, pipeline: usize, lane: usize, packet: u32, early: u64) {
        let stretch = &mut self.stretches[number];
        self.core.statistics.stage_cycles += stretch.distance;
        let arrival = self.core.cycle + stretch.distance - early;
        if arrival == self.core.cycle && self.one_after_another {
            self.come_out(number, pipeline, packet);
        } else {
            let cell = lane * self.update.len() + pipeline;
            stateless_stretch::put(stretch.row(arrival), cell, packet);
        }
    }

    /// Admits packets from the entrance.
    fn admit(&mut self) {
        self.line_up();
        self.entrance.admit(self.core.cycle, &mut self.entering, FREE);
    }

    /// Gives the packets that have arrived their numbers in the order of arrival.
    #[inline]
    pub(super) fn line_up(&mut self) {
        let packets = &mut self.core.packets;
        self.entrance.line_up(|packet, order| packets.traveller_mut(packet).order = order);
    }

    /// Lets the packet enter that was admitted to a pipeline, if any, where pipelines are updated one after the other.
    fn enter(&mut self, pipeline: usize) {
        let packet = self.enter_first_stage(pipeline);
        if packet != FREE {
            self.put(0, pipeline, 0, packet, 0);
        }
    }

    /// Lets the packets enter that were admitted to the pipelines.
    fn enter_together(&mut self) {
        for turn in 0..self.update.len() {
            let pipeline = self.update[turn];
            let packet = self.enter_first_stage(pipeline);
            if packet != FREE {
                let stretch = &mut self.stretches[0];
                self.core.statistics.stage_cycles += stretch.distance;
                stateless_stretch::put(stretch.row(self.core.cycle + stretch.distance), pipeline, packet);
            }
        }
    }

    /// Returns the packet that enters a pipeline, or [`FREE`] if none does. Its addresses are resolved now if there are no
    /// stages for that.
    #[inline(always)]
    fn enter_first_stage(&mut self, pipeline: usize) -> u32 {
        let core = &mut self.core;
        // The cell may hold a packet that was resolved one turn of the ring ago.
        core.resolved.note(core.cycle, pipeline, FREE);
        let packet = std::mem::replace(&mut self.entering[pipeline], FREE);
        if packet != FREE {
            core.advanced = true;
            if core.plan.entry > core.plan.resolution && core.is_active(core.plan.resolution, packet) {
                core.compute(pipeline, packet, core.plan.resolution + 1);
                core.resolve(pipeline, packet, core.cycle);
                self.send_phantoms_now(pipeline, packet);
            }
        }
        packet
    }

    /// Queues the phantoms of a packet that was just resolved, if they reach their stops in this very cycle. With
    /// [`super::Departure::PhantomsAtOnce`] these are all its phantoms. If pipelines are updated one after the other,
    /// they are those for stops that this pipeline has already passed in this turn. Otherwise stops look for phantoms
    /// later in the cycle.
    fn send_phantoms_now(&mut self, pipeline: usize, packet: u32) {
        if packet == FREE || !self.core.phantoms || !(self.phantoms_at_once || self.one_after_another) {
            return;
        }
        let cycle = self.core.cycle;
        let resolved = self.core.packets.traveller(packet).resolved;
        for (number, stop) in self.stops.iter_mut().enumerate() {
            if self.phantoms_at_once || resolved.wrapping_add(stop.plan.phantom_delay) == cycle {
                self.core.queue_phantoms(number, stop, pipeline, packet);
            }
        }
    }

    /// Receives the packets that come out of the stretch before a stop in a cycle.
    #[inline]
    fn take_out(&mut self, number: usize, pipeline: usize, cycle: u64) {
        let mut cell = pipeline;
        while let Some(packet) = self.stretches[number].row(cycle).get_mut(cell) {
            match std::mem::replace(packet, FREE) {
                FREE => {}
                packet => self.come_out(number, pipeline, packet),
            }
            cell += self.update.len();
        }
    }

    /// Handles a packet at the end of a stretch, which is at a stop or at the end of the pipeline.
    fn come_out(&mut self, number: usize, pipeline: usize, packet: u32) {
        match self.stops.get_mut(number) {
            Some(stop) => self.core.receive_packet(number, stop, pipeline, packet),
            None => self.core.finish(pipeline, packet),
        }
    }

    /// Gives up the tags of discarded packets for stops that they have not reached. Later stages have already finished
    /// this cycle, so for them this takes effect in the next one.
    #[inline]
    pub(super) fn finish_discards(&mut self) {
        while let Some(packet) = self.core.discarded.pop() {
            self.give_up(packet);
        }
    }

    /// Gives up all tags of a packet.
    pub(super) fn give_up(&mut self, packet: u32) {
        let core = &mut self.core;
        for access in 0..core.plan.accesses.len() {
            let stop = &mut self.stops[core.plan.accesses[access].stop];
            core.give_up(stop, packet, access);
        }
        let traveller = *core.packets.traveller(packet);
        if traveller.source != NOWHERE {
            core.resolved.forget(traveller.resolved, usize::from(traveller.source), packet);
        }
    }
}

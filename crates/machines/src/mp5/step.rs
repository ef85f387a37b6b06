//! One cycle of all pipelines.

use super::packets::FREE;
use super::switch::Switch;

impl Switch {
    /// Lets the packets that the entrance admits enter their pipelines.
    fn enter(&mut self) {
        let k = self.parameters.pipelines;
        let mut entering = std::mem::take(&mut self.entering);
        self.entrance.admit(self.cycle, &mut entering, FREE);
        for turn in 0..k {
            let pipeline = self.update[turn];
            let packet = std::mem::replace(&mut entering[pipeline], FREE);
            self.enter_one(pipeline, packet);
        }
        self.entering = entering;
    }

    /// Lets a packet, if it is one, enter a pipeline.
    fn enter_one(&mut self, pipeline: usize, packet: u32) {
        if self.phantoms {
            // Whoever was resolved here a turn of the ring ago is not there any more.
            self.resolved.note(self.cycle, pipeline, FREE);
        }
        if packet == FREE {
            return;
        }
        if self.plan.entry > self.plan.resolution && self.is_active(self.plan.resolution, packet) {
            self.compute(pipeline, packet, self.plan.resolution + 1);
            self.resolve(pipeline, packet, self.cycle);
        }
        self.put(0, pipeline, 0, packet, 0);
    }

    /// Everything at once: no stop sees what another one does in this cycle, and at each stop each step is done for
    /// all pipelines before the next one begins. So the order of the pipelines makes no difference.
    pub(super) fn cycle_together(&mut self) {
        let k = self.parameters.pipelines;
        self.enter();
        // From the last to the first, so that what is sent on finds its place empty.
        for stop in (0..self.plan.stops.len()).rev() {
            let stateful = !self.plan.stops[stop].accesses.is_empty();
            if stateful && self.phantoms {
                for turn in 0..k {
                    self.receive_phantoms(stop, self.update[turn]);
                }
            }
            for turn in 0..k {
                self.take_out(stop, self.update[turn]);
            }
            if stateful {
                self.mark();
                self.protect(stop);
                self.measure(stop);
            }
            for turn in 0..k {
                let pipeline = self.update[turn];
                self.serve(stop, pipeline);
                self.send_on(stop, pipeline, 0);
            }
        }
        // What comes out in the next cycle's beginning leaves at this one's end.
        for turn in 0..k {
            self.take_out_at(self.plan.stops.len(), self.update[turn], self.cycle + 1);
        }
    }

    /// One pipeline after the other ([`super::Departure::OneAfterAnother`]): what is queued is served, then everything
    /// moves, then a packet enters. Seen from the other order of update, a cycle here is the second half of the
    /// last one and the first half of this one.
    pub(super) fn cycle_one_after_another(&mut self) {
        let stops = self.plan.stops.len();
        (0..stops).for_each(|stop| self.measure(stop));
        let mut entering = std::mem::take(&mut self.entering);
        self.entrance.admit(self.cycle, &mut entering, FREE);
        for turn in 0..self.parameters.pipelines {
            let pipeline = self.update[turn];
            for stop in 0..stops {
                self.mark();
                if let Some(limit) = self.parameters.starvation_limit {
                    self.guard(stop, pipeline, limit);
                }
                self.serve(stop, pipeline);
            }
            self.take_out_at(stops, pipeline, self.cycle);
            for stop in (0..stops).rev() {
                self.send_on(stop, pipeline, 1);
                if self.phantoms {
                    self.receive_phantoms(stop, pipeline);
                }
                self.take_out(stop, pipeline);
            }
            let packet = std::mem::replace(&mut entering[pipeline], FREE);
            self.enter_one(pipeline, packet);
        }
        self.entering = entering;
    }

    /// Lets the packets arrive that come out of the stretch before a stop in this cycle.
    #[inline]
    fn take_out(&mut self, stop: usize, pipeline: usize) {
        self.take_out_at(stop, pipeline, self.cycle);
    }

    #[inline]
    fn take_out_at(&mut self, line: usize, pipeline: usize, cycle: u64) {
        for lane in 0..self.lanes {
            let packet = self.lines[line].take(cycle, pipeline, lane);
            if packet != FREE {
                self.come_out(line, pipeline, packet);
            }
        }
    }

    /// A packet comes out at the end of a stretch: at a stop, or at the end of the pipeline.
    #[inline]
    pub(super) fn come_out(&mut self, line: usize, pipeline: usize, packet: u32) {
        if line < self.plan.stops.len() {
            self.receive_packet(line, pipeline, packet);
        } else {
            if self.is_active(self.plan.depth, packet) {
                self.compute(pipeline, packet, self.plan.depth);
            }
            self.leave_with(packet, None);
        }
    }

    fn protect(&mut self, stop: usize) {
        if let Some(limit) = self.parameters.starvation_limit {
            for turn in 0..self.parameters.pipelines {
                self.guard(stop, self.update[turn], limit);
            }
        }
    }

    /// Notes how long the queues of a stop are.
    #[inline]
    fn measure(&mut self, stop: usize) {
        let k = self.parameters.pipelines;
        for (pipeline, queue) in self.queues[stop].iter().enumerate() {
            let mut length = u64::from(queue.len());
            if self.delayed_at_exit {
                length += self.exits[stop * k + pipeline].len() as u64;
            }
            self.statistics.largest_queue = self.statistics.largest_queue.max(length);
        }
    }
}

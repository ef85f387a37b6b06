//! Binding interfaces to ports of a node that runs, and giving them back.

use std::io;

use node::{Node, Port};

use super::Driver;
use super::port::Bound;
use crate::Interface;

impl<N: Node, I: Interface> Driver<N, I> {
    /// Binds an interface to a port that has none. The node is not told; it hears of the port if its link goes down.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if it cannot wait for the interface; then nothing has changed.
    ///
    /// # Panics
    ///
    /// Panics if an interface is bound to the port.
    pub fn bind(&mut self, port: Port, interface: I) -> io::Result<()> {
        assert!(self.position(port).is_none(), "port {} is bound to an interface already", port.0);
        let index = self.ports.len();
        self.poller.watch(index, interface.descriptor())?;
        if let Some(events) = interface.events() {
            if let Err(error) = self.poller.watch_changes(index, events) {
                self.poller.unwatch(interface.descriptor())?;
                return Err(error);
            }
            // What has happened before is heard first.
            self.changed.push(index);
        }
        let number = usize::from(port.0);
        self.positions.resize(self.positions.len().max(number + 1), None);
        self.positions[number] = Some(index);
        self.ports.push(Bound::new(port, interface));
        Ok(())
    }

    /// Takes the interface of a port away, and returns it; `None` if the port has none. Packets that wait for it are discarded
    /// as those of an interface that is gone, and what the port has counted stays in [`Driver::tally`].
    ///
    /// # Errors
    ///
    /// Returns the error of the system if it cannot stop to wait for the interface.
    pub fn unbind(&mut self, port: Port) -> io::Result<Option<I>> {
        let Some(index) = self.position(port) else { return Ok(None) };
        let now = self.clock.now();
        self.ports[index].give_up(index, &self.poller)?;
        self.buffers.discarded.append(&mut self.ports[index].refused);
        self.settle(now, Some(index));
        if let Some(events) = self.ports[index].interface.events() {
            self.poller.unwatch(events)?;
        }
        self.out.set_room(port, true);
        self.positions[usize::from(port.0)] = None;
        let last = self.ports.len() - 1;
        let bound = self.ports.swap_remove(index);
        // The last one has moved into its place.
        let renamed = |position: usize| match position {
            position if position == index => None,
            position if position == last => Some(index),
            position => Some(position),
        };
        let Self { readable, writable, touched, changed, .. } = self;
        for list in [readable, writable, touched, changed] {
            *list = list.drain(..).filter_map(renamed).collect();
        }
        self.waits.rename(renamed);
        if let Some(moved) = self.ports.get(index) {
            moved.watch_as(index, &self.poller)?;
            self.positions[usize::from(moved.port.0)] = Some(index);
        }
        self.cut += bound.cut;
        self.earlier.received += bound.tally.received.frames;
        self.earlier.transmitted += bound.tally.transmitted.frames;
        for (reason, count) in bound.tally.discarded {
            *self.earlier.discarded.entry(reason).or_default() += count;
        }
        Ok(Some(bound.interface))
    }
}

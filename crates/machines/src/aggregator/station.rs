//! The aggregator as a network sees it.

use std::ops::Range;

use node::{Account, Counter, RegisterValue, Station};

use super::{Aggregator, Protocol};

impl<P: Protocol> Station for Aggregator<P> {
    /// An aggregator makes copies for multicast groups, and packets of its own if the protocol does. It holds none.
    fn account(&self) -> Account {
        Account { generated: self.generated, replicated: self.replicated, consumed: 0, held: 0 }
    }

    fn register(&self, name: &str, indices: Range<u32>, tell: &mut dyn FnMut(RegisterValue)) -> bool {
        let info = self.plane.info();
        let Ok(number) = info.register_named(name) else { return false };
        let register = info.register(number);
        for index in indices.start..indices.end.min(register.size) {
            let value = self.protocol.read(number.index(), index as usize);
            tell(RegisterValue { pipe: 0, index, value });
        }
        true
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.protocol.counters(tell);
    }
}

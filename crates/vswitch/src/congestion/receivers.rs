//! Guests as receivers: how much waits for each.

/// The number of packets for a guest that may have found no room before it counts as congested, its high water. The level is low
/// again when everything that waited has gone.
const HIGH_WATER: u64 = 1024;

/// The water level in front of each guest, by the position of its vNIC.
#[derive(Debug, Default)]
pub struct Receivers {
    waiting: Vec<u64>,
}

impl Receivers {
    /// Records packets for a guest. `has_room` says whether a packet would leave at once. Returns true if they must not be sent,
    /// because the guest does not read what is there already.
    pub fn is_congested(&mut self, vnic: u32, packets: u64, has_room: bool) -> bool {
        let vnic = vnic as usize;
        if has_room {
            if let Some(waiting) = self.waiting.get_mut(vnic) {
                *waiting = 0;
            }
            return false;
        }
        if self.waiting.len() <= vnic {
            self.waiting.resize(vnic + 1, 0);
        }
        let waiting = &mut self.waiting[vnic];
        if *waiting + packets > HIGH_WATER {
            return true;
        }
        *waiting += packets;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_that_reads_again_is_given_packets_again() {
        let mut receivers = Receivers::default();
        assert!((0..HIGH_WATER).all(|_| !receivers.is_congested(3, 1, false)));
        assert!(receivers.is_congested(3, 1, false) && !receivers.is_congested(2, 1, false));
        assert!(!receivers.is_congested(3, 1, true));
        assert!(!receivers.is_congested(3, HIGH_WATER, false) && receivers.is_congested(3, 1, false));
    }
}

//! Levels of switches that add up, beyond two (appendix A.2 of ATP's paper).

use super::{Atp, LARGEST_DEGREE, flag};

super::super::header! {
    /// The further header of packets of jobs with more than two levels, between [`Atp`] and the values. The paper says that
    /// further bitmaps and fan-in degrees are added, and nothing of their place; all of this is Polyplane's.
    AtpLevels, 16 bytes:
    /// In gradient packets: one bit for each switch or worker below the third level's switch.
    bitmap2, set_bitmap2: u32 = 0;
    /// In gradient packets: one bit for each switch or worker below the fourth level's switch.
    bitmap3, set_bitmap3: u32 = 4;
    /// In gradient packets: one bit for each switch or worker below the fifth level's switch.
    bitmap4, set_bitmap4: u32 = 8;
    /// The level to which a gradient packet is on its way (3 bits, from the most significant one), 14 bits of 0, and the fan-in
    /// degrees of the third, fourth and fifth level (5 bits each).
    level_and_degrees, set_level_and_degrees: u32 = 12;
}

/// The most levels of switches that add up on the way of a packet: those of a fat tree, up and down again.
pub const LEVELS: usize = 5;

const LEVEL_SHIFT: u32 = 29;

/// What a packet says about the tree of switches: the header of all packets, and [`AtpLevels`] in packets that have it.
/// Levels are counted from 0.
pub struct Tree<T> {
    /// The header that all packets have.
    pub atp: Atp<T>,
    /// The header of further levels; `None` in packets of jobs with two levels.
    pub further: Option<AtpLevels<T>>,
}

impl<T: AsRef<[u8]>> Tree<T> {
    /// Returns the number of levels for which there are fields.
    pub fn levels(&self) -> usize {
        if self.further.is_some() { LEVELS } else { 2 }
    }

    /// Returns the level to which a gradient packet is on its way; beyond the last one if it has left that.
    #[inline]
    pub fn level(&self) -> u8 {
        match &self.further {
            Some(further) => (further.level_and_degrees() >> LEVEL_SHIFT) as u8,
            None => u8::from(self.atp.has(flag::SECOND_EDGE)),
        }
    }

    /// Returns the bitmap of a level; 0 if there is no field for it.
    #[inline]
    pub fn bitmap(&self, level: u8) -> u32 {
        match (level, &self.further) {
            (0, _) => self.atp.bitmap0(),
            (1, _) => self.atp.bitmap1(),
            (2, Some(further)) => further.bitmap2(),
            (3, Some(further)) => further.bitmap3(),
            (4, Some(further)) => further.bitmap4(),
            _ => 0,
        }
    }

    /// Returns the number of switches and workers below the switch of a level, 1 to 32; 1 if there is no field for it.
    #[inline]
    pub fn fan_in(&self, level: u8) -> u8 {
        match (level, &self.further) {
            (0, _) => self.atp.fan_in0(),
            (1, _) => self.atp.fan_in1(),
            (2..=4, Some(further)) => super::degree((further.level_and_degrees() >> shift(level)) as u16 & 31),
            _ => 1,
        }
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Tree<T> {
    /// Sets the level to which a gradient packet is on its way, and with it the flag of section 3.3, which says whether this is
    /// the first one. Without fields for further levels, all levels from 1 on are one.
    #[inline]
    pub fn set_level(&mut self, level: u8) {
        let flags = self.atp.degrees_and_flags() & !flag::SECOND_EDGE;
        self.atp.set_degrees_and_flags(flags | if level > 0 { flag::SECOND_EDGE } else { 0 });
        if let Some(further) = &mut self.further {
            let rest = further.level_and_degrees() << 3 >> 3;
            further.set_level_and_degrees(rest | u32::from(level) << LEVEL_SHIFT);
        }
    }

    /// Sets the bitmap of a level; nothing if there is no field for it.
    #[inline]
    pub fn set_bitmap(&mut self, level: u8, bitmap: u32) {
        match (level, &mut self.further) {
            (0, _) => self.atp.set_bitmap0(bitmap),
            (1, _) => self.atp.set_bitmap1(bitmap),
            (2, Some(further)) => further.set_bitmap2(bitmap),
            (3, Some(further)) => further.set_bitmap3(bitmap),
            (4, Some(further)) => further.set_bitmap4(bitmap),
            _ => {}
        }
    }

    /// Sets the fan-in degrees of all levels for which there are fields, each 1 to 32.
    pub fn set_fan_in(&mut self, degrees: [u8; LEVELS]) {
        self.atp.set_fan_in([degrees[0], degrees[1]]);
        if let Some(further) = &mut self.further {
            let written = |level: u8| u32::from(degrees[usize::from(level)] % LARGEST_DEGREE) << shift(level);
            let level = further.level_and_degrees() >> LEVEL_SHIFT << LEVEL_SHIFT;
            further.set_level_and_degrees(level | written(2) | written(3) | written(4));
        }
    }
}

/// Returns the position of the lowest bit of a further level's degree.
fn shift(level: u8) -> u32 {
    5 * (4 - u32::from(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_bitmaps_and_degrees_do_not_touch_each_other() {
        let mut bytes = [0; 32];
        let (first, second) = bytes.split_at_mut(16);
        let mut tree = Tree { atp: Atp::new(first).expect("long enough"), further: AtpLevels::new(second) };
        tree.atp.set(flag::RESEND);
        tree.set_fan_in([1, 2, 32, 31, 17]);
        for level in 0..=5 {
            tree.set_level(level);
            tree.set_bitmap(level, 1 << level);
            assert_eq!((tree.level(), tree.atp.has(flag::SECOND_EDGE)), (level, level > 0));
            assert!(tree.atp.has(flag::RESEND));
        }
        assert_eq!([0, 1, 2, 3, 4].map(|level| tree.fan_in(level)), [1, 2, 32, 31, 17]);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|level| tree.bitmap(level)), [1, 2, 4, 8, 16, 0]);
        assert_eq!(bytes[28..], [0b1010_0000, 0, 0b0000_0011, 0b1111_0001], "5 as 3 bits, then 0, 31 and 17 as 5 each");
    }

    #[test]
    fn without_further_fields_there_are_two_levels() {
        let mut tree = Tree { atp: Atp::new([0; 16]).expect("long enough"), further: None };
        tree.set_fan_in([3, 4, 5, 6, 7]);
        tree.set_bitmap(2, 9);
        tree.set_level(2);
        assert_eq!((tree.levels(), tree.level()), (2, 1));
        assert_eq!([0, 1, 2].map(|level| (tree.fan_in(level), tree.bitmap(level))), [(3, 0), (4, 0), (1, 0)]);
    }
}

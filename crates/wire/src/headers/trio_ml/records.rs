//! The records of Trio-ML in a switch's hash tables (figures 17 and 18).
//!
//! A published record has 58 bytes, and a place of a hash table 64. The 6 bytes behind the published ones hold what Polyplane
//! has to remember beside: which job a record is of, which block and generation, and how far back results are kept.

use serde::{Deserialize, Serialize};

/// The words of 64 bits of a record.
pub const RECORD_WORDS: usize = 8;

/// The record of a job (`trio_ml_job_ctx_t`, figure 17), made by the control plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRecord {
    /// `block_curr_cnt`: how many blocks are being aggregated.
    pub active_blocks: u16,
    /// `block_cnt_max`: how many blocks may be aggregated at once; 12 bits.
    pub most_blocks: u16,
    /// `block_grad_max`: how many gradients a block may have; 12 bits.
    pub most_gradients: u16,
    /// `block_exp`: after how many milliseconds a block ages out; 0 if it never does.
    pub timeout: u8,
    /// `block_total_cnt`: how many blocks have been begun.
    pub total_blocks: u32,
    /// `out_src_addr`: the IPv4 address of the switch, to which sources send and from which results come.
    pub address: u32,
    /// `out_dst_addr`: the IPv4 address to which results go: the group of the workers, or the next aggregator.
    pub destination: u32,
    /// `out_nh_addr`: where the next hop of results lies in shared memory, in words; 0 if the tables of routes say it.
    pub next_hop: u32,
    /// `src_cnt`: how many sources the job has here; 8 bits, of which 0 stands for 256.
    pub source_count: u8,
    /// `src_mask_0` to `src_mask_3`: the sources. Source `s` is bit `s` of these 256, the most significant one first.
    pub sources: [u64; 4],
    /// The number of the job.
    pub job: u8,
    /// Which source of the next aggregator this switch is.
    pub own_source: u8,
    /// The generation of the job: packets of others are discarded.
    pub generation: u16,
    /// The window of the workers in blocks. The result of a block is kept until the block that lies so far ahead is done.
    pub window: u16,
}

/// The record of a block (`trio_ml_block_ctx_t`, figure 18).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockRecord {
    /// `block_exp`: after how many milliseconds the block ages out; 0 if it never does.
    pub timeout: u8,
    /// `block_age`: for how many milliseconds, as timers have found, nobody has contributed to the block.
    pub age: u8,
    /// `block_start_time`: when the first contribution came, in nanoseconds.
    pub start: u64,
    /// `job_ctx_paddr`: where the record of the job lies, in words.
    pub job_address: u32,
    /// `aggr_paddr`: where the sums lie, in words.
    pub sums_address: u32,
    /// `grad_cnt`: the number of gradients; 12 bits.
    pub gradients: u16,
    /// `rcvd_cnt`: from how many sources contributions have come; 8 bits, of which 0 stands for 256 in a complete block.
    pub received_count: u8,
    /// `rcvd_mask_0` to `rcvd_mask_3`: from which sources contributions have come, as [`JobRecord::sources`].
    pub received: [u64; 4],
    /// The number of the block.
    pub block: u32,
    /// The generation of the block.
    pub generation: u16,
}

/// Writes fields one behind the other, the most significant bit first.
struct Writer {
    words: [u64; RECORD_WORDS],
    place: usize,
}

impl Writer {
    fn put(&mut self, width: usize, value: u64) -> &mut Self {
        let value = value & (u64::MAX >> (64 - width));
        let (word, first) = (self.place / 64, self.place % 64);
        match (first + width).checked_sub(64) {
            None | Some(0) => self.words[word] |= value << (64 - first - width),
            Some(behind) => {
                self.words[word] |= value >> behind;
                self.words[word + 1] |= value << (64 - behind);
            }
        }
        self.place += width;
        self
    }
}

/// Reads fields one behind the other.
struct Reader<'a> {
    words: &'a [u64; RECORD_WORDS],
    place: usize,
}

impl Reader<'_> {
    fn take(&mut self, width: usize) -> u64 {
        let (word, first) = (self.place / 64, self.place % 64);
        self.place += width;
        let value = match (first + width).checked_sub(64) {
            None | Some(0) => self.words[word] >> (64 - first - width),
            Some(behind) => self.words[word] << behind | self.words[word + 1] >> (64 - behind),
        };
        value & (u64::MAX >> (64 - width))
    }
}

impl JobRecord {
    /// Returns the record as words: the 58 bytes of figure 17, and 6 more.
    pub fn words(&self) -> [u64; RECORD_WORDS] {
        let mut writer = Writer { words: [0; RECORD_WORDS], place: 0 };
        writer.put(16, self.active_blocks.into()).put(12, self.most_blocks.into()).put(12, self.most_gradients.into());
        writer.put(8, self.timeout.into()).put(32, self.total_blocks.into()).put(32, self.address.into());
        writer.put(32, self.destination.into()).put(32, self.next_hop.into()).put(24, 0);
        writer.put(8, self.source_count.into());
        self.sources.iter().for_each(|mask| _ = writer.put(64, *mask));
        writer.put(8, self.job.into()).put(8, self.own_source.into()).put(16, self.generation.into());
        writer.put(16, self.window.into());
        writer.words
    }

    /// Returns what the words of a record say.
    pub fn of(words: &[u64; RECORD_WORDS]) -> Self {
        let mut reader = Reader { words, place: 0 };
        let (active_blocks, most_blocks, most_gradients) =
            (reader.take(16) as u16, reader.take(12) as u16, reader.take(12) as u16);
        let (timeout, total_blocks, address) = (reader.take(8) as u8, reader.take(32) as u32, reader.take(32) as u32);
        let (destination, next_hop) = (reader.take(32) as u32, reader.take(32) as u32);
        reader.take(24);
        let source_count = reader.take(8) as u8;
        let sources = [0; 4].map(|_: u64| reader.take(64));
        let (job, own_source) = (reader.take(8) as u8, reader.take(8) as u8);
        let (generation, window) = (reader.take(16) as u16, reader.take(16) as u16);
        Self {
            active_blocks,
            most_blocks,
            most_gradients,
            timeout,
            total_blocks,
            address,
            destination,
            next_hop,
            source_count,
            sources,
            job,
            own_source,
            generation,
            window,
        }
    }

    /// Returns how many sources the job has here.
    pub fn number_of_sources(&self) -> u16 {
        match self.source_count {
            0 => 256,
            count => count.into(),
        }
    }
}

impl BlockRecord {
    /// Returns the record as words: the 58 bytes of figure 18, and 6 more.
    pub fn words(&self) -> [u64; RECORD_WORDS] {
        let mut writer = Writer { words: [0; RECORD_WORDS], place: 0 };
        writer.put(8, self.timeout.into()).put(8, self.age.into()).put(64, self.start);
        writer.put(32, self.job_address.into()).put(32, self.sums_address.into());
        writer.put(20, 0).put(12, self.gradients.into()).put(24, 0).put(8, self.received_count.into());
        self.received.iter().for_each(|mask| _ = writer.put(64, *mask));
        writer.put(32, self.block.into()).put(16, self.generation.into());
        writer.words
    }

    /// Returns what the words of a record say.
    pub fn of(words: &[u64; RECORD_WORDS]) -> Self {
        let mut reader = Reader { words, place: 0 };
        let (timeout, age, start) = (reader.take(8) as u8, reader.take(8) as u8, reader.take(64));
        let (job_address, sums_address) = (reader.take(32) as u32, reader.take(32) as u32);
        reader.take(20);
        let gradients = reader.take(12) as u16;
        reader.take(24);
        let received_count = reader.take(8) as u8;
        let received = [0; 4].map(|_: u64| reader.take(64));
        let (block, generation) = (reader.take(32) as u32, reader.take(16) as u16);
        Self { timeout, age, start, job_address, sums_address, gradients, received_count, received, block, generation }
    }
}

/// Returns the masks with the bit of a source alone.
pub fn bit_of(source: u8) -> [u64; 4] {
    let mut masks = [0; 4];
    masks[usize::from(source / 64)] = 1 << 63 >> (source % 64);
    masks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mask with a pattern of its own in each word.
    const MASKS: [u64; 4] = [0x8000_0000_0000_0001, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 3];

    fn bytes(words: [u64; RECORD_WORDS]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    /// Figure 17: the fields end after 58 bytes, and each is where the sum of the widths before it puts it.
    #[test]
    fn a_job_record_is_that_of_figure_17() {
        let record = JobRecord {
            active_blocks: 0x1122,
            most_blocks: 0x345,
            most_gradients: 0x678,
            timeout: 0x9a,
            total_blocks: 0xbcde_f012,
            address: 0x0a00_0001,
            destination: 0xefc0_0001,
            next_hop: 0x7654_3210,
            source_count: 0x42,
            sources: MASKS,
            job: 0x77,
            own_source: 0x88,
            generation: 0x99aa,
            window: 0xbbcc,
        };
        let bytes = bytes(record.words());
        assert_eq!(bytes[..10], [0x11, 0x22, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x12]);
        assert_eq!(bytes[10..22], [0x0a, 0, 0, 1, 0xef, 0xc0, 0, 1, 0x76, 0x54, 0x32, 0x10]);
        assert_eq!(bytes[22..26], [0, 0, 0, 0x42]);
        let masks: Vec<u8> = MASKS.iter().flat_map(|mask| mask.to_be_bytes()).collect();
        assert_eq!(bytes[26..58], masks);
        assert_eq!(bytes[58..], [0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc]);
        assert_eq!(JobRecord::of(&record.words()), record);
    }

    /// Figure 18.
    #[test]
    fn a_block_record_is_that_of_figure_18() {
        let record = BlockRecord {
            timeout: 0x11,
            age: 0x22,
            start: 0x3344_5566_7788_99aa,
            job_address: 0x0102_0304,
            sums_address: 0x0506_0708,
            gradients: 0x400,
            received_count: 0x21,
            received: MASKS,
            block: 0xcafe_babe,
            generation: 0x1234,
        };
        let bytes = bytes(record.words());
        assert_eq!(bytes[..10], [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa]);
        assert_eq!(bytes[10..18], [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(bytes[18..26], [0, 0, 4, 0, 0, 0, 0, 0x21]);
        let masks: Vec<u8> = MASKS.iter().flat_map(|mask| mask.to_be_bytes()).collect();
        assert_eq!(bytes[26..58], masks);
        assert_eq!(bytes[58..], [0xca, 0xfe, 0xba, 0xbe, 0x12, 0x34]);
        assert_eq!(BlockRecord::of(&record.words()), record);
    }

    #[test]
    fn sources_are_bits_from_the_most_significant_one() {
        assert_eq!(bit_of(0), [1 << 63, 0, 0, 0]);
        assert_eq!(bit_of(64), [0, 1 << 63, 0, 0]);
        assert_eq!(bit_of(255), [0, 0, 0, 1]);
    }
}

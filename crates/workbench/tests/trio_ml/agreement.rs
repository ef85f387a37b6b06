//! Packet by packet, the plain aggregator and the program on the chip do the same.

use basis::Random;
use machines::aggregator::trio_ml::Defect;
use wire::trio_ml::{BlockRecord, age, flag};

use super::driven::{Driven, Fields, GROUP, HEADERS, NEXT, SWITCH, Seen, chip, job, plain, worker};

/// The jobs: of three workers, of two whose blocks age out and whose results go to the next aggregator, and of sources in all four
/// words of a mask, one of which is a first-level aggregator.
fn set_up(driven: &mut Driven) {
    driven.add_job(&job(1, &[0, 1, 2]));
    let next =
        wire::trio_ml::JobRecord { destination: NEXT, own_source: 77, timeout: 10, window: 2, ..job(2, &[4, 9]) };
    driven.add_job(&next);
    driven.add_job(&wire::trio_ml::JobRecord { timeout: 30, ..job(3, &[0, 63, 64, 200, 255]) });
}

/// Traffic of workers that go on by blocks, with copies, mistakes and packets of other kinds.
struct Traffic {
    random: Random,
    /// The first block of each job that is under way.
    first: [u32; 3],
    sent: Vec<(u16, Vec<u8>)>,
}

impl Traffic {
    fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), first: [0; 3], sent: Vec::new() }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn next(&mut self) -> (u16, Vec<u8>) {
        if !self.sent.is_empty() && self.below(6) == 0 {
            let at = self.below(self.sent.len() as u64) as usize;
            return self.sent[at].clone();
        }
        let packet = self.fresh();
        self.sent.push(packet.clone());
        if self.sent.len() > 20 {
            self.sent.remove(0);
        }
        packet
    }

    fn fresh(&mut self) -> (u16, Vec<u8>) {
        let number = self.below(3) as usize;
        let sources: &[u8] = [&[0, 1, 2][..], &[4, 9], &[0, 63, 64, 200, 255]][number];
        if self.below(4) == 0 {
            self.first[number] += 1;
        }
        let block = self.first[number] + self.below(3) as u32;
        let at = self.below(sources.len() as u64) as usize;
        let port = (at % 3) as u16;
        // Blocks have lengths of their own, up to whole packets.
        let count = [1, 7, 16, 33, 34, 35, 48, 49, 64, 130, 260][(block as usize * 7 + number) % 11];
        let values = (0..count).map(|_| self.random.bits() as i32).collect();
        let mut fields = Fields {
            from: worker(port),
            to: SWITCH,
            job: 1 + number as u8,
            block,
            flags: if block % 5 == 4 { flag::FINAL } else { 0 },
            source: sources[at],
            count: 1,
            generation: 1,
            values,
        };
        match self.below(40) {
            0 => fields.generation = 2,
            1 => fields.source = 17,
            2 => fields.job = 9,
            3 => fields.to = GROUP,
            4 => fields.to = worker(2),
            5 => fields.to = 0x0B00_0001,
            6 => fields.values.truncate(fields.values.len() / 2),
            7 => fields.values.clear(),
            8 => fields.flags = age::TEMPORARY_STRAGGLER << 4,
            9 if number == 2 => (fields.flags, fields.count) = (age::AGED << 4 | flag::DEGRADED, 3),
            10 => {
                fields.flags = age::OVER << 4;
                fields.block = self.first[number];
            }
            _ => {}
        }
        let mut bytes = fields.bytes();
        match self.below(60) {
            0 => bytes.truncate(bytes.len() - 4),
            1 => bytes[37] ^= 1,
            2 => bytes[20] |= 0x20,
            3 => bytes[12] = 9,
            _ => {}
        }
        (port, bytes)
    }
}

/// Returns what has been seen since the last call, in an order that does not depend on times, with one name for a reason. A packet
/// that is answered is discarded by the program, and becomes the answer in the plain aggregator.
fn taken(driven: &mut Driven) -> Vec<Seen> {
    let mut seen: Vec<Seen> = driven.seen.drain(..).map(|(_, seen)| seen).collect();
    let has_sent = seen.iter().any(|seen| matches!(seen, Seen::Sent(..)));
    seen.retain(|seen| !matches!(seen, Seen::Discarded(_)) || !has_sent);
    for seen in &mut seen {
        if let Seen::Discarded(reason) = seen {
            *reason = match &**reason {
                "aggregated" => "aggregated",
                "duplicate" | "aggregated before" => "duplicate",
                "noted" | "noted by the aggregator" => "noted",
                "not_a_source" | "not a source of the job" => "not a source",
                "wrong_generation" | "of another generation of the job" => "generation",
                "wrong_length" | "wrong number of gradients" => "length",
                "too_many_blocks" | "too many blocks of the job" => "blocks",
                "block_ended" | "its block has ended" => "ended",
                "no_route" | "not_ipv4" | "no route of the aggregator" => "no route",
                other => other,
            }
            .to_owned();
        }
    }
    seen.sort();
    seen
}

/// The blocks without what only the layout of memory decides, and the times at which they began.
fn blocks(driven: &Driven) -> Vec<(Vec<u8>, BlockRecord)> {
    let records = driven.records("blocks").into_iter();
    let plain = |(key, words)| {
        let record = BlockRecord::of(&words);
        (key, BlockRecord { job_address: 0, sums_address: 0, start: 0, ..record })
    };
    records.map(plain).collect()
}

/// Returns what has been seen in short: the header and the first gradients of a packet.
fn told(seen: &Seen) -> String {
    match seen {
        Seen::Sent(port, bytes) => {
            format!("{port}: {:02x?}, {} bytes", &bytes[42.min(bytes.len())..70.min(bytes.len())], bytes.len())
        }
        Seen::Discarded(reason) => reason.clone(),
    }
}

/// Offers packets one by one to both. Returns the first packet at which they differ.
fn first_difference(seed: u64, packets: usize, defect: Option<Defect>) -> Option<String> {
    let mut switches = [Driven::new(chip(&[])), Driven::new(plain(defect))];
    for switch in &mut switches {
        set_up(switch);
        switch.run_for(1_000);
    }
    let mut traffic = Traffic::new(seed);
    for number in 0..packets {
        let (port, bytes) = traffic.next();
        // Now and then there is a pause in which blocks age.
        let pause = if traffic.below(60) == 0 { 23_000 } else { 200 };
        for switch in &mut switches {
            switch.offer(port, &bytes);
            switch.run_for(pause);
            // All blocks are in the first part of the table, whose turn comes every 10 ms. The chip takes time for what ends then,
            // and nothing arrives meanwhile.
            let phase = switch.now.microseconds() % 10_000;
            if !(1_000..9_900).contains(&phase) {
                switch.run_for((11_000 - phase) % 10_000);
            }
        }
        let [chip, plain] = &mut switches;
        let seen = (taken(chip), taken(plain));
        if seen.0 != seen.1 {
            let [program, other] = [seen.0, seen.1].map(|seen| seen.iter().map(told).collect::<Vec<_>>());
            let header = &bytes[42..HEADERS.min(bytes.len())];
            return Some(format!("packet {number}, {header:02x?}:\n{other:#?} instead of\n{program:#?}"));
        }
    }
    let [chip, plain] = &switches;
    let states =
        |driven: &Driven| (driven.records("jobs"), blocks(driven), driven.words("floors"), driven.words("stragglers"));
    let (left, right) = (states(chip), states(plain));
    (left != right).then(|| format!("{right:?} instead of {left:?}"))
}

#[test]
fn the_program_and_the_plain_aggregator_treat_the_same_traffic_alike() {
    for seed in 0..4 {
        assert_eq!(first_difference(seed, 400, None), None, "seed {seed}");
    }
}

#[test]
fn a_broken_rule_is_noticed() {
    for defect in [Defect::NoMask, Defect::NoAgeing, Defect::NoAnswer, Defect::OneSourceFewer] {
        assert!(first_difference(1, 400, Some(defect)).is_some(), "{defect:?}");
    }
}

/// Bytes of packets that are anything, cut anywhere.
#[test]
fn damaged_packets_do_no_harm() {
    let mut switch = Driven::new(plain(None));
    set_up(&mut switch);
    let mut traffic = Traffic::new(7);
    for _ in 0..20_000 {
        let (port, mut bytes) = traffic.next();
        for _ in 0..traffic.below(4) {
            let at = traffic.below(bytes.len().min(60) as u64) as usize;
            bytes[at] = traffic.below(256) as u8;
        }
        if traffic.below(4) == 0 {
            bytes.truncate(traffic.below(bytes.len() as u64 + 1) as usize);
        }
        switch.offer(port, &bytes);
        switch.run_for(20);
    }
    assert!(switch.seen.iter().any(|(_, seen)| matches!(seen, Seen::Sent(..))), "some results come out all the same");
}

/// A switch whose results go to another one asks that when a source sends a block again that others have not sent, and forms sums of an
/// older setup anew.
#[test]
fn results_are_asked_for_and_sums_of_an_older_setup_begin_anew() {
    let record =
        |generation| wire::trio_ml::JobRecord { destination: NEXT, own_source: 77, generation, ..job(2, &[4, 9]) };
    let seen = [chip(&[]), plain(None)].map(|device| {
        let mut switch = Driven::new(device);
        let mut seen = Vec::new();
        for generation in 1..3 {
            if generation > 1 {
                switch.delete_job(2);
            }
            switch.add_job(&record(generation));
            for source in [4, 4, 9] {
                let (from, values) = (worker(0), vec![i32::from(source); 20]);
                let fields =
                    Fields { from, to: SWITCH, job: 2, block: 0, flags: 0, source, count: 1, generation, values };
                switch.offer(0, &fields.bytes());
                switch.run_for(200);
                seen.push(taken(&mut switch));
            }
        }
        seen
    });
    assert_eq!(seen[0], seen[1]);
    let lengths = seen[1].iter().map(|seen| match &seen[..] {
        [Seen::Sent(3, bytes)] => bytes.len(),
        _ => 0,
    });
    assert_eq!(lengths.collect::<Vec<_>>(), [0, HEADERS, HEADERS + 80, 0, HEADERS, HEADERS + 80]);
}

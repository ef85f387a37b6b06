//! Reading and writing of captures: both formats, both byte orders, truncated and damaged files.

use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{Block, LegacyPcapReader, PcapBlockOwned, PcapError, PcapNGReader};
use proptest::prelude::*;
use wire::capture::{Captured, Fault, PcapWriter, PcapngWriter, Reader, Resolution, Timestamp};
use wire::{LinkLayer, Packet, Tail};

fn read(bytes: &[u8]) -> (Vec<Captured>, Vec<Fault>) {
    let reader = match Reader::new(bytes) {
        Ok(reader) => reader,
        Err(fault) => return (Vec::new(), vec![fault]),
    };
    let (mut packets, mut faults) = (Vec::new(), Vec::new());
    for item in reader {
        match item {
            Ok(captured) => packets.push(captured),
            Err(fault) => faults.push(fault),
        }
    }
    (packets, faults)
}

/// Returns packets with heads of several lengths, every second of which has 1000 further bytes of unknown content.
fn some_packets() -> Vec<(Timestamp, Packet)> {
    let packet = |n: u64| {
        let mut packet = Packet::of_bytes(&vec![n as u8; 14 + n as usize]);
        packet.tail = Tail::Length(if n.is_multiple_of(2) { 1000 } else { 0 });
        (Timestamp::new(1_700_000_000 + n as i64, 123_456_000_000 + n * 1_000_000), packet)
    };
    (0..10).map(packet).collect()
}

fn pcap(resolution: Resolution) -> Vec<u8> {
    let mut writer = PcapWriter::new(Vec::new(), LinkLayer::Ethernet, resolution).unwrap();
    some_packets().iter().for_each(|(time, packet)| writer.write(*time, packet).unwrap());
    writer.finish().unwrap()
}

fn pcapng() -> Vec<u8> {
    let mut writer = PcapngWriter::new(Vec::new(), LinkLayer::Ethernet).unwrap();
    some_packets().iter().for_each(|(time, packet)| writer.write(*time, packet).unwrap());
    writer.finish().unwrap()
}

/// Converts a file to the other byte order: its header and the header of each record, not the bytes of packets.
fn pcap_big_endian(little: &[u8]) -> Vec<u8> {
    let mut big = Vec::new();
    let mut swap = |bytes: &[u8], widths: &[usize]| {
        let mut at = 0;
        for &width in widths {
            big.extend(bytes[at..at + width].iter().rev());
            at += width;
        }
        big.extend_from_slice(&bytes[at..]);
    };
    swap(&little[..24], &[4, 2, 2, 4, 4, 4, 4]);
    let mut at = 24;
    while at < little.len() {
        let captured = u32::from_le_bytes(little[at + 8..at + 12].try_into().unwrap()) as usize;
        swap(&little[at..at + 16 + captured], &[4, 4, 4, 4]);
        at += 16 + captured;
    }
    big
}

fn block(kind: u32, body: &[u8], to_bytes: fn(u32) -> [u8; 4]) -> Vec<u8> {
    let padded = [body, &vec![0; body.len().next_multiple_of(4) - body.len()]].concat();
    let length = to_bytes(padded.len() as u32 + 12);
    [&to_bytes(kind), &length, &padded[..], &length].concat()
}

#[test]
fn written_packets_read_back_equal() {
    for bytes in [pcap(Resolution::Microseconds), pcap(Resolution::Nanoseconds), pcapng()] {
        for bytes in if bytes[0] == 0x0A { vec![bytes] } else { vec![pcap_big_endian(&bytes), bytes] } {
            let (packets, faults) = read(&bytes);
            assert_eq!(faults, []);
            let expected = some_packets();
            assert_eq!(packets.len(), expected.len());
            for (found, (time, packet)) in packets.iter().zip(&expected) {
                assert_eq!(found.time, Some(*time));
                assert_eq!((&found.packet.head, &found.packet.tail), (&packet.head, &packet.tail));
                assert_eq!(found.packet.sidecar.original_length as usize, packet.len());
            }
        }
    }
}

#[test]
fn another_library_reads_our_captures() {
    let bytes = pcap(Resolution::Nanoseconds);
    let mut reader = LegacyPcapReader::new(65_536, &bytes[..]).unwrap();
    let mut found = Vec::new();
    loop {
        match reader.next() {
            Ok((offset, block)) => {
                if let PcapBlockOwned::Legacy(record) = block {
                    found.push((
                        u64::from(record.ts_sec),
                        u64::from(record.ts_usec) * 1000,
                        record.origlen,
                        record.data.to_vec(),
                    ));
                }
                reader.consume(offset);
            }
            Err(PcapError::Eof) => break,
            Err(PcapError::Incomplete(_)) => reader.refill().unwrap(),
            Err(error) => panic!("{error:?}"),
        }
    }
    let expected = |(time, packet): &(Timestamp, Packet)| {
        (time.seconds as u64, time.picoseconds, packet.len() as u32, packet.head.bytes().to_vec())
    };
    assert_eq!(found, some_packets().iter().map(expected).collect::<Vec<_>>());

    let bytes = pcapng();
    let mut reader = PcapNGReader::new(65_536, &bytes[..]).unwrap();
    let (mut found, mut offset_seconds, mut resolution) = (Vec::new(), 0, 0);
    loop {
        match reader.next() {
            Ok((offset, block)) => {
                match block {
                    PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                        (offset_seconds, resolution) = (interface.if_tsoffset, interface.if_tsresol);
                    }
                    PcapBlockOwned::NG(Block::EnhancedPacket(record)) => {
                        assert_eq!(resolution, 12);
                        let ticks = u64::from(record.ts_high) << 32 | u64::from(record.ts_low);
                        let seconds = ticks / 1_000_000_000_000 + offset_seconds as u64;
                        let data = record.data[..record.caplen as usize].to_vec();
                        found.push((seconds, ticks % 1_000_000_000_000, record.origlen, data));
                    }
                    _ => {}
                }
                reader.consume(offset);
            }
            Err(PcapError::Eof) => break,
            Err(PcapError::Incomplete(_)) => reader.refill().unwrap(),
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(found, some_packets().iter().map(expected).collect::<Vec<_>>());
}

#[test]
fn limits_heads_but_not_lengths() {
    let mut writer = PcapWriter::new(Vec::new(), LinkLayer::Ip, Resolution::Microseconds).unwrap();
    let long: Vec<u8> = (0..200).collect();
    writer.write(Timestamp::default(), &Packet::of_bytes(&long)).unwrap();
    let bytes = writer.finish().unwrap();
    let packet = Reader::with_head_limit(&bytes[..], 64).unwrap().next().unwrap().unwrap().packet;
    assert_eq!((packet.head.bytes(), &packet.tail), (&long[..64], &Tail::Length(136)));
    assert_eq!((packet.sidecar.original_length, packet.sidecar.link), (200, LinkLayer::Ip));
}

#[test]
fn reads_all_pcapng_features_in_both_byte_orders() {
    for (to_bytes, halves) in [(u32::to_le_bytes as fn(u32) -> [u8; 4], false), (u32::to_be_bytes, true)] {
        let short = |value: u16| if halves { value.to_be_bytes() } else { value.to_le_bytes() };
        let words = |words: &[u32]| words.iter().flat_map(|&word| to_bytes(word)).collect::<Vec<u8>>();
        let section =
            block(0x0A0D_0D0A, &[&words(&[0x1A2B_3C4D])[..], &short(1), &short(0), &[0xFF; 8]].concat(), to_bytes);
        let interface = |link: u16, resolution: u8| {
            let options =
                [&short(2)[..], &short(3), b"eth", &[0], &short(9), &short(1), &[resolution, 0, 0, 0], &[0; 4]];
            block(1, &[&short(link)[..], &[0, 0], &words(&[96]), &options.concat()].concat(), to_bytes)
        };
        let enhanced = |id: u32, ticks: u64, data: &[u8]| {
            let fields = [id, (ticks >> 32) as u32, ticks as u32, data.len() as u32, 100];
            block(6, &[&words(&fields)[..], data].concat(), to_bytes)
        };
        let obsolete = {
            let fields = [&short(1)[..], &short(0), &words(&[0, 5, 3, 3]), b"old"].concat();
            block(2, &fields, to_bytes)
        };
        let bytes = [
            section.clone(),
            interface(1, 9),
            interface(101, 0x80 | 10),
            enhanced(0, 7_000_000_001, b"a"),
            block(5, &words(&[0, 0, 0]), to_bytes), // statistics
            enhanced(1, 1024 + 512, b"four"),
            obsolete,
            section,
            interface(1, 6),
            block(3, &[&words(&[6])[..], b"simple"].concat(), to_bytes),
            enhanced(0, 2, b"last"),
        ]
        .concat();
        let (packets, faults) = read(&bytes);
        assert_eq!(faults, []);
        let seen: Vec<_> = packets.iter().map(|p| (p.time, p.packet.head.bytes(), p.packet.sidecar.link)).collect();
        assert_eq!(
            seen,
            [
                (Some(Timestamp::new(7, 1000)), &b"a"[..], LinkLayer::Ethernet),
                (Some(Timestamp::new(1, 500_000_000_000)), b"four", LinkLayer::Ip),
                (Some(Timestamp::new(0, 5 * 1_000_000_000_000 / 1024)), b"old", LinkLayer::Ip),
                (None, b"simple", LinkLayer::Ethernet),
                (Some(Timestamp::new(0, 2_000_000)), b"last", LinkLayer::Ethernet),
            ]
        );
    }
}

#[test]
fn skips_unusable_blocks_and_reports_each_once() {
    let le = u32::to_le_bytes;
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let section = block(0x0A0D_0D0A, &words(&[0x1A2B_3C4D, 1, u32::MAX, u32::MAX]), le);
    let interface = |link: u32| block(1, &words(&[link, 0]), le);
    let packet = |id: u32, claimed: u32| block(6, &[&words(&[id, 0, 0, claimed, 4])[..], b"data"].concat(), le);
    let bytes =
        [section, interface(127), interface(1), packet(0, 4), packet(0, 4), packet(9, 4), packet(1, 400), packet(1, 4)]
            .concat();
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let items: Vec<_> = reader.by_ref().collect();
    let told: Vec<String> = items.iter().filter_map(|item| item.as_ref().err()).map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "byte 36: interface 0 has link type 127, which is not supported: its packets are left out",
            "byte 140: a packet of interface 9, which its section does not describe",
            "byte 176: a packet claims 400 captured bytes; its block has 4",
        ]
    );
    assert_eq!(items.iter().filter(|item| item.is_ok()).count(), 1);
    assert_eq!((reader.tally().packets, reader.tally().of_unknown_links), (1, 2));
}

/// A file of ninety bytes once made a packet of four gigabytes. A packet that claims more than any link carries is
/// left out, and the packets behind it are read.
#[test]
fn refuses_lengths_that_no_link_carries() {
    let claiming = |bytes: &[u8], original: u32| {
        let mut bytes = bytes.to_vec();
        // The first packet has 14 bytes and a length of 1014.
        let at = bytes.windows(8).position(|w| w == [14, 0, 0, 0, 0xF6, 3, 0, 0]).expect("the lengths of its record");
        bytes[at + 4..at + 8].copy_from_slice(&original.to_le_bytes());
        read(&bytes)
    };
    for bytes in [pcap(Resolution::Microseconds), pcapng()] {
        let (packets, faults) = claiming(&bytes, 524_288);
        assert_eq!((packets.len(), packets[0].packet.len(), faults), (10, 524_288, vec![]));
        for original in [524_289, u32::MAX] {
            let (packets, faults) = claiming(&bytes, original);
            assert_eq!((packets.len(), faults.len(), faults[0].is_fatal), (9, 1, false));
            let message =
                format!("a packet claims a length of {original} bytes on the wire; none is longer than 524288");
            assert_eq!(faults[0].message, message);
        }
    }
}

#[test]
fn explains_what_a_file_is_if_not_a_capture() {
    let message = |bytes: &[u8]| {
        let fault = read(bytes).1.remove(0);
        assert!(fault.is_fatal);
        format!("{fault} ({})", fault.hint.as_deref().unwrap_or_default())
    };
    assert_eq!(message(b""), "byte 0: the file is empty (expected pcap or pcapng, not compressed)");
    assert_eq!(
        message(&[0x1F, 0x8B, 8, 0, 0]),
        "byte 0: this is not a capture: it starts with 1f 8b 08 00 (this is gzip: unpack it first)"
    );
    let mut other_link = pcap(Resolution::Microseconds);
    other_link[20] = 105;
    assert!(message(&other_link).starts_with("byte 20: link type 105 is not supported"));
    let mut too_long = pcap(Resolution::Microseconds);
    too_long[24 + 16 + 14 + 11] = 1;
    let (packets, faults) = read(&too_long);
    assert_eq!((packets.len(), faults.len()), (1, 1));
    assert!(faults[0].to_string().starts_with("byte 54: a record claims 167"), "{}", faults[0]);
}

#[test]
fn reports_truncation_unless_between_records() {
    for bytes in [pcap(Resolution::Nanoseconds), pcapng()] {
        let (whole, _) = read(&bytes);
        let mut clean_cuts = 0;
        for length in 0..bytes.len() {
            let (packets, faults) = read(&bytes[..length]);
            assert_eq!(packets[..], whole[..packets.len()]);
            assert!(packets.len() < whole.len());
            match &faults[..] {
                [] => clean_cuts += 1,
                [fault] => assert!(fault.is_fatal && fault.offset <= length as u64, "{fault}"),
                _ => panic!("{faults:?}"),
            }
        }
        // Clean cuts are right after the header of the file, or its section and interface, and after each packet but
        // the last.
        assert!((10..=11).contains(&clean_cuts), "{clean_cuts}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn survives_damaged_files(
        which in 0..3usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        length in any::<prop::sample::Index>(),
    ) {
        let mut bytes = match which {
            0 => pcap(Resolution::Microseconds),
            1 => pcap_big_endian(&pcap(Resolution::Nanoseconds)),
            _ => pcapng(),
        };
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(length.index(2 * bytes.len()));
        let (packets, faults) = read(&bytes);
        // Each packet or fault comes from different bytes, and only the last fault can be fatal.
        prop_assert!(packets.len() + faults.len() <= bytes.len() / 12 + 1);
        prop_assert!(faults.iter().rev().skip(1).all(|fault| !fault.is_fatal));
    }

    #[test]
    fn survives_arbitrary_bytes(start in 0..3usize, rest in proptest::collection::vec(any::<u8>(), 0..200)) {
        let magic: &[u8] = [&[0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0][..], &[0x0A, 0x0D, 0x0D, 0x0A], &[]][start];
        read(&[magic, &rest].concat());
    }
}

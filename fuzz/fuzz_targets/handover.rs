//! Sessions that another virtual switch hands over: with a right checksum they are refused as a whole, or read and written again
//! as they were, and a switch with guests takes what it allows.

#![no_main]

use basis::Instant;
use libfuzzer_sys::fuzz_target;
use vswitch::VirtualSwitch;
use vswitch::configuration::Configuration;
use vswitch::handover::{VERSION, read, write_version};

/// The position of the version, of 16 bits.
const AT_VERSION: usize = 8;

fuzz_target!(|input: &[u8]| {
    let sum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(input);
    let bytes = [input, &sum.to_be_bytes()].concat();
    let understood = read(&bytes);
    if let Ok(handover) = &understood {
        let version = u16::from_be_bytes([bytes[AT_VERSION], bytes[AT_VERSION + 1]]);
        assert!((1..=VERSION).contains(&version));
        assert_eq!(write_version(handover, version), bytes);
    }
    let mut switch = VirtualSwitch::new(Configuration::default(), [1, 2]);
    let taken = switch.take_over(Instant::ZERO, &bytes);
    assert_eq!(taken.is_ok(), understood.is_ok());
});

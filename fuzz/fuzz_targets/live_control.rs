//! What clients of a live switch send: lines in pieces of any length, requests, and the filters in them. Lines come out the same
//! however they are cut; a request that is read is written and read back as the same; filters are refused with an error at a
//! place inside, or decide about any packet.

#![no_main]

use libfuzzer_sys::fuzz_target;
use switchd::socket::LineReader;
use switchd::{Filter, Request};
use wire::Packet;

/// Returns the lines of bytes that arrive in pieces of some length.
fn lines(bytes: &[u8], piece: usize) -> Vec<Vec<u8>> {
    let mut reader = LineReader::default();
    let mut lines = Vec::new();
    for piece in bytes.chunks(piece) {
        reader.push(piece);
        while let Ok(Some(line)) = reader.next_line() {
            lines.push(line);
        }
    }
    lines
}

fn filter(text: &str, packet: &Packet) {
    match Filter::read(text) {
        Ok(filter) => {
            filter.matches(packet);
            assert_eq!(Filter::read(&filter.to_string()).expect("its own text"), filter);
        }
        Err(failure) => assert!(!failure.render(true).is_empty()),
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((&piece, bytes)) = input.split_first() else { return };
    let whole = lines(bytes, bytes.len().max(1));
    assert_eq!(lines(bytes, usize::from(piece).max(1)), whole);
    let packet = Packet::of_bytes(&bytes[..bytes.len().min(192)]);
    for line in whole {
        if let Ok(request) = Request::read(&line) {
            let written = serde_json::to_vec(&request).expect("requests are JSON");
            assert_eq!(Request::read(&written).as_ref(), Ok(&request));
            if let Request::Trace { filter: text, .. } | Request::Capture { filter: text, .. } = &request {
                filter(text, &packet);
            }
        }
        filter(&String::from_utf8_lossy(&line), &packet);
    }
});

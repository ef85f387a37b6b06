//! What arrives at a switch whose tunnels are encrypted: bytes that nobody has encrypted, and bytes encrypted with the right key, of which
//! anything comes out. Each packet has a verdict, and none is accepted twice.

#![no_main]

use std::sync::Arc;

use basis::Instant;
use files::PlanText;
use libfuzzer_sys::fuzz_target;
use measure::Interest;
use node::{Account, Node, Outbox, Port, Station};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use vswitch::VirtualSwitch;
use vswitch::configuration::{Configuration, Encryption, read};
use vswitch::encryption::{InboundKey, Key, Keys};
use wire::{Packet, Tail};

const TEXT: &str = include_str!("../../experiments/vswitch/two-hosts-a.toml");
/// The key of the other host, with its salt behind it.
const KEY: [u8; 20] = *b"0123456789abcdefsalt";
const INDEX: u32 = 300;
/// The bytes in front of a frame: what it is, its length, and its number.
const SETTINGS: usize = 4;

thread_local! {
    static CONFIGURATION: Configuration = {
        let text = PlanText { name: "fuzz".into(), path: "fuzz.toml".into(), text: TEXT.into(), folder: Default::default() };
        read(&text).unwrap_or_else(|failure| panic!("{}", failure.render(false))).configuration
    };
}

/// Returns a packet from the other host with this behind its IP header.
fn outer(payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 1, 0, 1, 2, 0, 0, 1, 0, 2, 8, 0];
    let mut header = vec![0; 20];
    let mut ip = wire::Ipv4::new(&mut header[..]).expect("long enough");
    ip.set_version_and_length(0x45);
    ip.set_total_length(20 + payload.len() as u16);
    ip.set_time_to_live(64);
    ip.set_protocol(50);
    ip.set_source_bits(u32::from_be_bytes([192, 0, 2, 2]));
    ip.set_destination_bits(u32::from_be_bytes([192, 0, 2, 1]));
    ip.fill_checksum();
    frame.extend_from_slice(&header);
    frame.extend_from_slice(payload);
    frame
}

/// Returns bytes, encrypted with the right key and these numbers.
fn sealed(plain: &[u8], number: u64) -> Vec<u8> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &KEY[..16]).expect("16 bytes"));
    let mut nonce = [0; 12];
    nonce[..4].copy_from_slice(&KEY[16..]);
    nonce[4..].copy_from_slice(&number.to_be_bytes());
    let mut associated = INDEX.to_be_bytes().to_vec();
    associated.extend_from_slice(&number.to_be_bytes());
    let mut bytes = plain.to_vec();
    let tag = key.seal_in_place_separate_tag(Nonce::assume_unique_for_key(nonce), Aad::from(&associated), &mut bytes);
    let mut packet = INDEX.to_be_bytes().to_vec();
    packet.extend_from_slice(&(number as u32).to_be_bytes());
    packet.extend_from_slice(&number.to_be_bytes());
    packet.extend_from_slice(&bytes);
    packet.extend_from_slice(tag.expect("short enough").as_ref());
    packet
}

fuzz_target!(|input: &[u8]| {
    let mut configuration = CONFIGURATION.with(Clone::clone);
    let key = |index: u32, bytes: &[u8]| Key::new(index, true, bytes).expect("a key");
    let inbound = vec![InboundKey { peers: vec!["192.0.2.2".parse().expect("an address")], key: key(INDEX, &KEY) }];
    let keys = Keys { outbound: key(301, b"another key and salt"), inbound, first: 1 };
    let vni = configuration.vpcs[0].vni;
    configuration.encryptions =
        vec![Encryption { vni, file: String::new(), is_demanded: true, keys: Some(Arc::new(keys)) }];
    let underlay = configuration.underlay.as_ref().expect("it has one").paths[0].port;
    let mut switch = VirtualSwitch::new(configuration, [1, 2]);
    let mut out = Outbox::new(Interest::default());
    let (mut rest, mut received, mut left) = (input, 0, 0);
    while let Some((&[kind, length, high, low], frames)) = rest.split_first_chunk::<SETTINGS>() {
        let (bytes, behind) = frames.split_at(usize::from(length).min(frames.len()));
        rest = behind;
        let number = u64::from(u16::from_be_bytes([high, low])) << (kind >> 2 & 31);
        let payload = if kind & 1 == 1 { sealed(bytes, number) } else { bytes.to_vec() };
        let frame = outer(&payload);
        let head = if kind & 2 == 2 { frame.len().min(48) } else { frame.len() };
        let mut packet = Packet::of_bytes(&frame[..head]);
        if head < frame.len() {
            packet.tail = Tail::Bytes(frame[head..].into());
        }
        // The second one is a copy.
        for _ in 0..2 {
            received += 1;
            out.begin(Instant::ZERO);
            switch.receive(Instant::ZERO, Port(underlay.0), &mut vec![packet.clone()], &mut out);
            left += (out.transmissions.len() + out.discarded.len()) as u64;
            let Account { generated, replicated, consumed, held } = switch.account();
            assert_eq!(received + generated + replicated, left + consumed + held);
            out.transmissions.clear();
            out.discarded.clear();
        }
    }
});

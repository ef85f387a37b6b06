//! Makes the packets with which the router is measured.

use basis::Random;

use super::entries::Route;

/// The number of packets. Every round sends all of them; their order is independent of that of the routes.
pub(super) const PACKETS: usize = 1 << 14;

/// Returns packets of TCP over IPv4 over Ethernet. They are 64 bytes long with the frame check sequence, which P4
/// programs do not see, and so 60 bytes without it. Source and destination of each belong to random routes.
pub fn packets(routes: &[Route], random: &mut Random) -> Vec<[u8; 60]> {
    (0..PACKETS).map(|_| packet(routes, random)).collect()
}

fn packet(routes: &[Route], random: &mut Random) -> [u8; 60] {
    let mut host = || {
        let route = routes[random.below(routes.len() as u64) as usize];
        route.network | random.bits() as u32 & !(u32::MAX << (32 - route.length))
    };
    let (source, destination) = (host(), host());
    let mut bytes = [0; 60];
    bytes[12..14].copy_from_slice(&[0x08, 0x00]);
    bytes[14..18].copy_from_slice(&[0x45, 0, 0, 46]);
    bytes[22..24].copy_from_slice(&[64, 6]);
    bytes[26..30].copy_from_slice(&source.to_be_bytes());
    bytes[30..34].copy_from_slice(&destination.to_be_bytes());
    bytes[34..36].copy_from_slice(&(1024 + random.below(60_000) as u16).to_be_bytes());
    bytes[36..38].copy_from_slice(&(random.below(2048) as u16).to_be_bytes());
    let checksum = wire::checksum::of(&bytes[14..34]);
    bytes[24..26].copy_from_slice(&checksum.to_be_bytes());
    bytes
}

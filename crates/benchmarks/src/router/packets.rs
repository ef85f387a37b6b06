//! The packets that the router is measured with.

use basis::Random;

use super::entries::Route;

/// How many packets there are; they come again and again, in another order than that of the routes.
pub(super) const PACKETS: usize = 1 << 14;

/// IPv4 over Ethernet with TCP, of 64 bytes with the frame check sequence, which P4 programs do not see: 60 bytes. Each
/// goes to some route, from another one.
pub(super) fn packets(routes: &[Route], random: &mut Random) -> Vec<[u8; 60]> {
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

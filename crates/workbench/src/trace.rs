//! Traces everything that happens to one packet.

use basis::Instant;
use machines::trace::Trace;
use machines::{Device, Standstill};
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Offered, Sink, Transmission};

use super::ports::check_port;
use super::words::counted;
use crate::run::{Offer, Packets};
use diagnostics::Failure;

/// Sends a packet into a device, and returns everything that happens to it.
///
/// # Errors
/// If the device does not have the packet's port or does not support tracing, or if the packet stands still in it.
pub fn trace_packet(device: &mut dyn Device, offered: Offered) -> Result<Vec<Trace>, Failure> {
    let mut packets = Some(offered);
    traced(device, 1, || Ok(packets.take()), |_| Failure::plain("there is no packet"))
}

/// Sends the first `number` packets of an offer into a device, and returns everything that happens to the last of them.
/// The packets before it change the state of the device as usual.
///
/// # Errors
/// As for [`trace_packet`]; also if packets cannot be read, or there are fewer than `number`.
pub fn trace_nth(device: &mut dyn Device, offer: &Offer, number: u64) -> Result<Vec<Trace>, Failure> {
    offer.ports().try_for_each(|port| check_port(device, port))?;
    let mut packets = Packets::open(offer)?;
    let name = offer.name();
    let too_few = |count| {
        let has = counted(count, "packet");
        Failure::plain(format!("{name} has only {has}, and no packet {number}"))
    };
    traced(device, number, || packets.next(), too_few)
}

fn traced(
    device: &mut dyn Device,
    number: u64,
    mut next: impl FnMut() -> Result<Option<Offered>, Failure>,
    too_few: impl Fn(u64) -> Failure,
) -> Result<Vec<Trace>, Failure> {
    let mut course = Course::new(Limit::default(), Interest::default());
    for before in 0..number {
        let Some(offered) = next()? else { return Err(too_few(before)) };
        check_port(device, offered.port.0)?;
        if before + 1 == number {
            device.observe()?;
        }
        let went_on = course.offer(device, offered, &mut Nowhere);
        went_on.map_err(|endless| Standstill::of(device, endless.at, Some(endless)))?;
    }
    let end = course.finish(device, &mut Nowhere);
    let end = end.map_err(|endless| Standstill::of(device, endless.at, Some(endless)))?;
    if let Some(standstill) = Standstill::at_end(device, end) {
        return Err(standstill.into());
    }
    // `Course` numbers packets from 0.
    let own = device.take_traces().into_iter().filter(|trace| trace.packet + 1 == number);
    Ok(own.map(|trace| Trace { packet: number, ..trace }).collect())
}

/// A sink that ignores everything, because the trace shows what happens.
struct Nowhere;

impl Sink for Nowhere {
    fn transmitted(&mut self, _transmission: Transmission) {}

    fn discarded(&mut self, _at: Instant, _discarded: Discarded) {}

    fn event(&mut self, _at: Instant, _event: Event) {}
}

//! Meters of a chip that keeps time count with the cycle in which a gress takes the packet.

use basis::Instant;
use control::{ActionCall, ElementSelection, MeterRequest, Request, TableRequest, Target};
use machines::Device;
use machines::tofino::{ChipSettings, TofinoParameters};
use measure::{Event, Interest};
use node::{Discarded, Offered, Port, Sink, Transmission};
use runtime::tables::FieldMatch;
use runtime::{Bits, MeterRates};
use wire::Packet;

use crate::bench::{Bench, chip_with};

const PROGRAM: &str = include_str!("by_pipe.p4");

/// A packet every microsecond in each gress.
const SLOW_CLOCK: &str =
    "pipes = 4\nclock = \"1 MHz\"\n[[port]]\nports = [0, 8, 12, 16, 128, 256]\nrate = \"100 Gb/s\"\n";

/// The colours of the packets that leave, in order of time.
#[derive(Default)]
struct Colors(Vec<u8>);

impl Sink for Colors {
    fn transmitted(&mut self, transmission: Transmission) {
        self.0.push(transmission.packet.head.bytes()[1]);
    }

    fn discarded(&mut self, _at: Instant, discarded: Discarded) {
        panic!("{:?}", discarded.reason);
    }

    fn event(&mut self, _at: Instant, _event: Event) {}
}

/// Returns the colours that a meter of so many packets a second, with a burst of one, gives to three packets that arrive
/// together at these ports and leave by ports of pipe 0.
fn colors(program: &str, meter: &str, rate: u64, from: [u16; 3]) -> Vec<u8> {
    let settings = ChipSettings::parse("chip.toml", SLOW_CLOCK).unwrap_or_else(|failure| panic!("{failure}"));
    let parameters = TofinoParameters { chip: Some(settings), ..TofinoParameters::default() };
    let mut bench = Bench::of(chip_with(program, parameters).unwrap());
    let info = bench.chip.info().clone();
    let table = info.table_named("kinds").unwrap();
    let action = info.action_named(table, "to").unwrap();
    for kind in 1..=3u64 {
        let key = vec![FieldMatch::Exact(Bits::from_u64(kind, 8))];
        let target = Target::Action(ActionCall { action, data: vec![Bits::from_u64(4 + 4 * kind, 9)] });
        bench.control(Request::Table(table, TableRequest::insert(key, None, target)));
    }
    let one = MeterRates { committed_rate: rate, committed_burst: 1, peak_rate: rate, peak_burst: 1 };
    let meter = info.meter_named(meter).unwrap();
    bench.control(Request::Meter(meter, MeterRequest::Set(ElementSelection::Index(2), Some(one))));
    let packets = (1..=3u8).zip(from).map(|(kind, port)| Offered {
        at: Instant::from_microseconds(10),
        port: Port(port),
        packet: Packet::of_bytes(&[kind, 0, 0, 0, 0, 0, 0]),
    });
    let mut left = Colors::default();
    machines::drive(&mut bench.chip, packets, Interest::default(), &mut left).unwrap_or_else(|still| panic!("{still}"));
    left.0
}

/// Packets that arrive faster than the clock takes them come to the stages one cycle after the other. Meters once counted with
/// the time of arrival, for which such packets were too many.
#[test]
fn packets_that_wait_for_their_cycle_come_to_a_meter_of_ingress_one_after_the_other() {
    assert_eq!(colors(PROGRAM, "rates", 1_000_000, [0; 3]), [0, 0, 0]);
    // At half the rate of the clock, every second one is too early.
    assert_eq!(colors(PROGRAM, "rates", 500_000, [0; 3]), [0, 3, 0]);
}

#[test]
fn packets_that_leave_their_queues_together_come_to_a_meter_of_egress_one_after_the_other() {
    let program = PROGRAM
        .replace("pkt.extract(eg_intr_md); transition", "pkt.extract(eg_intr_md); pkt.extract(hdr.order); transition")
        .replace("    apply { }", "    Meter<bit<4>>(16, MeterType_t.PACKETS) late;\n    apply { hdr.order.color = (bit<8>)late.execute(2); }");
    assert_eq!(colors(&program, "late", 1_000_000, [0, 128, 256]), [0, 0, 0]);
    assert_eq!(colors(&program, "late", 500_000, [0, 128, 256]), [0, 3, 0]);
}

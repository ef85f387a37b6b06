//! What ports have of their own in front of packets.

use machines::tofino::TofinoParameters;
use machines::tofino::settings::ChipSettings;

use super::support::{Order, Seen, read_file, seen};
use crate::bench::{Bench, chip_with};

fn bench(program: &str, text: &str) -> Bench {
    let chip: ChipSettings = read_file(text).unwrap();
    Bench::of(chip_with(program, TofinoParameters { chip: Some(chip), ..TofinoParameters::default() }).unwrap())
}

#[test]
fn the_metadata_of_a_port_lies_in_front_of_its_packets() {
    let text = "[[port]]\nports = [0, 4]\n[[port]]\nports = [1]\nmetadata = \"0x0102030405060708\"\n\
                [[port]]\nports = [2]\nmetadata = \"ab cd\"\n";
    let program = super::support::PROGRAM;
    for program in [program.to_owned(), program.replace("<tna.p4>", "<t2na.p4>")] {
        let mut bench = bench(&program, text);
        let order = Order { port: 4, ..Order::default() };
        let mut own = |port| -> u64 {
            let all: Vec<Seen> = seen(&bench.packet(port, &order.packet(0))).into_iter().map(Result::unwrap).collect();
            all[0].own
        };
        assert_eq!([own(0), own(1), own(2)], [0, 0x0102_0304_0506_0708, 0xABCD_0000_0000_0000]);
    }
}

#[test]
fn metadata_that_an_architecture_cannot_have_is_refused() {
    let text = "[[port]]\nports = [1]\nmetadata = \"0x010203040506070809\"\n";
    let chip = read_file(text).unwrap();
    let parameters = TofinoParameters { chip: Some(chip), ..TofinoParameters::default() };
    let program = super::support::PROGRAM;
    let refused = chip_with(program, parameters.clone()).map(drop).unwrap_err();
    assert_eq!(refused.findings, ["port 1 has 9 bytes of metadata, and ports of tna have 8"]);
    assert!(chip_with(&program.replace("<tna.p4>", "<t2na.p4>"), parameters).is_ok());
    let found = read_file("[[port]]\nports = [1]\nmetadata = \"0x123\"\n").unwrap_err();
    assert_eq!(found, [("`metadata` must be bytes".to_owned(), "\"0x123\"".to_owned())]);
}

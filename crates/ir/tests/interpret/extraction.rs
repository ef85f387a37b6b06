//! Extraction of bytes into headers, and emission of headers as bytes.

use ir::interpret::Ending;
use ir::{
    Block, ErrorId, Expression, HeaderId, HeaderReference, PacketStatement, ParserId, Program, Statement, Type,
    VariableId,
};

use crate::support::*;

fn only_state(program: &mut Program, body: Vec<Statement>) {
    parser(program, vec![(body, ACCEPT)]);
}

#[test]
fn fields_are_extracted_in_wire_order() {
    let mut program = empty();
    let h = header(&mut program, "h", &[("a", 4), ("b", 9), ("c", 3), ("d", 16)]);
    only_state(&mut program, vec![extract(h)]);
    let fields: Vec<_> = (0..4).map(|place| field(&program, h, place)).collect();
    let valid = program.headers[0].valid;
    let (ending, packet) = Running::new(program).parse(&[0xa5, 0b1100_1101, 0x12, 0x34, 0x99]);
    assert_eq!(ending, Ending::Done);
    assert_eq!(fields.map_low(&packet), [0xa, 0b0101_11001, 0b101, 0x1234]);
    assert_eq!((packet.low(valid), packet.position, packet.payload()), (1, 32, &[0x99][..]));
}

trait Lows {
    fn map_low(&self, packet: &ir::interpret::Packet) -> Vec<u64>;
}

impl Lows for Vec<VariableId> {
    fn map_low(&self, packet: &ir::interpret::Packet) -> Vec<u64> {
        self.iter().map(|&id| packet.low(id)).collect()
    }
}

#[test]
fn a_packet_that_is_too_short_sets_no_field() {
    let mut program = empty();
    let first = header(&mut program, "first", &[("a", 8)]);
    let second = header(&mut program, "second", &[("a", 8), ("b", 16)]);
    only_state(&mut program, vec![extract(first), extract(second)]);
    let (a, valid) = (field(&program, second, 0), [program.headers[0].valid, program.headers[1].valid].to_vec());
    let mut running = Running::new(program);
    for (bytes, ending, validity, position) in [
        (&[1, 2, 3][..], Ending::Rejected(ErrorId::PACKET_TOO_SHORT), [1, 0], 8),
        (&[], Ending::Rejected(ErrorId::PACKET_TOO_SHORT), [0, 0], 0),
        (&[1, 2, 3, 4], Ending::Done, [1, 1], 32),
    ] {
        let (ended, packet) = running.parse(bytes);
        assert_eq!(
            (ended, valid.map_low(&packet), packet.position),
            (ending, validity.to_vec(), position),
            "{bytes:?}"
        );
        assert_eq!(packet.low(a), if ended == Ending::Done { 2 } else { 0 });
    }
}

/// Adds a header of one byte, a variable-length field of up to three bytes, and one more byte.
fn with_options(program: &mut Program) -> HeaderId {
    let h = header(program, "h", &[("size", 8), ("options", 24), ("end", 8)]);
    let length = local(program, "h.options.$length", Type::Bits(32));
    program.headers[h.index()].fields[1].length = Some(length);
    h
}

fn extract_options(header: HeaderId, bits: Expression) -> Statement {
    Statement::Packet(PacketStatement::Extract { header: HeaderReference::Fixed(header), length: Some(bits) })
}

#[test]
fn variable_length_fields_have_the_given_length() {
    let mut program = empty();
    let bits = local(&mut program, "bits", Type::Bits(32));
    let h = with_options(&mut program);
    only_state(&mut program, vec![extract_options(h, variable(bits))]);
    let deparser = function(&mut program, vec![emit(h)]);
    let seen = vec![field(&program, h, 1), program.headers[0].fields[1].length.unwrap(), field(&program, h, 2)];
    let mut running = Running::new(program.clone());
    for (asked, bytes, expected) in [
        (16, &[9, 1, 2, 3, 4][..], Ok([0x0102, 16, 3])),
        (0, &[9, 1], Ok([0, 0, 1])),
        (24, &[9, 1, 2, 3, 4], Ok([0x01_0203, 24, 4])),
        (4, &[9, 1, 2, 3, 4], Err(ErrorId::PARSER_INVALID_ARGUMENT)),
        (32, &[9, 1, 2, 3, 4, 5], Err(ErrorId::HEADER_TOO_SHORT)),
        // The length of the packet is checked before the maximum of the field (P4_16, 13.8.2).
        (32, &[9, 1, 2, 3, 4], Err(ErrorId::PACKET_TOO_SHORT)),
        (0xffff_fff8, &[9, 1, 2, 3, 4], Err(ErrorId::PACKET_TOO_SHORT)),
        (24, &[9, 1, 2, 3], Err(ErrorId::PACKET_TOO_SHORT)),
    ] {
        let mut packet = running.packet(bytes);
        packet.set(&program, bits, asked);
        let (ending, _) = running.run(Block::Parser(ParserId(0)), &mut packet);
        match expected {
            Ok(values) => {
                assert_eq!((ending, seen.map_low(&packet)), (Ending::Done, values.to_vec()), "{asked}");
                running.run(Block::Function(deparser), &mut packet);
                assert_eq!(packet.emitted.bits as u64, 16 + asked);
                assert_eq!(packet.leaving(), bytes, "emission must restore the bytes that were extracted");
            }
            Err(error) => {
                assert_eq!((ending, packet.position), (Ending::Rejected(error), 0), "{asked} of {bytes:?}");
            }
        }
    }
}

#[test]
fn lookahead_does_not_consume_bits() {
    let mut program = empty();
    let variables = vec![local(&mut program, "a", Type::Bits(4)), local(&mut program, "b", Type::Int(12))];
    let ahead = Statement::Packet(PacketStatement::Lookahead { variables: variables.clone() });
    only_state(&mut program, vec![ahead]);
    let mut running = Running::new(program);
    let (ending, packet) = running.parse(&[0x5f, 0xfe]);
    assert_eq!((ending, packet.position, variables.map_low(&packet)), (Ending::Done, 0, vec![5, 0xffe]));
    assert_eq!(running.parse(&[0x5f]).0, Ending::Rejected(ErrorId::PACKET_TOO_SHORT));
}

#[test]
fn advance_skips_only_whole_existing_bytes() {
    let mut program = empty();
    let bits = local(&mut program, "bits", Type::Bits(32));
    only_state(&mut program, vec![Statement::Packet(PacketStatement::Advance { bits: variable(bits) })]);
    let mut running = Running::new(program.clone());
    for (asked, ending, position) in [
        (0, Ending::Done, 0),
        (16, Ending::Done, 16),
        (24, Ending::Rejected(ErrorId::PACKET_TOO_SHORT), 0),
        (4, Ending::Rejected(ErrorId::PARSER_INVALID_ARGUMENT), 0),
        (0xffff_fff8, Ending::Rejected(ErrorId::PACKET_TOO_SHORT), 0),
    ] {
        let mut packet = running.packet(&[1, 2]);
        packet.set(&program, bits, asked);
        assert_eq!(running.run(Block::Parser(ParserId(0)), &mut packet).0, ending, "{asked}");
        assert_eq!(packet.position, position);
    }
}

#[test]
fn valid_headers_are_emitted_before_the_payload() {
    let mut program = empty();
    let first = header(&mut program, "first", &[("a", 4), ("b", 4)]);
    let second = header(&mut program, "second", &[("a", 16)]);
    let third = header(&mut program, "third", &[("a", 4), ("b", 12)]);
    only_state(&mut program, vec![extract(first), extract(second)]);
    let change = vec![
        set_valid(first, false),
        set_valid(third, true),
        assign(field(&program, third, 0), constant(4, 7)),
        assign(field(&program, third, 1), constant(12, 0x5f8)),
        emit(third),
        emit(first),
        emit(second),
    ];
    let deparser = function(&mut program, change);
    let mut running = Running::new(program);
    let (_, mut packet) = running.parse(&[0x12, 0xab, 0xcd, 0xee]);
    running.run(Block::Function(deparser), &mut packet);
    assert_eq!(packet.leaving(), [0x75, 0xf8, 0xab, 0xcd, 0xee]);
}

#[test]
fn verify_rejects_with_its_error() {
    let mut program = empty();
    program.errors.push("TooOld".into());
    let h = header(&mut program, "h", &[("version", 8)]);
    let condition = equal(variable(field(&program, h, 0)), constant(8, 4));
    let verify = Statement::Packet(PacketStatement::Verify { condition, error: constant(32, 7) });
    only_state(&mut program, vec![extract(h), verify]);
    let mut running = Running::new(program);
    assert_eq!(running.parse(&[4]).0, Ending::Done);
    assert_eq!(running.parse(&[3]).0, Ending::Rejected(ErrorId(7)));
}

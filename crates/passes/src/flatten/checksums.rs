//! Rewrites checksums to cover a fixed number of bits, as hash units require.

use ir::{BinaryOperator, Checksum, ChecksumPart, Expression, Type};
use runtime::checksum::Algorithm;

use super::pieces::{Pieces, is_wide, pieces_of};
use super::words::number;

impl Pieces<'_> {
    /// Rewrites a checksum to parts of at most 64 bits. The words of a wide part follow each other as on the wire, the
    /// highest bits first.
    pub(super) fn checksum(&mut self, checksum: &Checksum, result: Type) -> Expression {
        let name = checksum.algorithm.name();
        if checksum.with_payload {
            self.findings
                .say(format!("a `{name}` covers the payload, but a pipeline sees only what the parser extracted"));
        }
        if checksum.algorithm == Algorithm::Random {
            self.findings.say("a hash is drawn at random (`random`), but a pipeline has no source of random numbers");
        }
        let varying: Vec<&ChecksumPart> = checksum.data.iter().filter(|part| part.length.is_some()).collect();
        let ([part], Algorithm::Csum16 | Algorithm::Xor16) = (&varying[..], &checksum.algorithm) else {
            if !varying.is_empty() {
                let message = format!("a `{name}` covers a field of variable length");
                self.findings.say(message + ", but the inputs of a hash unit have fixed lengths");
            }
            return self.fixed(checksum, result, None);
        };
        // Both algorithms add up 16-bit words, so leading zeros change nothing (RFC 1071: any number of words that are
        // 0) as long as the data that follows keeps its alignment within words. Fields of variable length consist of
        // whole bytes (P4_16, 13.8.2), so there are two possible alignments.
        let width = self.source.type_of(&part.value).width();
        let (even, odd) = (width & !15, if width % 16 >= 8 { width & !7 } else { (width & !7).saturating_sub(8) });
        let length = part.length.clone().unwrap_or(Expression::bool(false));
        let length_type = self.source.type_of(&length);
        let length = self.narrow(&length);
        let bit = Expression::binary(BinaryOperator::And, length, number(length_type, 8));
        let is_even = Expression::binary(BinaryOperator::Equal, bit, number(length_type, 0));
        let [even, odd] = [even, odd].map(|width| self.fixed(checksum, result, Some(width)));
        Expression::select(is_even, even, odd)
    }

    /// Rewrites a checksum in which the part of variable length, if any, has `length` bits.
    fn fixed(&mut self, checksum: &Checksum, result: Type, length: Option<u32>) -> Expression {
        let mut data = Vec::new();
        for part in &checksum.data {
            let ty = self.source.type_of(&part.value);
            let width = if part.length.is_some() { length.unwrap_or(ty.width()) } else { ty.width() };
            if width == ty.width() && !is_wide(ty) {
                data.push(self.narrow(&part.value));
            } else if width > 0 {
                let pieces = pieces_of(Type::Bits(width as u16)).into_iter().rev();
                data.extend(pieces.map(|(low, width)| self.bits(&part.value, low, width)));
            }
        }
        let data = data.into_iter().map(|value| ChecksumPart { value, length: None }).collect();
        let algorithm = checksum.algorithm.clone();
        Expression::Checksum(Box::new(Checksum { algorithm, data, with_payload: false, result }))
    }
}

//! Byte strings: numbers of any size in network order, as few bytes as possible (P4Runtime specification 1.4, section
//! 8.3). The receiver takes longer ones too, and checks that the number fits.

use runtime::Bits;

use crate::failure::Failure;

/// Reads an unsigned number.
///
/// # Errors
/// Fails with `OUT_OF_RANGE` if the string is empty or the number does not fit.
pub fn decode(bytes: &[u8], width: u32) -> Result<Bits, Failure> {
    let digits = match bytes.iter().position(|&byte| byte != 0) {
        Some(first) => &bytes[first..],
        None if bytes.is_empty() => return Err(empty()),
        None => return Ok(Bits::zero(width)),
    };
    let length = digits.len() as u32 * 8 - digits[0].leading_zeros();
    if length > width {
        return Err(Failure::out_of_range(format!("{} needs {length} bits and has {width}", text(bytes))));
    }
    Ok(number(digits, width, 0))
}

/// Reads a signed number in two's complement.
///
/// # Errors
/// Fails with `OUT_OF_RANGE` if the string is empty or the number does not fit.
pub fn decode_signed(bytes: &[u8], width: u32) -> Result<Bits, Failure> {
    let first = *bytes.first().ok_or_else(empty)?;
    let sign = if first & 0x80 == 0 { 0 } else { 0xff };
    let digits = &bytes[bytes.iter().take_while(|&&byte| byte == sign).count()..];
    // The number needs its digits and one bit that is the sign.
    let length = digits.first().map_or(1, |&top| digits.len() as u32 * 8 - (top ^ sign).leading_zeros() + 1);
    if length > width {
        return Err(Failure::out_of_range(format!("{} needs {length} bits with sign and has {width}", text(bytes))));
    }
    Ok(number(digits, width, sign))
}

/// Writes an unsigned number in as few bytes as it needs, and at least one.
pub fn encode(value: &Bits) -> Vec<u8> {
    if let Bits::Narrow(value) = value {
        let bytes = value.to_be_bytes();
        return bytes[bytes.iter().take(7).take_while(|&&byte| byte == 0).count()..].to_vec();
    }
    let length = value.length().div_ceil(8).max(1);
    let mut bytes = vec![0; length as usize];
    runtime::write_bits(&mut bytes, 0, length * 8, value);
    bytes
}

/// Writes a signed number of `width` bits in as few bytes as it needs, and at least one.
pub fn encode_signed(value: &Bits, width: u32) -> Vec<u8> {
    let is_negative = value.is_negative(width);
    let (bytes, fill) = (width.div_ceil(8).max(1), if is_negative { 0xff } else { 0 });
    let mut text = vec![fill; bytes as usize];
    runtime::write_bits(&mut text, (bytes * 8 - width) as usize, width, value);
    let is_spare = |pair: &[u8]| pair[0] == fill && (pair[1] & 0x80 != 0) == is_negative;
    let spare = text.windows(2).take_while(|pair| is_spare(pair)).count();
    text.drain(..spare);
    text
}

/// Reads digits into a number whose missing upper bytes are all `fill`.
fn number(digits: &[u8], width: u32, fill: u8) -> Bits {
    if width <= 64 && digits.len() <= 8 {
        let start = if fill == 0 { 0 } else { u64::MAX };
        return Bits::from_u64(digits.iter().fold(start, |value, &byte| value << 8 | u64::from(byte)), width);
    }
    let limb = |at: usize| {
        let byte = |place: usize| digits.len().checked_sub(place + 1).map_or(fill, |at| digits[at]);
        (0..8).fold(0, |limb, place| limb | u64::from(byte(at * 8 + place)) << (place * 8))
    };
    let limbs: Vec<u64> = (0..width.div_ceil(64).max(1) as usize).map(limb).collect();
    Bits::from_limbs(&limbs, width)
}

fn empty() -> Failure {
    Failure::out_of_range("a number has at least one byte, and this has none")
}

/// Returns the bytes in hexadecimal, without the middle of long ones.
fn text(bytes: &[u8]) -> String {
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match bytes {
        [first @ .., _, _, _, _] if bytes.len() > 20 => {
            format!("0x{}…{} of {} bytes", digits(&first[..8]), digits(&bytes[bytes.len() - 4..]), bytes.len())
        }
        _ => format!("0x{}", digits(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::google::rpc::Code;

    /// The rows of the specification's tables of valid and invalid encodings, and some that are wider than a word.
    #[test]
    fn unsigned_numbers_are_read_in_any_length_and_written_in_the_shortest() {
        let nine = [9, 8, 7, 6, 5, 4, 3, 2, 1];
        let long = [&[0][..], &nine].concat();
        let valid: [(u32, &[u8], &[u8]); 9] = [
            (8, &[0x63], &[0x63]),
            (16, &[0, 0x63], &[0x63]),
            (16, &[0x30, 0x64], &[0x30, 0x64]),
            (16, &[0, 0x30, 0x64], &[0x30, 0x64]),
            (12, &[0, 0, 0x63], &[0x63]),
            (12, &[0x0f, 0xff], &[0x0f, 0xff]),
            (128, &[0, 0], &[0]),
            (72, &long, &nine),
            (68, &nine, &nine),
        ];
        for (width, given, shortest) in valid {
            let value = decode(given, width).unwrap_or_else(|failure| panic!("{given:?}: {failure:?}"));
            assert_eq!(encode(&value), shortest, "{given:?}");
        }
        let invalid: [(u32, &[u8]); 8] = [
            (8, &[1, 0x63]),
            (8, &[]),
            (16, &[1, 0, 0x63]),
            (12, &[0x10, 0x63]),
            (12, &[0, 0x40, 0x63]),
            (67, &nine),
            (0, &[1]),
            (1, &[2]),
        ];
        for (width, given) in invalid {
            assert_eq!(decode(given, width).expect_err("it does not fit").code, Code::OutOfRange, "{given:?}");
        }
    }

    #[test]
    fn signed_numbers_are_read_in_any_length_and_written_in_the_shortest() {
        let valid: [(u32, &[u8], &[u8]); 9] = [
            (8, &[0x63], &[0x63]),
            (8, &[0x9d], &[0x9d]),
            (8, &[0xff, 0x9d], &[0x9d]),
            (12, &[0xfd, 0x1d], &[0xfd, 0x1d]),
            (16, &[0, 0], &[0]),
            (16, &[0, 0x9d], &[0, 0x9d]),
            (1, &[0xff], &[0xff]),
            (72, &[0xff; 12], &[0xff]),
            (72, &[0x80, 0, 0, 0, 0, 0, 0, 0, 0], &[0x80, 0, 0, 0, 0, 0, 0, 0, 0]),
        ];
        for (width, given, shortest) in valid {
            let value = decode_signed(given, width).unwrap_or_else(|failure| panic!("{given:?}: {failure:?}"));
            assert_eq!(encode_signed(&value, width), shortest, "{given:?}");
        }
        let invalid: [(u32, &[u8]); 5] =
            [(8, &[0, 0x9d]), (12, &[0x8d, 0x1d]), (16, &[]), (1, &[1]), (72, &[0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0])];
        for (width, given) in invalid {
            assert_eq!(decode_signed(given, width).expect_err("it does not fit").code, Code::OutOfRange, "{given:?}");
        }
    }
}

//! AES-GCM with the nonces of RFC 4106.

use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, MAX_TAG_LEN, Nonce, UnboundKey};

use super::keys::{Key, SALT};

/// A key that packets are encrypted with, or decrypted.
#[derive(Debug)]
pub struct Cipher {
    key: LessSafeKey,
    salt: [u8; SALT],
}

impl Cipher {
    /// The cipher of a key. Returns `None` if the key has no length of AES.
    pub fn new(key: &Key) -> Option<Self> {
        let (bytes, salt) = key.parts();
        let algorithm = match bytes.len() {
            16 => &AES_128_GCM,
            32 => &AES_256_GCM,
            _ => return None,
        };
        Some(Self { key: LessSafeKey::new(UnboundKey::new(algorithm, bytes).ok()?), salt })
    }

    /// The salt of the key, and the initialization vector of the packet (RFC 4106, section 4).
    fn nonce(&self, vector: u64) -> Nonce {
        let mut nonce = [0; SALT + 8];
        nonce[..SALT].copy_from_slice(&self.salt);
        nonce[SALT..].copy_from_slice(&vector.to_be_bytes());
        Nonce::assume_unique_for_key(nonce)
    }

    /// Encrypts bytes where they are, and returns the integrity check value; `None` if they are too many.
    pub fn seal(&self, vector: u64, associated: &[u8], bytes: &mut [u8]) -> Option<[u8; MAX_TAG_LEN]> {
        let tag = self.key.seal_in_place_separate_tag(self.nonce(vector), Aad::from(associated), bytes).ok()?;
        tag.as_ref().try_into().ok()
    }

    /// Decrypts bytes where they are, with the integrity check value behind them. Returns false if they are not what was encrypted;
    /// then they are not to be used.
    pub fn open(&self, vector: u64, associated: &[u8], bytes: &mut [u8]) -> bool {
        self.key.open_in_place(self.nonce(vector), Aad::from(associated), bytes).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(digits: &str) -> Vec<u8> {
        let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("digits"));
        pairs.map(|pair| u8::from_str_radix(pair, 16).expect("digits")).collect()
    }

    /// The first two cases of draft-mcgrew-gcm-test-01, section 4: a key of 128 bits with extended sequence numbers, and one of 256 bits
    /// without them.
    #[test]
    fn published_packets_are_encrypted_as_they_should_be() {
        let cases = [
            [
                "4c80cdefbb5d10da906ac73c3613a6342e443b68",
                "4956ed7e3b244cfe",
                "000043218765432100000000",
                "45000048699a000080114db7c0a80102c0a801010a9bf15638d301000001000000000000045f736970045f7564700373697009\
                 63796265726369747902646b000021000101020201",
                "fecf537e729d5b07dc30df528dd22b768d1b98736696a6fd348509fa13ceac34cfa2436f14a3f3cf65925bf1f4a13c5d15b21e\
                 1884f5ff6247aeabb786b93bce61bc17d768fd9732459018148f6cbe722fd04796562dfdb4",
            ],
            [
                "abbccddef00112233445566778899aababbccddef00112233445566778899aab11223344",
                "0102030405060708",
                "4a2cbfe300000002",
                "4500003069a6400080062690c0a801029389155e0a9e008b2dc57ee0000000007002400020bf0000020405b401010402010202\
                 01",
                "ff425c9b724599df7a3bcd510194e00d6a78107f1b0b1cbf06efae9d65a5d763748a637985771d347f0545659f14e99def842d\
                 8eb335f4eecfdbf831824b4c4915956c96",
            ],
        ];
        for [key, vector, associated, plain, sealed] in cases {
            let cipher = Cipher::new(&Key::new(256, true, &bytes(key)).expect("a key")).expect("a key of AES");
            let vector = u64::from_str_radix(vector, 16).expect("digits");
            let (associated, mut text) = (bytes(associated), bytes(plain));
            let check = cipher.seal(vector, &associated, &mut text).expect("not too long");
            text.extend_from_slice(&check);
            assert_eq!(text, bytes(sealed));
            assert!(cipher.open(vector, &associated, &mut text));
            assert_eq!(text[..text.len() - check.len()], bytes(plain));
        }
    }
}

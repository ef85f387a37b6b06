//! Images of Trio: whatever comes in is refused with a reason, or is written as it was read, and its words do what its disassembly
//! says. The last bytes of an input are packets and an order of threads.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trio::Image;

fuzz_target!(|data: &[u8]| {
    assert!(Image::from_bytes(data).is_err() || Image::is_image(data));
    let (content, order) = data.split_at(data.len().saturating_sub(256));
    // A fuzzer does not find a checksum by itself.
    let sealed = files::sealed::seal("Polyplane image of Trio", 1, content);
    match Image::from_bytes(&sealed) {
        Err(damage) => assert!(!damage.0.is_empty(), "refused without a reason"),
        Ok(image) => {
            assert!(image.to_bytes() == sealed, "the image is written in another way");
            trio::Listing::new(&image).text();
            fuzz::run_image(&image, order);
        }
    }
});

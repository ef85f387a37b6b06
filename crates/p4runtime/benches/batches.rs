//! A benchmark of large batches in process: milliseconds for 100,000 entries that are decoded, written in one batch, read
//! back and encoded, without gRPC. Run it with `cargo bench -p polyplane-p4runtime`; an argument sets the number.

use std::time::Instant;

use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::write_request::Atomicity;
use p4runtime::message::p4::v1::{Entity, TableEntry, WriteRequest};
use prost::Message;

#[allow(dead_code)]
#[path = "../tests/entities/bench.rs"]
mod bench;

use bench::{Bench, exact, update};

fn main() {
    let count = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(100_000u32);
    for atomicity in [Atomicity::ContinueOnError, Atomicity::DataplaneAtomic] {
        let mut bench = Bench::new();
        let updates = (0..count).map(|number| {
            let key = vec![exact(1, &(number | 1 << 24).to_be_bytes()), exact(2, b"Ethernet0")];
            let action = bench.call("forward", &[b"\x01", b"\xaa\xbb\xcc\xdd\xee\xff"]);
            update(Type::Insert, Kind::TableEntry(bench.entry("stations", key, action)))
        });
        let bytes = WriteRequest { updates: updates.collect(), ..WriteRequest::default() }.encode_to_vec();
        let mut last = Instant::now();
        let mut lap = |what: &str| {
            println!("{atomicity:?}: {what}: {:.0} ms", last.elapsed().as_secs_f64() * 1e3);
            last = Instant::now();
        };
        let request = WriteRequest::decode(&*bytes).expect("a message");
        lap(&format!("{count} entries, {} bytes, decoded", bytes.len()));
        bench.write(&request.updates, atomicity).expect("all fit");
        lap("written");
        drop(request);
        lap("dropped");
        let table_id = bench.table("stations");
        let all = Kind::TableEntry(TableEntry { table_id, ..TableEntry::default() });
        let (messages, result) = bench.messages(&[Entity { entity: Some(all) }]);
        result.expect("the table can be read");
        lap("read");
        let sizes = messages.iter().map(|message| message.encode_to_vec().len());
        let (number, size) = (sizes.len(), sizes.sum::<usize>());
        lap(&format!("encoded in {number} messages of {size} bytes"));
    }
}

//! Tables of field values: a CSV of any bytes is refused with a reason, or gives a packet a line, in order of time,
//! whose fields fit.

#![no_main]

use basis::Duration;
use libfuzzer_sys::fuzz_target;
use runtime::binding::{Binding, FieldShape};
use traffic::{Input, Traffic, TrafficSource};

const FIELDS: [FieldShape<'_>; 5] = [
    FieldShape { name: "x", width: 32 },
    FieldShape { name: "y", width: 8 },
    FieldShape { name: "flag", width: 1 },
    FieldShape { name: "arrival", width: 32 },
    FieldShape { name: "length", width: 16 },
];

fuzz_target!(|data: &[u8]| {
    let program = Binding::resolve(&FIELDS, None).expect("names alone are always right");
    let plan = Traffic::new(TrafficSource::Table(Input::of_bytes("fuzz.csv", data)));
    match plan.prepare(&program, 4, Duration::from_nanoseconds(1)) {
        Err((sources, found)) => {
            assert!(found.has_errors(), "refused without a reason");
            found.render(&sources, true);
        }
        Ok(prepared) => {
            let (sources, found) = prepared.warnings();
            found.render(sources, false);
            let mut stream = prepared.packets();
            let offered: Vec<_> = stream.by_ref().collect();
            assert_eq!(stream.trouble(), None);
            assert_eq!(offered.len() as u64, prepared.count());
            assert!(offered.iter().all(|offered| offered.port.0 < plan.ports));
            assert!(offered.is_sorted_by_key(|offered| (offered.at, offered.port.0)));
            for offered in &offered {
                let mut values = [0; FIELDS.len()];
                assert!(prepared.binding().load(&offered.packet, offered.port.0, &mut values), "{offered:?}");
                assert!(values.iter().zip(&FIELDS).all(|(value, field)| value >> field.width == 0), "{values:?}");
            }
        }
    }
});

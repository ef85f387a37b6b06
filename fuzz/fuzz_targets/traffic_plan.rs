//! Plans of traffic: a line of text is refused with a reason, or is a plan whose text is the same plan; and the packets
//! of a plan that generates them are there, in order, and the same every time. Files that a plan names are not opened.

#![no_main]

use basis::Duration;
use libfuzzer_sys::fuzz_target;
use runtime::binding::{Binding, FieldShape};
use traffic::{Traffic, TrafficSource};

const FIELDS: [FieldShape<'_>; 4] = [
    FieldShape { name: "x", width: 32 },
    FieldShape { name: "y", width: 8 },
    FieldShape { name: "sport", width: 32 },
    FieldShape { name: "arrival", width: 32 },
];

fuzz_target!(|data: &[u8]| {
    let plan = match Traffic::parse(&String::from_utf8_lossy(data)) {
        Err((sources, found)) => {
            assert!(found.has_errors(), "refused without a reason");
            found.render(&sources, true);
            return;
        }
        Ok(plan) => plan,
    };
    let text = plan.to_string();
    let again = Traffic::parse(&text).unwrap_or_else(|(sources, found)| panic!("{}", found.render(&sources, false)));
    assert_eq!(again, plan, "{text}");
    if !matches!(plan.source, TrafficSource::Generated(_)) {
        return;
    }
    for fields in [&FIELDS[..], &FIELDS[..2]] {
        let program = Binding::resolve(fields, None).expect("names alone are always right");
        match plan.prepare(&program, 4, Duration::from_nanoseconds(1)) {
            Err((sources, found)) => {
                assert!(found.has_errors(), "refused without a reason");
                found.render(&sources, true);
            }
            Ok(prepared) => {
                let offered: Vec<_> = prepared.packets().take(50).collect();
                assert_eq!(offered.len() as u64, prepared.count().min(50), "{text}");
                assert!(offered.iter().all(|offered| offered.port.0 < plan.ports), "{text}");
                assert!(offered.is_sorted_by_key(|offered| (offered.at, offered.port.0)), "{text}");
                assert!(prepared.packets().take(10).eq(offered.into_iter().take(10)), "{text}");
            }
        }
    }
});

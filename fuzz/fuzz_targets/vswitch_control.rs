//! What clients of a virtual switch and container runtimes send: lines of the control socket, and calls of the plugin for containers. A
//! request that is read is written and read back as the same; a call is refused with an error that is JSON, or names an interface
//! that the kernel takes. Nothing is carried out.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vswitchd::cni::{Call, read, version_of};
use vswitchd::{Filter, Request};

fuzz_target!(|input: &[u8]| {
    for line in input.split(|byte| *byte == b'\n') {
        let Ok(request) = Request::read(line) else { continue };
        let written = serde_json::to_vec(&request).expect("requests are JSON");
        assert_eq!(Request::read(&written).as_ref(), Ok(&request));
        if let Request::Capture { filter, .. } = &request {
            let _ = Filter::read(filter);
        }
    }
    // The configuration, and the variables of the environment behind it.
    let text = String::from_utf8_lossy(input);
    let mut parts = text.split('\0');
    let configuration = parts.next().unwrap_or_default();
    let values: Vec<&str> = parts.collect();
    let names = ["CNI_COMMAND", "CNI_CONTAINERID", "CNI_IFNAME", "CNI_NETNS"];
    let variable = |name: &str| {
        let at = names.iter().position(|known| *known == name)?;
        values.get(at).map(|value| (*value).to_owned())
    };
    match read(&Call { variable: &variable, input: configuration, patience: std::time::Duration::ZERO }) {
        Ok(asked) => {
            for name in asked.names().into_iter().flatten().skip(1) {
                assert!(name.len() <= 15 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            }
        }
        Err(error) => assert!(error.to_json(&version_of(configuration)).is_object()),
    }
});

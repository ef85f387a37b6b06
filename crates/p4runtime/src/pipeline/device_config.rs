//! The configuration of a device, as `SetForwardingPipelineConfig` brings it: a program as text, bare, in JSON, or in the
//! message in which the controllers of p4lang's tutorials wrap it.

use prost::Message;
use serde::{Deserialize, Serialize};
use workbench::LoadedProgram;

use crate::failure::Failure;
use crate::message::p4::tmp::P4DeviceConfig;

/// A program in a file that controllers load. Some controllers insist on JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceConfig {
    /// The version of this form.
    pub polyplane_device_config: u32,
    /// The name of the program's file, whose ending says the language.
    pub name: String,
    /// The text of the program, which includes no files but those of architectures.
    pub program: String,
}

/// The only version of the form so far.
const VERSION: u32 = 1;
/// The names of a program that comes without one.
const UNNAMED: [(&str, &[&str]); 2] = [("program.ir", &["program "]), ("program.p4", &[])];

impl DeviceConfig {
    /// Returns the configuration of a program's text.
    pub fn new(name: impl Into<String>, program: impl Into<String>) -> Self {
        Self { polyplane_device_config: VERSION, name: name.into(), program: program.into() }
    }

    /// Returns the text of the file for controllers.
    pub fn to_json(&self) -> String {
        // Numbers and texts can always be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads the bytes that a controller has sent.
    ///
    /// # Errors
    /// Fails with `INVALID_ARGUMENT` if they are no program; a BMv2 JSON file is recognised.
    pub fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let text = match str::from_utf8(bytes) {
            Ok(text) if !is_wrapped(text) => text.to_owned(),
            _ => unwrap(bytes)?,
        };
        let begin = text.trim_start();
        if begin.starts_with('{') {
            return of_json(begin);
        }
        if begin.is_empty() {
            return Err(Failure::invalid("the device's configuration is empty"));
        }
        let is_it = |(_, begins): &&(&str, &[&str])| begins.iter().any(|word| begin.starts_with(word));
        let (name, _) = UNNAMED.iter().find(is_it).unwrap_or(&UNNAMED[1]);
        Ok(Self::new(*name, text))
    }

    /// Compiles the program.
    ///
    /// # Errors
    /// Fails with `INVALID_ARGUMENT` and everything that is wrong with it.
    pub fn load(&self) -> Result<LoadedProgram, Failure> {
        let loaded = LoadedProgram::of_text(&self.name, &self.program, None);
        loaded.map_err(|failure| Failure::invalid(format!("the program is not right:\n{}", failure.render(false))))
    }
}

/// Returns whether a text is a message of protobuf that happens to be UTF-8: it begins with a field's number, and holds
/// control characters that no program does.
fn is_wrapped(text: &str) -> bool {
    text.starts_with(['\u{8}', '\u{12}', '\u{1a}'])
}

fn unwrap(bytes: &[u8]) -> Result<String, Failure> {
    let neither = || Failure::invalid("the device's configuration is neither text nor a p4.tmp.P4DeviceConfig");
    let wrapped = P4DeviceConfig::decode(bytes).map_err(|_| neither())?;
    String::from_utf8(wrapped.device_data).map_err(|_| neither())
}

fn of_json(text: &str) -> Result<DeviceConfig, Failure> {
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| Failure::invalid(format!("the device's configuration is no JSON: {error}")))?;
    let is_bmv2 = ["header_types", "pipelines", "parsers"].iter().all(|name| value.get(name).is_some());
    if is_bmv2 {
        return Err(Failure::invalid(
            "this is a JSON file for BMv2, which only BMv2 runs; `polyplane compile PROGRAM.p4 --controller-files build/` \
             writes a file of the same name for this switch",
        ));
    }
    let config: DeviceConfig = serde_json::from_value(value)
        .map_err(|error| Failure::invalid(format!("the JSON is not a configuration of Polyplane: {error}")))?;
    if config.polyplane_device_config != VERSION {
        let version = config.polyplane_device_config;
        return Err(Failure::invalid(format!(
            "the configuration is of version {version}, and this server knows {VERSION}"
        )));
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(data: &str) -> Vec<u8> {
        P4DeviceConfig { reassign: true, device_data: data.into(), ..Default::default() }.encode_to_vec()
    }

    #[test]
    fn programs_are_read_bare_in_json_and_wrapped() {
        let p4 = DeviceConfig::new("program.p4", "#include <core.p4>\nparser");
        let named = DeviceConfig::new("router.p4", "#include <core.p4>\nparser é");
        for (bytes, config) in [
            (p4.program.clone().into_bytes(), &p4),
            (wrapped(&p4.program), &p4),
            (named.to_json().into_bytes(), &named),
            (wrapped(&named.to_json()), &named),
            (b"program counter\n".to_vec(), &DeviceConfig::new("program.ir", "program counter\n")),
        ] {
            assert_eq!(DeviceConfig::read(&bytes).as_ref(), Ok(config));
        }
        // Without `reassign` the message begins with the data's field.
        let bare = P4DeviceConfig { device_data: p4.program.clone().into(), ..Default::default() }.encode_to_vec();
        assert_eq!(DeviceConfig::read(&bare), Ok(p4));
    }

    #[test]
    fn what_is_no_program_is_refused_with_the_reason() {
        let bmv2 = r#"{"program": "x", "header_types": [], "parsers": [], "pipelines": []}"#;
        for (bytes, reason) in [
            (bmv2.as_bytes().to_vec(), "--controller-files"),
            (wrapped(bmv2), "--controller-files"),
            (Vec::new(), "is empty"),
            (vec![0xff, 0xfe], "neither text nor"),
            (b"{".to_vec(), "no JSON"),
            (b"{}".to_vec(), "not a configuration of Polyplane"),
            (br#"{"polyplane_device_config": 9, "name": "x.p4", "program": ""}"#.to_vec(), "of version 9"),
        ] {
            let refused = DeviceConfig::read(&bytes).expect_err("it is no program");
            assert!(refused.message.contains(reason), "{}", refused.message);
        }
    }
}

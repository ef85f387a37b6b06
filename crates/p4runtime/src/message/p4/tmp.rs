//! The wrapper of a device's configuration that the controllers of p4lang's tutorials use.

/// The program for a device, with hints how to load it.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4DeviceConfig {
    /// Whether the device is assigned to another program anew.
    #[prost(bool, tag = "1")]
    pub reassign: bool,
    /// Further settings, as names and values.
    #[prost(message, optional, tag = "2")]
    pub extras: Option<p4_device_config::Extras>,
    /// The program in the form of the device.
    #[prost(bytes = "vec", tag = "3")]
    pub device_data: Vec<u8>,
}

/// The types inside of [`P4DeviceConfig`].
pub mod p4_device_config {
    use std::collections::BTreeMap;

    /// Further settings.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Extras {
        /// The values by their names.
        #[prost(btree_map = "string, string", tag = "1")]
        pub kv: BTreeMap<String, String>,
    }
}

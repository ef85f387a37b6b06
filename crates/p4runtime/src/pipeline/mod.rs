//! The program of the device as controllers see it.

mod device_config;

pub use device_config::DeviceConfig;

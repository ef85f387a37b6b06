//! The ports of the chip by their numbers.
//!
//! A device port is the number of a pipe times 128 plus the number of a port within the pipe, as programs and drivers for
//! the chip expect (open-p4studio, `bf_drivers`, `MAKE_DEV_PORT`).

use node::Port;

/// The number of device ports from one pipe to the next.
pub(super) const STRIDE: u16 = 128;
/// The number of ports of a pipe: 0 to 63 lead outside, 64 to 67 can lead to a CPU, and 68 to 71 recirculate.
pub(super) const OF_PIPE: u16 = 72;
/// The first port of a pipe that can lead to a CPU.
pub(super) const FIRST_FOR_CPU: u16 = 64;
/// The first port of a pipe whose packets begin again in ingress.
pub(super) const FIRST_RECIRCULATION: u16 = 68;

/// A set of device ports, each with its place in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Ports {
    numbers: Vec<u16>,
    /// The place of each device port; [`ABSENT`] where there is none.
    places: Vec<u16>,
}

const ABSENT: u16 = u16::MAX;

impl Ports {
    /// Returns the set of these ports.
    pub(super) fn of(numbers: impl IntoIterator<Item = u16>) -> Self {
        let mut numbers: Vec<u16> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut places = vec![ABSENT; numbers.last().map_or(0, |last| usize::from(*last) + 1)];
        for (place, number) in (0..).zip(&numbers) {
            places[usize::from(*number)] = place;
        }
        Self { numbers, places }
    }

    /// Returns the place of a device port; `None` if it is not one of the set.
    #[inline]
    pub(super) fn place(&self, number: u16) -> Option<Port> {
        self.places.get(usize::from(number)).copied().filter(|&place| place != ABSENT).map(Port)
    }

    /// Returns the device port at a place; if there are fewer ports, a number that is none of them.
    #[inline]
    pub(super) fn number(&self, place: Port) -> u16 {
        self.numbers.get(usize::from(place.0)).copied().unwrap_or(ABSENT)
    }

    /// Returns the device ports in order.
    pub(super) fn numbers(&self) -> &[u16] {
        &self.numbers
    }
}

/// The numbers that ports have outside of the chip, if they are not those of the device.
#[derive(Clone, Debug)]
pub(super) struct Numbering {
    /// The device port of each number: ports that can lead to a CPU come behind the others that lead outside, and ports
    /// that recirculate last, because nothing outside knows them.
    devices: Vec<u16>,
    /// The number of each device port; [`ABSENT`] where there is no port.
    numbers: Vec<u16>,
}

impl Numbering {
    /// Numbers the ports in order.
    pub(super) fn in_order(ports: &Ports) -> Self {
        let mut devices = ports.numbers().to_vec();
        devices.sort_by_key(|&port| (recirculates(port), !is_outside(port)));
        let mut numbers = vec![ABSENT; ports.places.len()];
        for (number, device) in (0..).zip(&devices) {
            numbers[usize::from(*device)] = number;
        }
        Self { devices, numbers }
    }

    /// Returns the device port of a number; a number that is no port's if there is none.
    #[inline]
    pub(super) fn device(&self, port: Port) -> u16 {
        self.devices.get(usize::from(port.0)).copied().unwrap_or(ABSENT)
    }

    /// Returns the number of a device port.
    #[inline]
    pub(super) fn number(&self, device: u16) -> Port {
        Port(self.numbers.get(usize::from(device)).copied().unwrap_or(ABSENT))
    }
}

/// Returns the pipe of a device port.
#[inline]
pub(super) fn pipe_of(number: u16) -> usize {
    usize::from(number / STRIDE)
}

/// Returns true if a device port leads outside, and not to a CPU.
pub(super) fn is_outside(number: u16) -> bool {
    number % STRIDE < FIRST_FOR_CPU
}

/// Returns true if what is sent to a device port begins again in ingress.
#[inline]
pub(super) fn recirculates(number: u16) -> bool {
    number % STRIDE >= FIRST_RECIRCULATION
}

//! The switch that a published trace is for, which the name of its files tells.

use std::fmt;

/// The switch that a published trace is for, which the name of its files tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PublishedShape {
    /// The number of ports that are used.
    pub ports: u32,
    /// The number of pipelines.
    pub pipelines: u32,
    /// The number of stages of a pipeline, without the additional one of [`PublishedShape::depth`].
    pub stages: u32,
    /// The number of stages that keep state.
    pub stateful_stages: u32,
    /// The length of each register array.
    pub register_size: u32,
    /// The lengths of packets.
    pub packet_size: PublishedSizes,
}

/// The lengths of the packets of a published trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PublishedSizes {
    /// All packets have this length in bytes.
    Fixed(u32),
    /// 256 or 1472 bytes with equal probability, which the published traces call bimodal (MP5 section 4.4).
    Bimodal,
}

impl PublishedShape {
    /// The defaults of MP5 (section 4.3.1): 64 ports, 4 pipelines, 16 stages of which 4 keep state, registers of 512
    /// values, and packets of 64 bytes.
    pub const DEFAULT: Self = Self {
        ports: 64,
        pipelines: 4,
        stages: 16,
        stateful_stages: 4,
        register_size: 512,
        packet_size: PublishedSizes::Fixed(64),
    };

    /// Parses the shape in the name of a file, such as `uniform_64_4_16_4_512_64.csv`.
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, shape) = name.strip_suffix(".csv")?.split_once('_')?;
        let parts: Vec<&str> = shape.split('_').collect();
        let (&size, rest) = parts.split_last()?;
        let numbers: Vec<u32> = rest.iter().map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let &[ports, pipelines, stages, stateful_stages, register_size] = &numbers[..] else { return None };
        let packet_size = match size {
            "bimodal" => PublishedSizes::Bimodal,
            size => PublishedSizes::Fixed(size.parse().ok()?),
        };
        Some(Self { ports, pipelines, stages, stateful_stages, register_size, packet_size })
    }

    /// Returns the name of a file with this shape; `kind` is `flows`, or `uniform` or `heavytail` for packets.
    pub fn file_name(&self, kind: &str) -> String {
        format!("{kind}_{self}.csv")
    }

    /// Returns the default switch with another number of pipelines, at least 1, and with as many of its 64 ports as
    /// divide evenly among them (60 for 12), as published.
    ///
    /// # Panics
    ///
    /// Panics if `pipelines` is 0.
    pub const fn of_pipelines(pipelines: u32) -> Self {
        Self { ports: Self::DEFAULT.ports / pipelines * pipelines, pipelines, ..Self::DEFAULT }
    }

    /// Returns the number of stages that a packet passes. It is one more if all stages keep state, because the last
    /// one never does.
    pub fn depth(&self) -> u32 {
        self.stages + u32::from(self.stages == self.stateful_stages)
    }

    /// Returns the number of ports that share a pipeline, which is also the number of its cycles that a packet of 64
    /// bytes takes on its port.
    pub fn ports_per_pipeline(&self) -> u32 {
        (self.ports / self.pipelines.max(1)).max(1)
    }

    /// Returns everything that prevents a switch from having this shape, one sentence each without a full stop.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut unless = |holds: bool, fault: &dyn Fn() -> String| {
            if !holds {
                faults.push(fault());
            }
        };
        let &Self { ports, pipelines, stages, stateful_stages, register_size, packet_size } = self;
        unless((1..=64).contains(&pipelines), &|| format!("{pipelines} pipelines, but a switch has 1 to 64"));
        unless((1..1 << 16).contains(&ports), &|| format!("{ports} ports, but a switch has 1 to 65535"));
        unless(pipelines == 0 || ports % pipelines == 0, &|| {
            format!("{ports} ports do not divide evenly among {pipelines} pipelines")
        });
        unless((1..=1024).contains(&stages), &|| format!("{stages} stages, but a pipeline has 1 to 1024"));
        unless(stateful_stages <= stages, &|| format!("{stateful_stages} stateful stages of only {stages} stages"));
        unless((1..=1 << 24).contains(&register_size), &|| {
            format!("registers of {register_size} values, but 1 to 2^24 are possible")
        });
        if let PublishedSizes::Fixed(size) = packet_size {
            unless((64..1 << 16).contains(&size), &|| format!("packets of {size} bytes, but 64 to 65535 are possible"));
        }
        faults
    }
}

impl Default for PublishedShape {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Formats the shape as in the names of files.
impl fmt::Display for PublishedShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ports, pipelines, stages, stateful_stages, register_size, packet_size } = self;
        write!(f, "{ports}_{pipelines}_{stages}_{stateful_stages}_{register_size}_{packet_size}")
    }
}

impl fmt::Display for PublishedSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(size) => size.fmt(f),
            Self::Bimodal => f.write_str("bimodal"),
        }
    }
}

impl From<u32> for PublishedSizes {
    fn from(size: u32) -> Self {
        Self::Fixed(size)
    }
}

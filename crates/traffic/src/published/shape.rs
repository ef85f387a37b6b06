//! What the name of a published trace says of the switch that it is for.

use std::fmt;

/// What the name of a published trace says of the switch that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PublishedShape {
    /// How many ports are used.
    pub ports: u32,
    /// How many pipelines there are.
    pub pipelines: u32,
    /// How many stages a pipeline has, but for the one more of [`PublishedShape::depth`].
    pub stages: u32,
    /// How many of them keep state.
    pub stateful_stages: u32,
    /// How long each register array is.
    pub register_size: u32,
    /// How long packets are.
    pub packet_size: PublishedSizes,
}

/// How long the packets of a published trace are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PublishedSizes {
    /// All as long as this, in bytes.
    Fixed(u32),
    /// 256 or 1472 bytes, equally often: what the published traces call bimodal (MP5 section 4.4).
    Bimodal,
}

impl PublishedShape {
    /// MP5's defaults (section 4.3.1): 64 ports, 4 pipelines, 16 stages of which 4 keep state, 512 values a register,
    /// packets of 64 bytes.
    pub const DEFAULT: Self = Self {
        ports: 64,
        pipelines: 4,
        stages: 16,
        stateful_stages: 4,
        register_size: 512,
        packet_size: PublishedSizes::Fixed(64),
    };

    /// The shape in a file's name, such as `uniform_64_4_16_4_512_64.csv`.
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

    /// The name of a file of this shape: of `flows`, or of packets, `uniform` or `heavytail`.
    pub fn file_name(&self, kind: &str) -> String {
        format!("{kind}_{self}.csv")
    }

    /// The default switch with another number of pipelines, from 1, and of its 64 ports as many as divide evenly among
    /// them (60 for 12), as published.
    pub const fn of_pipelines(pipelines: u32) -> Self {
        Self { ports: Self::DEFAULT.ports / pipelines * pipelines, pipelines, ..Self::DEFAULT }
    }

    /// How many stages a packet passes: one more where all keep state, for the last stage never does.
    pub fn depth(&self) -> u32 {
        self.stages + u32::from(self.stages == self.stateful_stages)
    }

    /// How many ports share a pipeline, which is how many cycles of it a packet of 64 bytes takes on its port.
    pub fn ports_per_pipeline(&self) -> u32 {
        (self.ports / self.pipelines.max(1)).max(1)
    }

    /// Everything that keeps a switch from having this shape, one sentence each without a full stop.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut unless = |holds: bool, fault: &dyn Fn() -> String| {
            if !holds {
                faults.push(fault());
            }
        };
        let &Self { ports, pipelines, stages, stateful_stages, register_size, packet_size } = self;
        unless((1..=64).contains(&pipelines), &|| format!("{pipelines} pipelines, and a switch has 1 to 64"));
        unless((1..1 << 16).contains(&ports), &|| format!("{ports} ports, and a switch has 1 to 65535"));
        unless(pipelines == 0 || ports % pipelines == 0, &|| {
            format!("{ports} ports do not divide evenly among {pipelines} pipelines")
        });
        unless((1..=1024).contains(&stages), &|| format!("{stages} stages, and a pipeline has 1 to 1024"));
        unless(stateful_stages <= stages, &|| format!("{stateful_stages} of {stages} stages cannot keep state"));
        unless((1..=1 << 24).contains(&register_size), &|| {
            format!("a register of {register_size} values, not 1 to 2^24")
        });
        if let PublishedSizes::Fixed(size) = packet_size {
            unless((64..1 << 16).contains(&size), &|| format!("packets of {size} bytes, not 64 to 65535"));
        }
        faults
    }
}

impl Default for PublishedShape {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// As in the names of files.
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

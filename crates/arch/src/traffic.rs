//! What crosses between gresses where bytes do: the metadata in front of packets, and what a program tells the traffic
//! manager.

/// The metadata that lies in front of packets, where a parser finds it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFront {
    /// The fields in front of a packet in ingress, before the metadata of the port.
    pub ingress: &'static [FrontField],
    /// The number of bits that a port has of its own, or that the data of a resubmission take instead.
    pub port_metadata: u32,
    /// The fields in front of a packet in egress.
    pub egress: &'static [FrontField],
    /// The highest and the lowest bit of a port's number that are the number of its channel. A pipe may have several parsers,
    /// each for some of its channels.
    pub channel: (u16, u16),
    /// The fields in front of a packet that the packet generator has made, behind the metadata of the port.
    pub generated: GeneratedFront,
}

/// The header of generated packets, by what triggered the packet generator, and what it looks for in recirculated packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeneratedFront {
    /// A timer has run out.
    pub timer: &'static [FrontField],
    /// A port has gone down.
    pub port_down: &'static [FrontField],
    /// A recirculated packet began with a pattern.
    pub recirculation: &'static [FrontField],
    /// The number of bytes at the beginning of a recirculated packet that patterns are compared with.
    pub pattern: usize,
    /// The number of applications of a generator.
    pub applications: u8,
    /// The port, within its pipe, at which generated packets arrive.
    pub port: u16,
}

/// A field of the metadata in front of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontField {
    /// The number of bits.
    pub bits: u32,
    /// The value, of which the lowest bits are taken.
    pub value: FrontValue,
}

/// A value in front of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontValue {
    /// Zeros.
    Padding,
    /// 1 if the packet was resubmitted.
    Resubmitted,
    /// The port at which the packet arrived.
    ArrivalPort,
    /// The time at which the packet arrived, in nanoseconds.
    ArrivalTime,
    /// The port to which the packet is being sent.
    DeparturePort,
    /// The cells in the queue when the packet entered it.
    DepthOnEntry,
    /// The time at which the packet entered the queue, in nanoseconds.
    TimeOfEntry,
    /// How congested the queue was when the packet entered it: 0 to 3.
    CongestionOnEntry,
    /// The cells in the queue when the packet left it.
    DepthOnExit,
    /// How congested the queue was when the packet left it: 0 to 3.
    CongestionOnExit,
    /// How congested the first four pools of the buffer were when the packet left its queue: 0 to 3, two bits each, the
    /// first pool in the lowest.
    CongestionOfPools,
    /// The time that the packet spent in the queue, in nanoseconds.
    TimeInQueue,
    /// The number that a multicast group gives to the copy.
    Replica,
    /// 1 for the first copy of a multicast packet.
    IsFirstReplica,
    /// The queue in which the packet was.
    Queue,
    /// The class of service that ingress chose.
    ClassOfService,
    /// 1 if the packet found no room in its queue and was sent elsewhere.
    IsDeflected,
    /// The length of the packet in bytes.
    Length,
    /// The pipe of the packet generator that made the packet.
    Generator,
    /// The application of the packet generator.
    Application,
    /// The number of the batch, from 0.
    Batch,
    /// The number of the packet in its batch, from 0.
    PacketOfBatch,
    /// The port that went down.
    PortDown,
    /// What the recirculated packet that triggered the generator began with: as many of the last bits of the pattern's
    /// length as the field has.
    Trigger,
}

/// The fields of the intrinsic metadata by which a program tells the traffic manager what becomes of a packet, besides
/// those that every architecture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrafficFields {
    /// The value of the destination that stands for none.
    pub no_port: u64,
    /// Whether a copy goes to the CPU port.
    pub copy_to_cpu: &'static str,
    /// Whether the packet goes from its queue to the port without egress.
    pub bypass_egress: &'static str,
    /// The class of service of the copy for the CPU.
    pub cpu_class_of_service: &'static str,
    /// Whether a packet that finds no room in its queue is sent to the deflection port.
    pub deflect_on_drop: &'static str,
    /// A second multicast group.
    pub second_group: &'static str,
    /// The hash that chooses a node where a multicast group has alternatives.
    pub node_hash: &'static str,
    /// The hash that chooses a port where a node of a multicast group has a LAG.
    pub lag_hash: &'static str,
    /// Whether that hash is combined with the replication id of the node by exclusive or.
    pub lag_hash_has_replica: bool,
    /// The number by which a packet leaves out nodes of a multicast group.
    pub node_exclusion: &'static str,
    /// The number by which a packet leaves out ports of nodes with its own replication id.
    pub port_exclusion: &'static str,
    /// The replication id of those nodes.
    pub excluded_replica: &'static str,
    /// The class of service.
    pub class_of_service: &'static str,
    /// The colour of the packet.
    pub color: &'static str,
    /// The bits by which ingress drops: bit 0 all but copies to the CPU and mirrors, bit 1 copies to the CPU.
    pub ingress_drop: &'static str,
    /// The bits by which egress drops: bit 0 the packet, bit 2 its mirrors.
    pub egress_drop: &'static str,
    /// What the traffic manager tells the ghost thread, in an architecture that has one.
    pub ghost: Option<GhostFields>,
    /// How the deparsers of ingress and egress direct their mirrors, in an architecture where they can.
    pub mirrors: [Option<MirrorFields>; 2],
    /// The greatest length in bytes to which the deparsers of ingress and egress cut a packet; 0 cuts nothing.
    pub greatest_lengths: [Option<&'static str>; 2],
}

/// The fields by which a deparser directs its mirrors. What is assigned to one counts in place of what the session says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MirrorFields {
    /// Whether the packet is mirrored as it leaves (1) or as it came (0). Where nothing is assigned, ingress mirrors it as it
    /// came and egress as it leaves.
    pub as_it_leaves: &'static str,
    /// The port to which the copy goes.
    pub port: &'static str,
    /// The queue.
    pub queue: &'static str,
    /// The class of service.
    pub class_of_service: &'static str,
    /// Whether the copy is deflected if it finds no room.
    pub deflect_on_drop: &'static str,
    /// Whether copies go to the multicast groups of the session.
    pub multicast: &'static str,
    /// The hash by which the groups choose nodes and ports.
    pub hash: &'static str,
}

impl MirrorFields {
    /// Returns all fields.
    pub const fn all(&self) -> [&'static str; 7] {
        [
            self.as_it_leaves,
            self.port,
            self.queue,
            self.class_of_service,
            self.deflect_on_drop,
            self.multicast,
            self.hash,
        ]
    }
}

/// The fields of the intrinsic metadata by which the traffic manager tells the ghost thread that a queue has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GhostFields {
    /// The version of two that is to be written.
    pub version: &'static str,
    /// The cells in the queue, at most what the field holds.
    pub depth: &'static str,
    /// The number of the queue in its pipe: that of its port within the pipe times `queues_of_port`, plus that of the queue
    /// in the port.
    pub queue: &'static str,
    /// The pipe of the queue.
    pub pipe: &'static str,
    /// The number of queues from one port to the next.
    pub queues_of_port: u16,
}

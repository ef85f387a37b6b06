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
    /// The cells in the queue when the packet left it.
    DepthOnExit,
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
    /// A second multicast group.
    pub second_group: &'static str,
    /// The class of service.
    pub class_of_service: &'static str,
    /// The colour of the packet.
    pub color: &'static str,
    /// The bits by which ingress drops: bit 0 all but copies to the CPU and mirrors, bit 1 copies to the CPU.
    pub ingress_drop: &'static str,
    /// The bits by which egress drops: bit 0 the packet, bit 2 its mirrors.
    pub egress_drop: &'static str,
}

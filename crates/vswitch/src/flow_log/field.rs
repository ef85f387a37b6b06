//! The fields that records of flow logs can have.

/// A field of a record: those of AWS VPC flow logs by their names there, and some of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlowField {
    /// The least version of AWS VPC flow logs that has all fields of the record that AWS has.
    Version,
    /// The account of the configuration.
    AccountId,
    /// The vNIC.
    InterfaceId,
    /// The source address, as the vNIC sees it.
    SourceAddress,
    /// The destination address, as the vNIC sees it.
    DestinationAddress,
    /// The source port, as the vNIC sees it.
    SourcePort,
    /// The destination port, as the vNIC sees it.
    DestinationPort,
    /// The number of the protocol that IP carries.
    Protocol,
    /// The number of packets.
    Packets,
    /// The number of bytes of their frames.
    Bytes,
    /// The time of the first packet, in seconds since 1970.
    Start,
    /// The time of the last packet, in seconds since 1970.
    End,
    /// `ACCEPT` or `REJECT`.
    Action,
    /// `OK`, `NODATA` or `SKIPDATA`.
    LogStatus,
    /// The VPC of the vNIC.
    VpcId,
    /// `IPv4` or `IPv6`.
    Type,
    /// The address of whoever has sent the packets, before any translation.
    PacketSourceAddress,
    /// The address of whoever is given the packets, behind any translation.
    PacketDestinationAddress,
    /// `egress` if the vNIC sends the packets, `ingress` if it is given them.
    FlowDirection,
    /// Of what the vNIC sends: `1` within the VPC, `8` to the world outside, as AWS numbers these ways.
    TrafficPath,
    /// The name of the switch.
    Host,
    /// The time at which the session began, in seconds since 1970.
    SessionStart,
    /// The source address, as the other end of the session sees it.
    PeerSourceAddress,
    /// The source port, as the other end of the session sees it.
    PeerSourcePort,
    /// The destination address, as the other end of the session sees it.
    PeerDestinationAddress,
    /// The destination port, as the other end of the session sees it.
    PeerDestinationPort,
    /// The vNIC at the other end of the session, if it is one of this switch.
    PeerInterfaceId,
    /// The tunnel endpoint of this switch, if the other end is behind another one.
    LocalEndpoint,
    /// The tunnel endpoint behind which the other end is.
    RemoteEndpoint,
    /// The interface of the underlay by which what the vNIC sends leaves.
    UnderlayInterface,
}

use FlowField as F;

/// The fields of AWS VPC flow logs version 2 in their order, which records have by default.
pub const VERSION_2: [FlowField; 14] = [
    F::Version,
    F::AccountId,
    F::InterfaceId,
    F::SourceAddress,
    F::DestinationAddress,
    F::SourcePort,
    F::DestinationPort,
    F::Protocol,
    F::Packets,
    F::Bytes,
    F::Start,
    F::End,
    F::Action,
    F::LogStatus,
];

impl FlowField {
    /// All fields.
    pub const ALL: [Self; 30] = [
        F::Version,
        F::AccountId,
        F::InterfaceId,
        F::SourceAddress,
        F::DestinationAddress,
        F::SourcePort,
        F::DestinationPort,
        F::Protocol,
        F::Packets,
        F::Bytes,
        F::Start,
        F::End,
        F::Action,
        F::LogStatus,
        F::VpcId,
        F::Type,
        F::PacketSourceAddress,
        F::PacketDestinationAddress,
        F::FlowDirection,
        F::TrafficPath,
        F::Host,
        F::SessionStart,
        F::PeerSourceAddress,
        F::PeerSourcePort,
        F::PeerDestinationAddress,
        F::PeerDestinationPort,
        F::PeerInterfaceId,
        F::LocalEndpoint,
        F::RemoteEndpoint,
        F::UnderlayInterface,
    ];

    /// Returns the name, as configurations and the first lines of files have it.
    pub const fn name(self) -> &'static str {
        match self {
            F::Version => "version",
            F::AccountId => "account-id",
            F::InterfaceId => "interface-id",
            F::SourceAddress => "srcaddr",
            F::DestinationAddress => "dstaddr",
            F::SourcePort => "srcport",
            F::DestinationPort => "dstport",
            F::Protocol => "protocol",
            F::Packets => "packets",
            F::Bytes => "bytes",
            F::Start => "start",
            F::End => "end",
            F::Action => "action",
            F::LogStatus => "log-status",
            F::VpcId => "vpc-id",
            F::Type => "type",
            F::PacketSourceAddress => "pkt-srcaddr",
            F::PacketDestinationAddress => "pkt-dstaddr",
            F::FlowDirection => "flow-direction",
            F::TrafficPath => "traffic-path",
            F::Host => "host",
            F::SessionStart => "session-start",
            F::PeerSourceAddress => "peer-srcaddr",
            F::PeerSourcePort => "peer-srcport",
            F::PeerDestinationAddress => "peer-dstaddr",
            F::PeerDestinationPort => "peer-dstport",
            F::PeerInterfaceId => "peer-interface-id",
            F::LocalEndpoint => "local-endpoint",
            F::RemoteEndpoint => "remote-endpoint",
            F::UnderlayInterface => "underlay-interface",
        }
    }

    /// Returns the field of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }

    /// Returns the version of AWS VPC flow logs that brought the field; 2 for those that AWS does not have.
    pub const fn version(self) -> u8 {
        match self {
            F::VpcId | F::Type | F::PacketSourceAddress | F::PacketDestinationAddress => 3,
            F::FlowDirection | F::TrafficPath => 5,
            _ => 2,
        }
    }
}

/// Returns the line that names fields, in front of records that have others than those of version 2.
pub fn header(fields: &[FlowField]) -> String {
    fields.iter().map(|field| field.name()).collect::<Vec<_>>().join(" ")
}

/// Returns the fields that a line names, if it is one that names fields and not a record.
pub fn fields_of_header(line: &str) -> Option<Vec<FlowField>> {
    let fields: Option<Vec<_>> = line.split(' ').map(FlowField::named).collect();
    fields.filter(|fields| !fields.is_empty())
}

// The types of identifiers, whose widths the header that includes this one defines.

#ifndef _TOFINO_TYPES_P4_
#define _TOFINO_TYPES_P4_

#include <core.p4>

// A device port, by which the traffic manager and both gresses name a port: the pipe, then the port within the pipe.
typedef bit<PORT_ID_WIDTH> PortId_t;

// A multicast group of the traffic manager. 0 is none.
typedef bit<MULTICAST_GROUP_ID_WIDTH> MulticastGroupId_t;

// A queue of a port.
typedef bit<QUEUE_ID_WIDTH> QueueId_t;

// The number of a `Mirror` of a deparser.
typedef bit<MIRROR_TYPE_WIDTH> MirrorType_t;

// A mirror session, in which the control plane sets where mirrored packets go and how long they may be.
typedef bit<MIRROR_ID_WIDTH> MirrorId_t;

// The number of a `Resubmit` of the ingress deparser.
typedef bit<RESUBMIT_TYPE_WIDTH> ResubmitType_t;

// The number of a `Digest` of the ingress deparser.
typedef bit<DIGEST_TYPE_WIDTH> DigestType_t;

// The number that a node of the first level of a multicast tree gives to its copies.
typedef bit<REPLICATION_ID_WIDTH> ReplicationId_t;

// A number by which a packet prunes nodes of the first level of a multicast tree.
typedef bit<L1_EXCLUSION_ID_WIDTH> L1ExclusionId_t;

// A number by which a packet prunes ports, which belong to the second level of a multicast tree.
typedef bit<L2_EXCLUSION_ID_WIDTH> L2ExclusionId_t;

// The error with which a parser ended.
typedef error ParserError_t;

// The two parts of a device port.
#define DEVPORT_PIPE_MASK 0x180
#define DEVPORT_PIPE(port) (port)[8:7]
#define DEVPORT_PORT_MASK 0x7f
#define DEVPORT_PORT(port) (port)[6:0]

#endif

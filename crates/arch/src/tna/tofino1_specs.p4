// The numbers of the first Tofino: how wide its identifiers are.

#ifndef _TOFINO1_SPECS_P4_
#define _TOFINO1_SPECS_P4_

#ifndef __TARGET_TOFINO__
#define __TARGET_TOFINO__ 1
#elif __TARGET_TOFINO__ != 1
#error tofino1_specs.p4 is for the chip with __TARGET_TOFINO__ 1
#endif

#define PORT_ID_WIDTH 9
#define MULTICAST_GROUP_ID_WIDTH 16
#define QUEUE_ID_WIDTH 5
#define MIRROR_TYPE_WIDTH 3
#define MIRROR_ID_WIDTH 10
#define RESUBMIT_TYPE_WIDTH 3
#define DIGEST_TYPE_WIDTH 3
#define REPLICATION_ID_WIDTH 16
#define L1_EXCLUSION_ID_WIDTH 16
#define L2_EXCLUSION_ID_WIDTH 9

// The bits of metadata of the port that stand behind the intrinsic metadata of ingress, in front of the packet. A
// program extracts them, unpacks them with `port_metadata_unpack`, or skips them with `advance`.
const bit<32> PORT_METADATA_SIZE = 32w64;

#include <tofino_types.p4>

#endif

// The numbers of Tofino 2: how wide its identifiers are.

#ifndef _TOFINO2_SPECS_P4_
#define _TOFINO2_SPECS_P4_

#ifndef __TARGET_TOFINO__
#define __TARGET_TOFINO__ 2
#elif __TARGET_TOFINO__ != 2
#error tofino2_specs.p4 is for the chip with __TARGET_TOFINO__ 2
#endif

// A program for a chip of eight pipes defines it as 10.
#ifndef PORT_ID_WIDTH
#define PORT_ID_WIDTH 9
#endif
#define MULTICAST_GROUP_ID_WIDTH 16
#define QUEUE_ID_WIDTH 7
#define MIRROR_TYPE_WIDTH 4
#define MIRROR_ID_WIDTH 8
#define RESUBMIT_TYPE_WIDTH 3
#define DIGEST_TYPE_WIDTH 3
#define REPLICATION_ID_WIDTH 16
#define L1_EXCLUSION_ID_WIDTH 16
#define L2_EXCLUSION_ID_WIDTH 9

// The bits of metadata of the port that stand behind the intrinsic metadata of ingress, in front of the packet. A
// program extracts them, unpacks them with `port_metadata_unpack`, or skips them with `advance`.
const bit<32> PORT_METADATA_SIZE = 32w192;

#include <tofino_types.p4>

// The former name of the type of mirrors.
typedef MirrorType_t CloneId_t;

#endif

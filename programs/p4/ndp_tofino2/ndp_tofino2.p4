// The router that trims NDP's packets for Tofino 2 (Popa et al., "Implementing packet trimming support in hardware", 2022, section 3,
// "Trimming in ingress"): ../ndp/ndp.p4, which trims by the depth of queues here.
#define __TARGET_TOFINO__ 2
// Device ports of eight pipes have ten bits.
#define PORT_ID_WIDTH 10

#include "../ndp/ndp.p4"

// The native architecture of Tofino 2 (T2NA). It differs from TNA (tna.p4) by a ghost thread that runs beside ingress,
// more for register actions to do, mirroring that the packet can direct, and packets that a packet generates. Written
// from the published declarations (p4lang/p4c, backends/tofino); names, widths and the order of parameters are the
// published ones, so that existing programs compile.

#ifndef _T2NA_P4_
#define _T2NA_P4_

// Without a choice of the chip, a program that includes this header is for Tofino 2 (see tna.p4).
#if defined(__TARGET_TOFINO__) && __TARGET_TOFINO__ != 2
#error t2na.p4 is for the chip with __TARGET_TOFINO__ 2; programs for others include tna.p4
#endif

#include <tofino2_specs.p4>
#include <tofino2_arch.p4>

#endif

// The Tofino Native Architecture (TNA): a pipe of Tofino has a parser, a match-action part and a deparser on the way
// in (ingress) and again on the way out (egress), with the traffic manager of the chip between the two. Written from
// its public documentation ("P4_16 Tofino Native Architecture", Open-Tofino) and its published declarations
// (p4lang/p4c, backends/tofino); names, widths and the order of parameters are the published ones, so that existing
// programs compile.
//
// The macro __TARGET_TOFINO__ names the generation of the chip. A program may ask for it before it includes a header,
// and takes this one unless the macro is 2. Whoever selects a chip defines the macro, as with `-D __TARGET_TOFINO__=2`;
// without a choice, the chip is the first Tofino, and this header defines the macro as 1. On Tofino 2, this header
// declares the same architecture with the widths of Tofino 2; all that Tofino 2 can do is in t2na.p4.

#ifndef _TNA_P4_
#define _TNA_P4_

#if !defined(__TARGET_TOFINO__) || __TARGET_TOFINO__ == 1
#include <tofino1_specs.p4>
#elif __TARGET_TOFINO__ == 2
#include <tofino2_specs.p4>
#else
#error tna.p4 is for chips with __TARGET_TOFINO__ 1 or 2
#endif

#include <tofino1_arch.p4>

#endif

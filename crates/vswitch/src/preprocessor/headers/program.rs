//! The program: [`wire::Layers::parse`] for the frames that most are, in BPF.
//!
//! It reads up to two VLAN tags, IPv4 with options, IPv6 with up to three extension headers, TCP, UDP, UDP-Lite and ICMP, fragments, and the
//! same in a VXLAN tunnel. It finds what software finds, or leaves the frame to software: whenever a header is missing, damaged, unknown
//! or not wholly in the bytes that software looks at.

use bpf::{Assembler, Comparison, Instruction, Label, Operation, Register, Size};
use wire::{ether_type, protocol, vxlan};

use super::format::{FLAGS, INNER, LENGTH, LOOKED_AT, MARK, MOST_TAGS, Mark, OUTER, OUTER_NETWORK, Place, flag};
use Comparison::{Equal, Greater, Less, Unequal};
use Operation::{Add, And, Or, ShiftLeft, ShiftRight};

/// A number that is computed, or a part of a frame that was read.
const VALUE: Register = Register::R0;
const OTHER: Register = Register::R1;
/// The address of the header that is read.
const HEADER: Register = Register::R2;
const PROTOCOL: Register = Register::R3;
const SCRATCH: Register = Register::R4;
const LIMIT_NOW: Register = Register::R5;
const CONTEXT: Register = Register::R6;
/// The addresses of the first byte of the frame and of the one behind its last.
const FRAME: Register = Register::R7;
const FRAME_END: Register = Register::R8;
/// The offset in the frame of the header that is read.
const AT: Register = Register::R9;
const STACK: Register = Register::R10;

/// The place on the stack of what is to be written, and of the offset at which headers must end.
const WRITTEN: i16 = -(LENGTH as i16);
const LIMIT: i16 = WRITTEN - 8;

/// The most extension headers of IPv6.
const MOST_EXTENSIONS: usize = 3;

/// The function `bpf_xdp_adjust_meta`, and the offsets of `struct xdp_md` (linux/bpf.h).
const ADJUST_META: i32 = 54;
const DATA: i16 = 0;
const DATA_END: i16 = 4;
const DATA_META: i16 = 8;

/// Returns the program of a switch, for frames of Ethernet. It finds its context in R6, leaves it there, and writes [`LENGTH`] bytes in
/// front of the frame if the driver can have them there.
pub fn program(mark: Mark) -> Vec<Instruction> {
    let mut writer = Writer { assembler: Assembler::default() };
    writer.write(mark);
    writer.assembler.finish()
}

/// The frame that is looked at.
struct Frame {
    place: Place,
    /// The number of bits by which its flags are shifted.
    flags: u8,
    is_inner: bool,
}

const OUTER_FRAME: Frame = Frame { place: OUTER, flags: 0, is_inner: false };
const INNER_FRAME: Frame = Frame { place: INNER, flags: flag::OF_INNER, is_inner: true };

struct Writer {
    assembler: Assembler,
}

impl Writer {
    fn write(&mut self, Mark(mark): Mark) {
        let (finish, end) = (self.assembler.label(), self.assembler.label());
        let a = &mut self.assembler;
        a.load(Size::Word, FRAME, CONTEXT, DATA);
        a.load(Size::Word, FRAME_END, CONTEXT, DATA_END);
        a.store_value(Size::Double, STACK, WRITTEN, 0);
        a.store_value(Size::Double, STACK, WRITTEN + 8, 0);
        a.store_value(Size::Word, STACK, WRITTEN + MARK, mark.cast_signed());
        a.store_value(Size::Double, STACK, LIMIT, LOOKED_AT as i32);
        a.set(AT, 0);
        self.frame(&OUTER_FRAME, finish);
        self.tunnel(finish);
        self.frame(&INNER_FRAME, finish);
        let a = &mut self.assembler;
        a.bind(finish);
        a.set(Register::R1, CONTEXT);
        a.set(Register::R2, -(LENGTH as i32));
        a.call(ADJUST_META);
        a.jump_if(Unequal, Register::R0, 0, end);
        a.load(Size::Word, OTHER, CONTEXT, DATA_META);
        a.load(Size::Word, FRAME, CONTEXT, DATA);
        a.set(HEADER, OTHER);
        a.compute(Add, HEADER, LENGTH as i32);
        a.jump_if(Greater, HEADER, FRAME, end);
        for offset in [0, 8] {
            a.load(Size::Double, VALUE, STACK, WRITTEN + offset);
            a.store(Size::Double, OTHER, offset, VALUE);
        }
        a.bind(end);
    }

    /// Reads a frame that begins at the present offset, and says that its headers were found.
    fn frame(&mut self, frame: &Frame, fail: Label) {
        let [ipv4, ipv6, transport, done] = [(); 4].map(|()| self.assembler.label());
        self.link(frame, fail);
        let a = &mut self.assembler;
        a.jump_if(Equal, VALUE, i32::from(ether_type::IPV4), ipv4);
        a.jump_if(Equal, VALUE, i32::from(ether_type::IPV6), ipv6);
        a.jump(fail);
        a.bind(ipv4);
        self.ipv4(frame, transport, done, fail);
        self.assembler.bind(ipv6);
        self.ipv6(frame, done, fail);
        self.assembler.bind(transport);
        self.transport(frame, fail);
        self.assembler.bind(done);
        self.flag(frame, flag::FOUND);
    }

    /// Reads the Ethernet header and VLAN tags, and leaves the EtherType as the value.
    fn link(&mut self, frame: &Frame, fail: Label) {
        let (network, tags) = (self.assembler.label(), [ether_type::VLAN, ether_type::SERVICE_VLAN]);
        let tags = tags.into_iter().chain([ether_type::OLD_SERVICE_VLAN]);
        self.need(14, fail);
        self.assembler.load_network_half(VALUE, HEADER, 12);
        self.assembler.compute(Add, AT, 14);
        for _ in 0..MOST_TAGS {
            let tagged = self.assembler.label();
            for tag in tags.clone() {
                self.assembler.jump_if(Equal, VALUE, i32::from(tag), tagged);
            }
            self.assembler.jump(network);
            self.assembler.bind(tagged);
            self.need(4, fail);
            self.assembler.load_network_half(VALUE, HEADER, 2);
            self.assembler.compute(Add, AT, 4);
            if frame.is_inner {
                let a = &mut self.assembler;
                a.load(Size::Byte, SCRATCH, STACK, WRITTEN + FLAGS);
                a.compute(Add, SCRATCH, 1 << flag::INNER_TAGS);
                a.store(Size::Byte, STACK, WRITTEN + FLAGS, SCRATCH);
            }
        }
        self.assembler.bind(network);
        if !frame.is_inner {
            self.assembler.store(Size::Byte, STACK, WRITTEN + OUTER_NETWORK, AT);
        }
    }

    /// Reads an IPv4 header, and goes on at the transport header, or where a later fragment is done.
    fn ipv4(&mut self, frame: &Frame, transport: Label, done: Label, fail: Label) {
        let whole = self.assembler.label();
        self.need(20, fail);
        let a = &mut self.assembler;
        a.load(Size::Byte, VALUE, HEADER, 0);
        a.set(OTHER, VALUE);
        a.compute(ShiftRight, OTHER, 4);
        a.jump_if(Unequal, OTHER, 4, fail);
        a.compute(And, VALUE, 15);
        a.jump_if(Less, VALUE, 5, fail);
        // The length of the header.
        a.compute(ShiftLeft, VALUE, 2);
        a.load_network_half(OTHER, HEADER, 2);
        // One of 0, which segmentation leaves, is shorter too.
        a.jump_if(Less, OTHER, VALUE, fail);
        self.end(frame, fail);
        let a = &mut self.assembler;
        a.load(Size::Byte, PROTOCOL, HEADER, 9);
        a.store(Size::Byte, STACK, WRITTEN + frame.place.protocol, PROTOCOL);
        a.load_network_half(OTHER, HEADER, 6);
        a.set(SCRATCH, OTHER);
        a.compute(And, SCRATCH, 0x3FFF);
        a.jump_if(Equal, SCRATCH, 0, whole);
        self.flag(frame, flag::FRAGMENT);
        let a = &mut self.assembler;
        a.compute(And, OTHER, 0x1FFF);
        a.jump_if(Unequal, OTHER, 0, done);
        a.bind(whole);
        a.compute(Add, AT, VALUE);
        a.jump(transport);
    }

    /// Reads an IPv6 header and its extension headers, and goes on behind itself at the transport header, or where a later fragment is
    /// done.
    fn ipv6(&mut self, frame: &Frame, done: Label, fail: Label) {
        self.need(40, fail);
        self.flag(frame, flag::IPV6);
        let a = &mut self.assembler;
        a.load(Size::Byte, VALUE, HEADER, 0);
        a.compute(ShiftRight, VALUE, 4);
        a.jump_if(Unequal, VALUE, 6, fail);
        a.load_network_half(OTHER, HEADER, 4);
        // A jumbogram, or segmentation.
        a.jump_if(Equal, OTHER, 0, fail);
        a.compute(Add, OTHER, 40);
        self.end(frame, fail);
        let a = &mut self.assembler;
        a.load(Size::Byte, PROTOCOL, HEADER, 6);
        a.compute(Add, AT, 40);
        let reached = self.assembler.label();
        for _ in 0..MOST_EXTENSIONS {
            let extension = self.assembler.label();
            self.jump_at_extension(extension);
            self.assembler.jump(reached);
            self.assembler.bind(extension);
            self.extension(frame, done, fail);
        }
        self.jump_at_extension(fail);
        let a = &mut self.assembler;
        a.bind(reached);
        a.store(Size::Byte, STACK, WRITTEN + frame.place.protocol, PROTOCOL);
    }

    fn jump_at_extension(&mut self, to: Label) {
        use protocol::{
            AUTHENTICATION, DESTINATION_OPTIONS, FRAGMENT, HOP_BY_HOP, HOST_IDENTITY, MOBILITY, ROUTING, SHIM6,
        };
        let all = [HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION_OPTIONS, MOBILITY, HOST_IDENTITY, SHIM6];
        for number in all {
            self.assembler.jump_if(Equal, PROTOCOL, i32::from(number), to);
        }
    }

    /// Goes over one extension header.
    fn extension(&mut self, frame: &Frame, done: Label, fail: Label) {
        let [fragment, small, authentication, next] = [(); 4].map(|()| self.assembler.label());
        self.need(8, fail);
        let a = &mut self.assembler;
        a.load(Size::Byte, VALUE, HEADER, 0);
        a.load(Size::Byte, OTHER, HEADER, 1);
        a.jump_if(Equal, PROTOCOL, i32::from(protocol::FRAGMENT), fragment);
        a.jump_if(Equal, PROTOCOL, i32::from(protocol::AUTHENTICATION), authentication);
        a.compute(Add, OTHER, 1);
        a.compute(ShiftLeft, OTHER, 3);
        a.jump(next);
        a.bind(authentication);
        a.compute(Add, OTHER, 2);
        a.compute(ShiftLeft, OTHER, 2);
        a.jump(next);
        a.bind(fragment);
        a.load_network_half(OTHER, HEADER, 2);
        a.set(SCRATCH, OTHER);
        a.compute(And, SCRATCH, 0xFFF9);
        // A datagram in one fragment is whole.
        a.jump_if(Equal, SCRATCH, 0, small);
        self.flag(frame, flag::FRAGMENT);
        let a = &mut self.assembler;
        a.compute(And, OTHER, 0xFFF8);
        a.jump_if(Equal, OTHER, 0, small);
        a.store(Size::Byte, STACK, WRITTEN + frame.place.protocol, VALUE);
        a.jump(done);
        a.bind(small);
        a.set(OTHER, 8);
        a.bind(next);
        a.set(PROTOCOL, VALUE);
        a.compute(Add, AT, OTHER);
    }

    /// Stores the end of the network layer's packet, which is so many bytes long as the other value says.
    fn end(&mut self, frame: &Frame, fail: Label) {
        let a = &mut self.assembler;
        a.compute(Add, OTHER, AT);
        a.jump_if(Greater, OTHER, i32::from(u16::MAX), fail);
        a.store(Size::Half, STACK, WRITTEN + frame.place.end, OTHER);
    }

    /// Reads the transport header of the protocol.
    fn transport(&mut self, frame: &Frame, fail: Label) {
        let [tcp, eight, found] = [(); 3].map(|()| self.assembler.label());
        let a = &mut self.assembler;
        a.jump_if(Equal, PROTOCOL, i32::from(protocol::TCP), tcp);
        for number in [protocol::UDP, protocol::UDP_LITE, protocol::ICMP, protocol::ICMPV6] {
            a.jump_if(Equal, PROTOCOL, i32::from(number), eight);
        }
        a.jump(fail);
        a.bind(tcp);
        self.need(20, fail);
        let a = &mut self.assembler;
        a.load(Size::Byte, VALUE, HEADER, 12);
        a.compute(ShiftRight, VALUE, 4);
        a.compute(ShiftLeft, VALUE, 2);
        a.jump_if(Less, VALUE, 20, fail);
        a.jump(found);
        a.bind(eight);
        self.need(8, fail);
        let a = &mut self.assembler;
        a.set(VALUE, 8);
        a.bind(found);
        a.store(Size::Byte, STACK, WRITTEN + frame.place.transport, AT);
        a.compute(Add, VALUE, AT);
        a.load(Size::Half, OTHER, STACK, WRITTEN + frame.place.end);
        a.jump_if(Greater, VALUE, OTHER, fail);
        a.store(Size::Byte, STACK, WRITTEN + frame.place.payload, VALUE);
    }

    /// Goes on at the frame in a VXLAN tunnel, if there is one in the frame that was read, or is finished.
    fn tunnel(&mut self, finish: Label) {
        let within = self.assembler.label();
        let a = &mut self.assembler;
        a.load(Size::Byte, VALUE, STACK, WRITTEN + FLAGS);
        a.compute(And, VALUE, i32::from(flag::FRAGMENT));
        a.jump_if(Unequal, VALUE, 0, finish);
        a.load(Size::Byte, VALUE, STACK, WRITTEN + OUTER.protocol);
        a.jump_if(Unequal, VALUE, i32::from(protocol::UDP), finish);
        a.load(Size::Byte, AT, STACK, WRITTEN + OUTER.transport);
        // UDP, VXLAN.
        self.need(16, finish);
        let a = &mut self.assembler;
        a.load_network_half(VALUE, HEADER, 2);
        a.jump_if(Unequal, VALUE, i32::from(vxlan::PORT), finish);
        a.load(Size::Byte, VALUE, HEADER, 8);
        a.compute(And, VALUE, i32::from(vxlan::VNI_IS_VALID));
        a.jump_if(Equal, VALUE, 0, finish);
        a.compute(Add, AT, 16);
        // No inner header lies beyond the outer packet.
        a.load(Size::Half, OTHER, STACK, WRITTEN + OUTER.end);
        a.jump_if(Greater, OTHER, LOOKED_AT as i32, within);
        a.store(Size::Double, STACK, LIMIT, OTHER);
        a.bind(within);
    }

    /// Lets the header be what lies at the present offset, and fails unless so many bytes of it are there.
    fn need(&mut self, length: i32, fail: Label) {
        let a = &mut self.assembler;
        a.set(SCRATCH, AT);
        a.compute(Add, SCRATCH, length);
        a.load(Size::Double, LIMIT_NOW, STACK, LIMIT);
        a.jump_if(Greater, SCRATCH, LIMIT_NOW, fail);
        a.set(HEADER, FRAME);
        a.compute(Add, HEADER, AT);
        a.set(SCRATCH, HEADER);
        a.compute(Add, SCRATCH, length);
        a.jump_if(Greater, SCRATCH, FRAME_END, fail);
    }

    fn flag(&mut self, frame: &Frame, flag: u8) {
        let a = &mut self.assembler;
        a.load(Size::Byte, SCRATCH, STACK, WRITTEN + FLAGS);
        a.compute(Or, SCRATCH, i32::from(flag) << frame.flags);
        a.store(Size::Byte, STACK, WRITTEN + FLAGS, SCRATCH);
    }
}

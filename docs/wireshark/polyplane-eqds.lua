-- Wireshark dissector for EQDS as Polyplane puts it on the wire (docs/transports/eqds.md).
--
--   wireshark -X lua_script:polyplane-eqds.lua capture.pcapng
--
-- or put it into Wireshark's folder of personal Lua plugins (Help, About Wireshark, Folders).
-- Filters: polyplane_eqds.kind == 5 shows RTS; polyplane_eqds.message, polyplane_eqds.trimmed, and so on.

local HEADER = 22
local PORT = 0x4551
local FIRST_SOURCE_PORT = 0xC000

local DATA, ACK, NACK, CREDIT, RTS = 1, 2, 3, 4, 5
local kinds = { [DATA] = "DATA", [ACK] = "ACK", [NACK] = "NACK", [CREDIT] = "CREDIT", [RTS] = "RTS" }
local code_points = { [10] = "trimmed", [12] = "trimmed at the last hop", [14] = "returned to its sender" }

local eqds = Proto("polyplane_eqds", "EQDS (Polyplane)")
local f = {
  kind = ProtoField.uint8("polyplane_eqds.kind", "Kind", base.DEC, kinds),
  flags = ProtoField.uint8("polyplane_eqds.flags", "Flags", base.HEX),
  speculative = ProtoField.bool("polyplane_eqds.flags.speculative", "SPECULATIVE (without credit)", 8, nil, 0x01),
  last = ProtoField.bool("polyplane_eqds.flags.last", "LAST (of the message; in ACK: all of it is here)", 8, nil, 0x02),
  retransmission = ProtoField.bool("polyplane_eqds.flags.retransmission", "RETRANSMISSION", 8, nil, 0x04),
  more = ProtoField.bool("polyplane_eqds.flags.more", "MORE (than the target asks for)", 8, nil, 0x08),
  ask = ProtoField.bool("polyplane_eqds.flags.ask", "ASK (for an ACK at once)", 8, nil, 0x10),
  message = ProtoField.uint32("polyplane_eqds.message", "Message", base.DEC),
  sequence = ProtoField.uint32("polyplane_eqds.sequence", "Packet of the message", base.DEC),
  to_send_again = ProtoField.uint32("polyplane_eqds.to_send_again", "Packets to be sent again", base.DEC),
  cumulative = ProtoField.uint32("polyplane_eqds.cumulative", "All packets before this one are here", base.DEC),
  target = ProtoField.uint16("polyplane_eqds.target", "Quanta wanted so far, modulo 2^16", base.DEC),
  oldest = ProtoField.uint16("polyplane_eqds.oldest", "Oldest unfinished message: so many before", base.DEC),
  credit = ProtoField.uint32("polyplane_eqds.credit", "Quanta granted so far, modulo 2^32", base.DEC),
  bitmap = ProtoField.uint64("polyplane_eqds.bitmap", "Which of 64 packets are here", base.HEX),
  reference = ProtoField.uint16("polyplane_eqds.reference", "Bitmap begins so many behind the first missing", base.DEC),
  payload_length = ProtoField.uint16("polyplane_eqds.payload_length", "Payload length, untrimmed", base.DEC),
  packets = ProtoField.uint32("polyplane_eqds.packets", "Packets in the message", base.DEC),
  service = ProtoField.uint16("polyplane_eqds.service", "Service", base.DEC),
  path = ProtoField.uint16("polyplane_eqds.path", "Path of the data packet", base.DEC),
  own_path = ProtoField.uint16("polyplane_eqds.own_path", "Path of this packet (from the UDP source port)", base.DEC),
  trimmed = ProtoField.bool("polyplane_eqds.trimmed", "Trimmed"),
  returned = ProtoField.bool("polyplane_eqds.returned", "Returned"),
}
eqds.fields = f

local cut = ProtoExpert.new("polyplane_eqds.cut", "The header of EQDS is cut", expert.group.MALFORMED, expert.severity.ERROR)
local unknown = ProtoExpert.new("polyplane_eqds.unknown", "No kind of EQDS's", expert.group.PROTOCOL, expert.severity.WARN)
eqds.experts = { cut, unknown }

local dscp_field = Field.new("ip.dsfield.dscp")

-- What DATA and RTS say about their message.
local function demand(buffer, branch)
  branch:add(f.target, buffer(10, 2))
  branch:add(f.oldest, buffer(12, 2))
  branch:add(f.packets, buffer(16, 4))
  branch:add(f.service, buffer(20, 2))
  return " wants " .. buffer(10, 2):uint()
end

local say = {
  [DATA] = function(buffer, branch)
    branch:add(f.sequence, buffer(6, 4))
    branch:add(f.payload_length, buffer(14, 2))
    return " packet " .. buffer(6, 4):uint() .. "/" .. buffer(16, 4):uint() .. demand(buffer, branch)
  end,
  [ACK] = function(buffer, branch)
    branch:add(f.cumulative, buffer(6, 4))
    branch:add(f.bitmap, buffer(10, 8))
    branch:add(f.reference, buffer(18, 2))
    branch:add(f.path, buffer(20, 2))
    return " all before " .. buffer(6, 4):uint()
  end,
  [NACK] = function(buffer, branch)
    branch:add(f.sequence, buffer(6, 4))
    branch:add(f.path, buffer(20, 2))
    return " packet " .. buffer(6, 4):uint()
  end,
  [CREDIT] = function(buffer, branch)
    branch:add(f.credit, buffer(10, 4))
    return " granted " .. buffer(10, 4):uint()
  end,
  [RTS] = function(buffer, branch)
    branch:add(f.to_send_again, buffer(6, 4))
    return " again " .. buffer(6, 4):uint() .. demand(buffer, branch)
  end,
}

function eqds.dissector(buffer, pinfo, tree)
  pinfo.cols.protocol = "EQDS"
  local branch = tree:add(eqds, buffer(0, math.min(HEADER, buffer:len())))
  if buffer:len() < HEADER then
    branch:add_proto_expert_info(cut)
    return
  end
  local kind = buffer(0, 1):uint()
  local name = kinds[kind]
  branch:add(f.kind, buffer(0, 1))
  local flags = branch:add(f.flags, buffer(1, 1))
  for _, flag in ipairs({ f.speculative, f.last, f.retransmission, f.more, f.ask }) do
    flags:add(flag, buffer(1, 1))
  end
  branch:add(f.message, buffer(2, 4))
  if pinfo.src_port >= FIRST_SOURCE_PORT then
    branch:add(f.own_path, pinfo.src_port - FIRST_SOURCE_PORT):set_generated()
  end
  if not name then
    branch:add_proto_expert_info(unknown)
    return
  end
  local text = name .. " message " .. buffer(2, 4):uint() .. say[kind](buffer, branch)
  local bits = buffer(1, 1):uint()
  for place, flag in ipairs({ "SPECULATIVE", "LAST", "RETRANSMISSION", "MORE", "ASK" }) do
    if math.floor(bits / 2 ^ (place - 1)) % 2 == 1 then text = text .. " " .. flag end
  end
  if kind == DATA then
    local dscp = dscp_field()
    local mark = dscp and code_points[dscp.value]
    -- A switch that corrects nothing leaves only the missing bytes as a sign.
    if not mark and buffer:reported_len() < HEADER + buffer(14, 2):uint() then mark = code_points[10] end
    branch:add(f.trimmed, mark ~= nil):set_generated()
    branch:add(f.returned, dscp ~= nil and dscp.value == 14):set_generated()
    if mark then text = text .. " [" .. mark .. "]" end
    if not mark and buffer:len() > HEADER then
      Dissector.get("data"):call(buffer(HEADER):tvb(), pinfo, tree)
    end
  end
  branch:append_text(", " .. text)
  pinfo.cols.info = text
end

DissectorTable.get("udp.port"):add(PORT, eqds)

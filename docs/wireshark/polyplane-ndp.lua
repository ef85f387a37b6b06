-- Wireshark dissector for NDP as Polyplane puts it on the wire (docs/transports/ndp.md).
--
--   wireshark -X lua_script:polyplane-ndp.lua capture.pcapng
--
-- or put it into Wireshark's folder of personal Lua plugins (Help, About Wireshark, Folders).
-- Filters: polyplane_ndp.kind == 3 shows NACKs; polyplane_ndp.message, polyplane_ndp.trimmed, and so on. Wireshark's
-- own `ndp` is another protocol, Nortel's.

local HEADER = 22
local PORT = 0x4E44
local FIRST_SOURCE_PORT = 0xC000

local DATA, ACK, NACK, PULL = 1, 2, 3, 4
local kinds = { [DATA] = "DATA", [ACK] = "ACK", [NACK] = "NACK", [PULL] = "PULL" }
local code_points = { [10] = "trimmed", [12] = "trimmed at the last hop", [14] = "returned to its sender" }

local ndp = Proto("polyplane_ndp", "NDP (Polyplane)")
local f = {
  kind = ProtoField.uint8("polyplane_ndp.kind", "Kind", base.DEC, kinds),
  flags = ProtoField.uint8("polyplane_ndp.flags", "Flags", base.HEX, nil, 0x0F),
  syn = ProtoField.bool("polyplane_ndp.flags.syn", "SYN (pushed)", 8, nil, 0x01),
  last = ProtoField.bool("polyplane_ndp.flags.last", "LAST (of the message; in ACK: all of it is here)", 8, nil, 0x02),
  retransmission = ProtoField.bool("polyplane_ndp.flags.retransmission", "RETRANSMISSION", 8, nil, 0x04),
  more = ProtoField.bool("polyplane_ndp.flags.more", "MORE (pulls will follow; in DATA: asks for one more)", 8, nil, 0x08),
  priority = ProtoField.uint8("polyplane_ndp.priority", "Priority", base.DEC, nil, 0xF0),
  message = ProtoField.uint32("polyplane_ndp.message", "Message", base.DEC),
  sequence = ProtoField.uint32("polyplane_ndp.sequence", "Packet of the message", base.DEC),
  pull = ProtoField.uint32("polyplane_ndp.pull", "Pulls sent so far", base.DEC),
  oldest = ProtoField.uint32("polyplane_ndp.oldest", "Oldest unfinished message of the sender", base.DEC),
  path = ProtoField.uint16("polyplane_ndp.path", "Path of the data packet", base.DEC),
  own_path = ProtoField.uint16("polyplane_ndp.own_path", "Path of this packet (from the UDP source port)", base.DEC),
  service = ProtoField.uint16("polyplane_ndp.service", "Service", base.DEC),
  payload_length = ProtoField.uint16("polyplane_ndp.payload_length", "Payload length, untrimmed", base.DEC),
  packets = ProtoField.uint32("polyplane_ndp.packets", "Packets in the message", base.DEC),
  trimmed = ProtoField.bool("polyplane_ndp.trimmed", "Trimmed"),
  returned = ProtoField.bool("polyplane_ndp.returned", "Returned"),
}
ndp.fields = f

local cut = ProtoExpert.new("polyplane_ndp.cut", "The header of NDP is cut", expert.group.MALFORMED, expert.severity.ERROR)
local unknown = ProtoExpert.new("polyplane_ndp.unknown", "No kind of NDP's", expert.group.PROTOCOL, expert.severity.WARN)
ndp.experts = { cut, unknown }

local dscp_field = Field.new("ip.dsfield.dscp")

function ndp.dissector(buffer, pinfo, tree)
  pinfo.cols.protocol = "NDP"
  local branch = tree:add(ndp, buffer(0, math.min(HEADER, buffer:len())))
  if buffer:len() < HEADER then
    branch:add_proto_expert_info(cut)
    return
  end
  local kind = buffer(0, 1):uint()
  local name = kinds[kind]
  local is_data = kind == DATA
  branch:add(f.kind, buffer(0, 1))
  local flags = branch:add(f.flags, buffer(1, 1))
  for _, flag in ipairs({ f.syn, f.last, f.retransmission, f.more }) do
    flags:add(flag, buffer(1, 1))
  end
  if is_data then branch:add(f.priority, buffer(1, 1)) end
  branch:add(f.message, buffer(2, 4))
  if kind ~= PULL then branch:add(f.sequence, buffer(6, 4)) end
  branch:add(is_data and f.oldest or f.pull, buffer(10, 4))
  if is_data then
    branch:add(f.service, buffer(14, 2))
  elseif kind ~= PULL then
    branch:add(f.path, buffer(14, 2))
  end
  if kind ~= PULL then
    branch:add(f.payload_length, buffer(16, 2))
    branch:add(f.packets, buffer(18, 4))
  end
  if pinfo.src_port >= FIRST_SOURCE_PORT then
    branch:add(f.own_path, pinfo.src_port - FIRST_SOURCE_PORT):set_generated()
  end

  if not name then
    branch:add_proto_expert_info(unknown)
    return
  end
  local text = name .. " message " .. buffer(2, 4):uint()
  if kind ~= PULL then
    text = text .. " packet " .. buffer(6, 4):uint() .. "/" .. buffer(18, 4):uint()
  end
  if not is_data then text = text .. " pulls " .. buffer(10, 4):uint() end
  local bits = buffer(1, 1):uint()
  for place, flag in ipairs({ "SYN", "LAST", "RETRANSMISSION", "MORE" }) do
    if math.floor(bits / 2 ^ (place - 1)) % 2 == 1 then text = text .. " " .. flag end
  end
  if is_data then
    local dscp = dscp_field()
    local mark = dscp and code_points[dscp.value]
    -- A switch that corrects nothing leaves only the missing bytes as a sign.
    if not mark and buffer:reported_len() < HEADER + buffer(16, 2):uint() then mark = code_points[10] end
    local is_returned = dscp ~= nil and dscp.value == 14
    branch:add(f.trimmed, mark ~= nil):set_generated()
    branch:add(f.returned, is_returned):set_generated()
    if mark then text = text .. " [" .. mark .. "]" end
    if not mark and buffer:len() > HEADER then
      Dissector.get("data"):call(buffer(HEADER):tvb(), pinfo, tree)
    end
  end
  branch:append_text(", " .. text)
  pinfo.cols.info = text
end

DissectorTable.get("udp.port"):add(PORT, ndp)

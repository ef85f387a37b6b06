-- Wireshark dissector for ATP as Polyplane puts it on the wire (docs/transports/atp.md).
--
--   wireshark -X lua_script:polyplane-atp.lua capture.pcapng
--
-- or put it into Wireshark's folder of personal Lua plugins (Help, About Wireshark, Folders).
-- Filters: polyplane_atp.flags.resend shows what is sent again; polyplane_atp.job, polyplane_atp.sequence, and so on.

local HEADER = 16
local FURTHER = 16
local PORT = 0xA7F0

local OVERFLOW, RESEND, COLLISION, ECN, EDGE, ACK = 0x20, 0x10, 0x08, 0x04, 0x02, 0x01

local atp = Proto("polyplane_atp", "ATP (Polyplane)")
local f = {
  bitmap0 = ProtoField.uint32("polyplane_atp.bitmap0", "Workers at the first edge switch", base.HEX),
  rehashed = ProtoField.uint32("polyplane_atp.rehashed", "Aggregator to use instead", base.DEC),
  bitmap1 = ProtoField.uint32("polyplane_atp.bitmap1", "Switches and workers at the second edge switch", base.HEX),
  fan_in0 = ProtoField.uint16("polyplane_atp.fan_in0", "Fan-in degree of the first edge switch (0: 32)", base.DEC, nil, 0xF800),
  fan_in1 = ProtoField.uint16("polyplane_atp.fan_in1", "Fan-in degree of the second edge switch (0: 32)", base.DEC, nil, 0x07C0),
  overflow = ProtoField.bool("polyplane_atp.flags.overflow", "Overflow (original values, not for switches)", 16, nil, OVERFLOW),
  resend = ProtoField.bool("polyplane_atp.flags.resend", "Resend", 16, nil, RESEND),
  collision = ProtoField.bool("polyplane_atp.flags.collision", "Collision", 16, nil, COLLISION),
  ecn = ProtoField.bool("polyplane_atp.flags.ecn", "ECN", 16, nil, ECN),
  edge = ProtoField.bool("polyplane_atp.flags.edge", "Past the first edge switch", 16, nil, EDGE),
  ack = ProtoField.bool("polyplane_atp.flags.ack", "Parameter packet", 16, nil, ACK),
  job = ProtoField.uint8("polyplane_atp.job", "Job", base.DEC),
  sequence = ProtoField.uint24("polyplane_atp.sequence", "Sequence number", base.DEC),
  aggregator = ProtoField.uint16("polyplane_atp.aggregator", "Aggregator", base.DEC),
  bitmap2 = ProtoField.uint32("polyplane_atp.bitmap2", "Switches and workers at the third level", base.HEX),
  bitmap3 = ProtoField.uint32("polyplane_atp.bitmap3", "Switches and workers at the fourth level", base.HEX),
  bitmap4 = ProtoField.uint32("polyplane_atp.bitmap4", "Switches and workers at the fifth level", base.HEX),
  level = ProtoField.uint32("polyplane_atp.level", "On its way to the level (from 0 on)", base.DEC, nil, 0xE0000000),
  fan_in2 = ProtoField.uint32("polyplane_atp.fan_in2", "Fan-in degree of the third level (0: 32)", base.DEC, nil, 0x00007C00),
  fan_in3 = ProtoField.uint32("polyplane_atp.fan_in3", "Fan-in degree of the fourth level (0: 32)", base.DEC, nil, 0x000003E0),
  fan_in4 = ProtoField.uint32("polyplane_atp.fan_in4", "Fan-in degree of the fifth level (0: 32)", base.DEC, nil, 0x0000001F),
  value = ProtoField.int32("polyplane_atp.value", "Value", base.DEC),
}
atp.fields = f

local cut = ProtoExpert.new("polyplane_atp.cut", "The header of ATP is cut", expert.group.MALFORMED, expert.severity.ERROR)
local other = ProtoExpert.new("polyplane_atp.length", "No length of ATP's (62 or 31 values)", expert.group.PROTOCOL, expert.severity.WARN)
atp.experts = { cut, other }

local function has(flags, flag)
  return math.floor(flags / flag) % 2 == 1
end

function atp.dissector(buffer, pinfo, tree)
  pinfo.cols.protocol = "ATP"
  local branch = tree:add(atp, buffer())
  if buffer:len() < HEADER then
    branch:add_proto_expert_info(cut)
    return
  end
  local flags = buffer(8, 2):uint()
  local is_ack = has(flags, ACK)
  branch:add(is_ack and has(flags, COLLISION) and f.rehashed or f.bitmap0, buffer(0, 4))
  branch:add(f.bitmap1, buffer(4, 4))
  branch:add(f.fan_in0, buffer(8, 2))
  branch:add(f.fan_in1, buffer(8, 2))
  for _, flag in ipairs({ f.overflow, f.resend, f.collision, f.ecn, f.edge, f.ack }) do
    branch:add(flag, buffer(8, 2))
  end
  branch:add(f.job, buffer(10, 1))
  branch:add(f.sequence, buffer(11, 3))
  branch:add(f.aggregator, buffer(14, 2))
  -- Packets of jobs with more than two levels are longer by the fields of the further ones (appendix A.2).
  local length = buffer:reported_len()
  local has_further = length == HEADER + FURTHER + 4 * 62 or length == HEADER + FURTHER + 4 * 31
  local start = HEADER
  if has_further and buffer:len() >= HEADER + FURTHER then
    branch:add(f.bitmap2, buffer(HEADER, 4))
    branch:add(f.bitmap3, buffer(HEADER + 4, 4))
    branch:add(f.bitmap4, buffer(HEADER + 8, 4))
    for _, field in ipairs({ f.level, f.fan_in2, f.fan_in3, f.fan_in4 }) do
      branch:add(field, buffer(HEADER + 12, 4))
    end
    start = HEADER + FURTHER
  end
  local values = math.floor((buffer:len() - start) / 4)
  local list = branch:add(atp, buffer(start), "Values: " .. values)
  for at = 0, values - 1 do
    list:add(f.value, buffer(start + 4 * at, 4))
  end
  if not has_further and length ~= HEADER + 4 * 62 and length ~= HEADER + 4 * 31 then
    branch:add_proto_expert_info(other)
  end

  local kind = is_ack and "Parameters" or "Gradients"
  if is_ack and has(flags, RESEND) then
    kind = has(flags, OVERFLOW) and "Begin" or "Request to resend"
  elseif is_ack and has(flags, OVERFLOW) then
    kind = "Request for originals"
  end
  local text = kind .. " job " .. buffer(10, 1):uint() .. " sequence " .. buffer(11, 3):uint()
  local names = { { "OVERFLOW", OVERFLOW }, { "RESEND", RESEND }, { "COLLISION", COLLISION }, { "ECN", ECN }, { "EDGE", EDGE } }
  for _, flag in ipairs(names) do
    if has(flags, flag[2]) then text = text .. " " .. flag[1] end
  end
  branch:append_text(", " .. text)
  pinfo.cols.info = text
end

DissectorTable.get("udp.port"):add(PORT, atp)

-- Wireshark dissector for SwitchML as its public program has it on the wire (docs/transports/switchml.md).
--
--   wireshark -X lua_script:polyplane-switchml.lua capture.pcapng
--
-- or put it into Wireshark's folder of personal Lua plugins (Help, About Wireshark, Folders).
-- Filters: polyplane_switchml.kind == 1 shows results; polyplane_switchml.job, polyplane_switchml.slot, and so on.

local HEADER = 10
local FIRST_PORT = 0xBEE0

local switchml = Proto("polyplane_switchml", "SwitchML (Polyplane)")
local KINDS = { [0] = "Contribution", [1] = "Result" }
local SIZES = { [0] = "32", [1] = "64", [2] = "128", [3] = "256" }
local f = {
  kind = ProtoField.uint8("polyplane_switchml.kind", "Kind", base.DEC, KINDS, 0xF0),
  size = ProtoField.uint8("polyplane_switchml.size", "Values", base.DEC, SIZES, 0x07),
  job = ProtoField.uint8("polyplane_switchml.job", "Job", base.DEC),
  part = ProtoField.uint32("polyplane_switchml.part", "Part", base.DEC),
  set = ProtoField.uint16("polyplane_switchml.set", "Set", base.DEC, nil, 0x8000),
  slot = ProtoField.uint16("polyplane_switchml.slot", "Slot", base.DEC, nil, 0x3FFF),
  exponent0 = ProtoField.int8("polyplane_switchml.exponent0", "First exponent", base.DEC),
  exponent1 = ProtoField.int8("polyplane_switchml.exponent1", "Second exponent", base.DEC),
  value = ProtoField.int32("polyplane_switchml.value", "Value", base.DEC),
}
switchml.fields = f

local cut = ProtoExpert.new("polyplane_switchml.cut", "The header of SwitchML is cut", expert.group.MALFORMED, expert.severity.ERROR)
switchml.experts = { cut }

function switchml.dissector(buffer, pinfo, tree)
  pinfo.cols.protocol = "SwitchML"
  local branch = tree:add(switchml, buffer())
  if buffer:len() < HEADER then
    branch:add_proto_expert_info(cut)
    return
  end
  branch:add(f.kind, buffer(0, 1))
  branch:add(f.size, buffer(0, 1))
  branch:add(f.job, buffer(1, 1))
  branch:add(f.part, buffer(2, 4))
  branch:add(f.set, buffer(6, 2))
  branch:add(f.slot, buffer(6, 2))
  branch:add(f.exponent0, buffer(8, 1))
  branch:add(f.exponent1, buffer(9, 1))
  local values = math.floor((buffer:len() - HEADER) / 4)
  local list = branch:add(switchml, buffer(HEADER), "Values: " .. values)
  for at = 0, values - 1 do
    list:add(f.value, buffer(HEADER + 4 * at, 4))
  end
  local kind = KINDS[math.floor(buffer(0, 1):uint() / 16)] or "Unknown kind"
  local text = kind .. " job " .. buffer(1, 1):uint() .. " part " .. buffer(2, 4):uint()
  branch:append_text(", " .. text)
  pinfo.cols.info = text
end

for port = FIRST_PORT, FIRST_PORT + 15 do
  DissectorTable.get("udp.port"):add(port, switchml)
end

"""The message `p4.tmp.P4DeviceConfig`, in which the tutorials' controllers wrap a program. No package of PyPI has it.

scripts/conformance-lab.sh puts this file where the controllers import it from: `p4.tmp.p4config_pb2`.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_file = descriptor_pb2.FileDescriptorProto(name="p4/tmp/p4config.proto", package="p4.tmp", syntax="proto3")
_message = _file.message_type.add(name="P4DeviceConfig")
_field = descriptor_pb2.FieldDescriptorProto
for _name, _number, _type in (("reassign", 1, _field.TYPE_BOOL), ("device_data", 3, _field.TYPE_BYTES)):
    _message.field.add(name=_name, number=_number, type=_type, label=_field.LABEL_OPTIONAL)
_descriptor = descriptor_pool.Default().Add(_file) or descriptor_pool.Default().FindFileByName(_file.name)
_descriptor = _descriptor.message_types_by_name["P4DeviceConfig"]
if hasattr(message_factory, "GetMessageClass"):
    P4DeviceConfig = message_factory.GetMessageClass(_descriptor)
else:
    P4DeviceConfig = message_factory.MessageFactory().GetPrototype(_descriptor)

"""The protobuf messages of the Lance format, as message classes.

They are made from `lance.pb` (the compiled `protos/` of this project) in a descriptor pool of their own: no generated
code that is tied to one protobuf release, and no clash with another package that brings the same messages.
"""

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from sparklance import _resources

__all__ = [
    "ArrayEncoding",
    "ColumnEncoding",
    "ColumnMetadata",
    "DataFragment",
    "DeletionFile",
    "Encoding",
    "Field",
    "FileDescriptor",
    "IndexSection",
    "Manifest",
    "PageLayout",
    "RowIdSequence",
    "Schema",
    "Transaction",
    "message_class",
]


def _load() -> DescriptorPool:
    path = _resources.folder("proto").joinpath("lance.pb")
    if not path.is_file():
        raise FileNotFoundError(
            f"sparklance cannot read Lance's messages: {path} is missing, as in a checkout that was never built. "
            "Run './dev build' there, or install the package with 'pip install .'."
        )
    pool = DescriptorPool()
    for file in FileDescriptorSet.FromString(path.read_bytes()).file:
        pool.Add(file)
    return pool


_pool = _load()


def message_class(name: str) -> type[Message]:
    """The class of a message by its full name, for instance `lance.table.Manifest`."""
    return GetMessageClass(_pool.FindMessageTypeByName(name))


# The table.
Manifest = message_class("lance.table.Manifest")
DataFragment = message_class("lance.table.DataFragment")
DeletionFile = message_class("lance.table.DeletionFile")
IndexSection = message_class("lance.table.IndexSection")
RowIdSequence = message_class("lance.table.RowIdSequence")
Transaction = message_class("lance.table.Transaction")

# The data file.
FileDescriptor = message_class("lance.file.FileDescriptor")
Schema = message_class("lance.file.Schema")
Field = message_class("lance.file.Field")
ColumnMetadata = message_class("lance.file.v2.ColumnMetadata")
Encoding = message_class("lance.file.v2.Encoding")

# The encodings: of file version 2.1 and later, and of 2.0.
PageLayout = message_class("lance.encodings21.PageLayout")
ArrayEncoding = message_class("lance.encodings.ArrayEncoding")
ColumnEncoding = message_class("lance.encodings.ColumnEncoding")

"""Lance tables in Apache Spark: see `configure` for the first line of a program, and `LanceDataset` for a table."""

from sparklance import _resources
from sparklance.dataset import LanceDataset
from sparklance.fragments import write_fragments, write_transaction
from sparklance.names import deregister_table, register_table
from sparklance.operations import LanceOperation, Transaction
from sparklance.session import configure

__all__ = [
    "LanceDataset",
    "LanceOperation",
    "Transaction",
    "__version__",
    "configure",
    "deregister_table",
    "register_table",
    "write_fragments",
    "write_transaction",
]

__version__ = _resources.version()

"""The sensitive input: reading tables and encoding them against the declared domain."""

from discreet.data.declare import declare
from discreet.data.encoding import Codes, code_batches
from discreet.data.engines import spark_table, sql_table
from discreet.data.misfits import misfits
from discreet.data.source import estimated_rows
from discreet.data.table_files import Csv, Excel

__all__ = ["Codes", "Csv", "Excel", "code_batches", "declare", "estimated_rows", "misfits", "spark_table", "sql_table"]

"""The sensitive input: reading tables and encoding them against the declared domain."""

from discreet.data.encoding import Codes, code_batches

__all__ = ["Codes", "code_batches"]

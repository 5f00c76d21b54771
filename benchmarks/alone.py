"""Works that are measured in a process of their own: ``python -m benchmarks.alone CONTENDER FILE NETWORK``."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from functools import partial
from importlib import import_module
from pathlib import Path

import discreet as dc
from discreet.counts import family_counts

from .files import DECODES
from .timing import peak_megabytes, seconds


def main(contender: str, file: str, network_file: str) -> None:
    """Time a release, decoding or counting alone, without imports and the reading of the network, and take the memory."""
    from .releases import MECHANISMS, release_to_file

    import_module("polars")  # before the clock starts
    network = dc.read_network(network_file)
    with tempfile.TemporaryDirectory() as folder:
        counting = partial(family_counts, file, network)
        release = partial(release_to_file, Path(file), network, Path(folder), contender)
        decodes = {name: partial(decode, Path(file)) for name, decode in DECODES.items()}
        work = (dict.fromkeys(MECHANISMS, release) | decodes).get(contender, counting)
        before = time.process_time()
        taken = seconds(work)
        processor = time.process_time() - before
    print(json.dumps({"milliseconds": taken * 1e3, "megabytes": peak_megabytes(), "processor": processor * 1e3}))


if __name__ == "__main__":
    main(*sys.argv[1:])

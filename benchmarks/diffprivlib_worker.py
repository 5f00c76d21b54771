"""Fit diffprivlib's regression to the records in a file; runs in an environment of its own (see ``regression.py``)."""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from diffprivlib.models import LinearRegression

warnings.simplefilter("ignore")
task = np.load(sys.argv[1])
low, high = task["bounds"].T
features = np.clip(task["features"], low[:-1], high[:-1])
target = np.clip(task["target"], low[-1], high[-1])
found = {}
for epsilon in sys.argv[3:]:
    line = LinearRegression(epsilon=float(epsilon), bounds_X=(low[:-1], high[:-1]), bounds_y=(low[-1], high[-1]))
    line.fit(features, target)
    found[epsilon] = [float(line.intercept_), *np.ravel(line.coef_).tolist()]
Path(sys.argv[2]).write_text(json.dumps(found), encoding="utf-8")

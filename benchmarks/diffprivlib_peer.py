"""diffprivlib's Gaussian naive Bayes, in an interpreter of its own: it needs an older scikit-learn than the other peers.

As a script it reads level numbers from a file and writes the probabilities of the test records beside it.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def gaussian_naive_bayes(task, epsilon, seed):
    """Probabilities of the levels of the target, or None where the library is not at hand. Bounds are the declared levels."""
    interpreter = os.environ.get("DIFFPRIVLIB_PYTHON")
    if not interpreter:
        return None
    features = [node for node in task.network.nodes if node != task.target]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "task.npz"
        np.savez(
            file,
            train=np.stack([task.codes(task.train, node) for node in features], axis=1),
            test=np.stack([task.codes(task.test, node) for node in features], axis=1),
            labels=task.codes(task.train, task.target),
            upper=np.array([task.network.variable(node).size - 1 for node in features]),
            levels=task.network.variable(task.target).size,
            epsilon=float(epsilon),
            seed=seed,
        )
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        subprocess.run([interpreter, __file__, str(file)], check=True, env=clean)
        return np.load(file.with_suffix(".npy"))


def _fit(file):
    import warnings

    from diffprivlib.models import GaussianNB

    warnings.simplefilter("ignore")
    task = np.load(file)
    bounds = (np.zeros(len(task["upper"])), task["upper"].astype(float))
    model = GaussianNB(epsilon=float(task["epsilon"]), bounds=bounds, random_state=int(task["seed"]))
    model.fit(task["train"].astype(float), task["labels"])
    found = np.zeros((len(task["test"]), int(task["levels"])))
    found[:, model.classes_] = model.predict_proba(task["test"].astype(float))
    np.save(Path(file).with_suffix(".npy"), np.nan_to_num(found, nan=1 / found.shape[1]))


if __name__ == "__main__":
    _fit(sys.argv[1])

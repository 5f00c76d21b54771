"""diffprivlib's Gaussian naive Bayes, in an interpreter of its own: it needs an older scikit-learn than the other peers.

As a script it reads names of files, one to a line, each with the level numbers of a task, and writes the probabilities of the
test records beside it.
"""

import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

PEER = Path(__file__).parent / ".venv-diffprivlib" / "bin" / "python"


def gaussian_naive_bayes(task, epsilon, seed):
    """Probabilities of the levels of the target, or None where the library is not at hand. Bounds are the declared levels."""
    if not PEER.exists():
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
        worker = _worker()
        print(file, file=worker.stdin, flush=True)
        if not worker.stdout.readline():
            raise RuntimeError("diffprivlib ended before its time; its message is above.")
        return np.load(file.with_suffix(".npy"))


@lru_cache(maxsize=1)
def _worker():
    """Started once: loading the library takes longer than fitting. It ends when this process does, with its input."""
    return subprocess.Popen([str(PEER), "-E", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _fit(file):
    from diffprivlib.models import GaussianNB

    task = np.load(file)
    bounds = (np.zeros(len(task["upper"])), task["upper"].astype(float))
    model = GaussianNB(epsilon=float(task["epsilon"]), bounds=bounds, random_state=int(task["seed"]))
    model.fit(task["train"].astype(float), task["labels"])
    found = np.zeros((len(task["test"]), int(task["levels"])))
    found[:, model.classes_] = model.predict_proba(task["test"].astype(float))
    np.save(Path(file).with_suffix(".npy"), np.nan_to_num(found, nan=1 / found.shape[1]))


def _serve():
    import warnings

    warnings.simplefilter("ignore")
    for line in sys.stdin:
        _fit(line.strip())
        print("done", flush=True)


if __name__ == "__main__":
    _serve()

"""The map of the paper is complete and leads to code and tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAP = ROOT / "docs" / "paper-map.md"
VERDICTS = {"holds", "sharpened", "corrected", "rejected"}
ITEMS = [
    "Definition 1",
    "Example 1",
    *(f"Algorithm {number}" for number in (1, 2, 3)),
    *(f"Lemma {number}" for number in (1, 2, 3, 4)),
    "Proposition 1",
    *(f"Theorem {number}" for number in (1, 2, 3, 4)),
    *(f"Corollary {number}" for number in (1, 2, 3, 4)),
    "Remark 1",
    "Assumption 1",
    "Assumption 2",
    *(f"Lemma A.{number}" for number in (1, 2, 3, 4)),
    "Lemma D.1",
]


def rows(text):
    """The cells of every table row but headings."""
    found = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in text.splitlines() if line.startswith("| ")
    ]
    return [cells for cells in found if cells[0] != "item"]


def missing_items(text):
    named = " ".join(cells[0] for cells in rows(text))
    return [item for item in ITEMS if not re.search(rf"\b{re.escape(item)}(?![\d.]*\d)", named)]


def dead_ends(text):
    """Verdicts that are no verdicts, and files or tests that do not exist."""
    wrong = [cells[0] for cells in rows(text) if cells[1] not in VERDICTS]
    for cells in rows(text):
        names = re.findall(r"`([\w./]+?)(?:::\w+)?`", " ".join(cells[3:]))
        wrong += [name for name in names if not any((base / name).exists() for base in (ROOT, ROOT / "src" / "discreet"))]
    return wrong


def test_every_numbered_item_of_the_paper_has_a_row():
    assert missing_items(MAP.read_text(encoding="utf-8")) == []


def test_every_row_has_a_verdict_and_leads_to_what_exists():
    assert dead_ends(MAP.read_text(encoding="utf-8")) == []


def test_a_missing_row_a_wrong_verdict_and_a_missing_file_are_noticed():
    text = MAP.read_text(encoding="utf-8")
    without = "\n".join(line for line in text.splitlines() if not line.startswith("| Theorem 2"))
    assert missing_items(without) == ["Theorem 2"]
    assert dead_ends("| Theorem 2 | perhaps | x | `mechanisms/nothing.py` | `tests/nowhere.py` |") == [
        "Theorem 2",
        "mechanisms/nothing.py",
        "tests/nowhere.py",
    ]

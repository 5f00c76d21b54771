"""The pages of proofs: every claim of the source under its theme, with its proof, what it requires and its tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby

from website.claims import Claim, Test, find_claims
from website.markdown import join_lines, plain

__all__ = ["THEMES", "claims_of", "count_claims", "write_theme"]

# Pages of docs/proofs and what they are about: beginnings of paths. A claim is on the first page that has one of its own.
THEMES = {
    "counting": ("counts/",),
    "noise": ("kernel/noise/", "kernel/draws/", "kernel/exact.py", "kernel/digits.py", "kernel/bits.py"),
    "ledger": ("kernel/",),
    "strategies": ("measure/",),
    "mechanisms": ("mechanisms/", "learning/"),
    "theorems": ("theorems/",),
    "planning": ("",),
}
_PAPER, _STATEMENTS = "Paper, ", "GUARANTEES "
_NUMBER = re.compile(r"\d+(?:\.\d+)?b?")


def write_theme(page: str) -> str:
    """The claims of a page as Markdown, file by file."""
    return "\n".join(_write_files(claims_of(page)))


def claims_of(page: str) -> list[Claim]:
    """The claims of one page, in the order of the beginnings of its paths."""
    claims = [claim for claim in _all_claims() if _page(claim) == page]
    return sorted(claims, key=lambda claim: [claim.file.startswith(beginning) for beginning in THEMES[page]], reverse=True)


def count_claims() -> str:
    """How many claims, proofs and tests there are, in a sentence."""
    claims = _all_claims()
    tests = {test.name for claim in claims for test in claim.tests if test.code}
    proofs = sum(1 for claim in claims if claim.proof)
    said = f"There are {len(claims)} claims in the source, {proofs} of them with a proof written out"
    return f"{said}, and {len(tests)} tests behind them."


@cache
def _all_claims() -> tuple[Claim, ...]:
    return tuple(find_claims())


def _page(claim: Claim) -> str:
    return next(page for page, beginnings in THEMES.items() if claim.file.startswith(beginnings))


def _write_files(claims: Iterable[Claim]) -> Iterator[str]:
    for file, inside in groupby(claims, lambda claim: claim.file):
        yield f"## `{file}`\n"
        for claim in inside:
            yield from _write_claim(claim)


def _write_claim(claim: Claim) -> Iterator[str]:
    yield f"### `{claim.name}`\n" if claim.name else "### The whole file\n"
    yield from (f"{plain(join_lines(paragraph))}\n" for paragraph in claim.about.split("\n\n"))
    parts = {"Claim": claim.claim, "Proof": claim.proof, "Requires": claim.requires}
    for heading, text in parts.items():
        if text:
            yield f"{heading}\n: {plain(text)}\n"
    if claim.sources:
        yield f"Source\n: {'; '.join(_write_source(work) for work in claim.sources)}\n"
    yield f"Checked by\n: {len(claim.tests)} {'test' if len(claim.tests) == 1 else 'tests'}\n"
    for test in claim.tests:
        yield from _write_test(test)


def _write_source(work: str) -> str:
    """A work; what is the paper's leads to its row of the map, and a numbered statement to its place among them."""
    if work.startswith(_STATEMENTS):
        numbers, colon, remark = work.removeprefix(_STATEMENTS).partition(":")
        return f"statement {_NUMBER.sub(_write_number, numbers)}{colon}{plain(remark)}"
    return f"[{plain(work)}](../paper-map.md)" if work.startswith(_PAPER) else plain(work)


def _write_number(found: re.Match[str]) -> str:
    return f"[{found[0]}](../guarantees.md#statement-{found[0].replace('.', '-')})"


def _write_test(test: Test) -> Iterator[str]:
    """A test that opens to its code, or the name of a whole file of them."""
    if test.code is None:
        yield f'<p class="test-file"><code>{test.name}</code></p>\n'
        return
    file, _, name = test.name.partition("::")
    yield f'<details class="test"><summary><code>{name}</code> <span>{file}</span></summary>\n'
    yield f"```python\n{test.code}\n```\n"
    yield "</details>\n"

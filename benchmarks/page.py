"""The page docs/performance.md: words from here, every number from the results of a run."""

from __future__ import annotations

from .results import OURS, Goal, Kind, Results, Row

__all__ = ["TITLES", "page", "table"]

TITLES = {
    "counting": "Counting the families of ALARM in memory",
    "counting_networks": "Counting the families of other networks in memory",
    "naive_bayes": "Counts of naive Bayes in memory",
    "files": "Counting from files",
    "scans": "Counting inside an engine",
    "releases": "A whole release, file to file",
    "planning": "Plans, and releases that are planned",
    "ledger": "Charges in a long ledger",
    "noise": "Exact noise",
    "queries": "Exact queries",
    "answers": "First answers, and later ones",
}

_WORDS = {
    "counting": """\
Records drawn from ALARM, a network that pgmpy ships, one byte per value, in memory. `discreet` is the bare counter, in a
process that has counted this network before; beside it the first count, which plans anew, and what users call:
`family_counts` of a data frame, which also checks every value. Reading the bytes once, eight at a time, on one core, is the
limit: no counter on one core can beat it. discreet divides long tables between the cores, so look at the time of the processor
as well. The plain way makes a number of 64 bits for each record and family, and counts the numbers with NumPy's bincount.
pyAgrum has loaded its database before the clock starts, and the same learner learns in every turn; pgmpy and mbi get columns
in the form that they hold them. pyAgrum and pgmpy also turn counts into probabilities. They stop at a million rows because the
run would take too long otherwise.""",
    "counting_networks": """\
A million records drawn from each of the networks, which pgmpy ships, and from networks with random edges between columns of
random values; one byte per value, in memory. Compared with the limit and with the plain way, as above.""",
    "naive_bayes": """\
A label and sixteen features, all binary, one byte per value. BernoulliNB gets its best input: floating point numbers that are
0 and 1 already (`binarize=None`), so that it has nothing to convert. It is a matrix product, for which the default number of
threads can be far slower than one on a machine with few cores, so it is measured both ways and both carry the goal.""",
    "files": """\
The same records in files. Against it: Polars decoding the file and doing nothing with it, in three ways, of which the one that
discreet compares worst with carries the goal. First again and again in one process, whose memory Polars keeps and uses again;
then once in a fresh process, imports left out, as a command is used. Peak memory is a fresh process's, libraries included.

Where the time goes for a million rows of ALARM, in milliseconds of the processor on a busy machine: integer codes take 50 to
decode, 9 to check and 25 to count. Texts take 70 to decode, however they are read: in a stream, in ranges of rows, or whole.
Comparing every value with every level of its column takes Polars 118, and making codes of that 40 more. An Enum takes 440, a
dictionary 740; longer batches save a tenth, shorter ones cost more. So no way that Polars has gets texts to 2.5 times the
decoding. A compiled kernel that looks at each text once was 1.4 times as fast as all this together. It would need a wheel for
each platform, which is too much for that.""",
    "scans": """\
DuckDB on two threads counts, and only counts come back. Against it: the same library made to send one statement for each group
of families, as engines without GROUPING SETS get it. How often the table is read is what DuckDB's plans say.""",
    "releases": """\
Everything that `release` and `save` do: reading, counting, the choice of the mechanism, the charge in a ledger on disk, the
noise and the JSON file. `discreet` is what people get who name no mechanism: `dc.Auto`. Beside it `dc.Laplace`, which has
nothing to choose and the least to compute. The records of alarm, diabetes and munin, the last two the largest networks that
pgmpy ships, are drawn from the networks themselves. A fresh process has not planned the counting of its network before, nor
its noise; in the other cases this has been done, as where one releases again and again.""",
    "planning": """\
`dc.plan` in a fresh process, imports left out; releases from counts by `dc.Auto` when the same public facts have been planned
before, against the mechanism that it chooses; and the K-norm release of the largest tables, whose noise is exact. Times are
those of the processor, of 10,000 records at epsilon 1. A beat is what one core takes to draw 1e8 standard normal numbers with
NumPy, measured in the same process. A plan is made once, a release three times. The rows of commit cbd401b are
figures that were noted then, on a busy machine and perhaps with imports. They were not measured again, so ratios to them are
rough, and larger than what was gained.""",
    "ledger": """\
A charge in a ledger that holds 100,000 charges already, against one in shorter ledgers. The files lie in memory, where the
system has such a folder, as waiting for a disk would hide what grows. The tiny release is of four records of one variable.""",
    "noise": """\
Draws of the discrete Laplace law, exact in both libraries: no floating point decides a draw.""",
    "queries": """\
One node's distribution given the levels of others, exact in all libraries, at fixed probabilities. A credible interval repeats
the query for 1,000 draws of the parameters. They come from the posterior that knows the noise, `dc.load(file).posterior`,
whose Markov chains run when the first question is asked: that one, with reading the file, is the row `discreet`. A Dirichlet
posterior, which is what counts without noise would give, needs no chain; it is there to tell what the chains cost.""",
    "answers": """\
`dc.load(file).posterior.query(node)` with its interval in a fresh process, imports left out, of 20,000 records released by
`dc.Auto` at epsilon 1: the Markov chains of the question run, and go on where they do not agree. R-hat is the worst of
those of answers to questions about five nodes. A beat is what one core takes to draw 1e8 standard normal numbers with NumPy,
in the same process. The rows of commit cbd401b are seconds of the processor, measured once with a release of its own on the
same machine: its chains were others, for a prior that learns nothing, and for each family by itself. What they were for link,
munin and diabetes was noted then, of 10,000 records.

Then the same question by the command in fresh processes, when what the chains found is in the cache. It may take twice as long
as its help and, once, `dc.load(file).posterior` in a process that has imported nothing but discreet.""",
}


def page(results: Results) -> str:
    """The whole page."""
    goals = [(row, row.goal.met(row, results.ours(row))) for row in results.rows if row.goal is not None]
    met = sum(outcome is True for _, outcome in goals)
    missed = [f"{row.case}, {row.contender}" for row, outcome in goals if outcome is False]
    open_goals = sum(outcome is None for _, outcome in goals)
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    uneven = sum(row.uneven for row in results.rows)
    lines = [
        "# Performance",
        "",
        "`make bench` measured these numbers and wrote this page; change `benchmarks/`, not the page. The contenders in a",
        "case take turns, at least five each, of two calls, of which the second is timed: nobody pays for what the one before",
        "left in the caches. `ms` is the median turn, beside it the fastest, and in some tables the time of the processor,",
        "all threads together, in its best turn. What discreet takes is compared by medians, by fastest turns and by the time",
        "of the processor, where it was taken; the page shows, and holds against the goals, what is worst for discreet.",
        "",
        f"Machine: {results.machine}. Versions: {versions}.",
        "",
        f"Goals met: {met} of {len(goals)}."
        + (f" Not met: {'; '.join(missed)}." if missed else "")
        + (f" Not measured: {open_goals}." if open_goals else ""),
        "",
        f"Rows marked ~, whose median turn took over 1.5 times the fastest: {uneven}.",
    ]
    for benchmark, title in TITLES.items():
        rows = [row for row in results.rows if row.benchmark == benchmark]
        if rows:
            apart = ["", results.apart[benchmark]] if benchmark in results.apart else []
            lines += ["", f"## {title}", "", _WORDS[benchmark], *apart, "", *table(rows, results)]
    return "\n".join(lines) + "\n"


def table(rows: list[Row], results: Results, *, aligned: bool = False) -> list[str]:
    """A Markdown table of the rows of one benchmark, ``aligned`` for a terminal.

    Processor, memory and other values have a column only where some row has them.
    """
    valued = any(row.value is not None for row in rows)
    memory = any(row.megabytes is not None for row in rows)
    processor = any(row.processor is not None for row in rows)
    more = ["processor"] * processor + ["peak MB"] * memory + ["value"] * valued
    head = ["case", "contender", "ms", "fastest", *more, "discreet takes", "goal", "met"]
    lines = [head, ["---"] * len(head)]
    before = None
    for row in rows:
        cells = [
            row.case if row.case != before else "",
            row.contender,
            _number(row.milliseconds) + " ~" * row.uneven,
            _number(row.fastest),
        ]
        cells += [_number(row.processor)] * processor + [_number(row.megabytes)] * memory
        cells += ["" if row.value is None else f"{row.value:.4g}"] * valued
        lines.append([*cells, _compared(row, results.ours(row)), _goal(row.goal), _met(row, results)])
        before = row.case
    widths = [max(map(len, column)) if aligned else 0 for column in zip(*lines, strict=True)]
    return ["| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |" for cells in lines]


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _compared(row: Row, ours: Row | None) -> str:
    if row.reason:
        return f"not measured: {row.reason}"
    ratio = row.ratio(ours)
    if row.contender == OURS or ratio is None:
        return ""
    faster = ratio < 1 if row.goal is None else row.goal.kind is Kind.FASTER
    return f"1/{_number(1 / ratio)} of it" if faster else f"{_number(ratio)} times it"


def _goal(goal: Goal | None) -> str:
    if goal is None:
        return ""
    if goal.kind is Kind.MEGABYTES:
        return f"below {_number(goal.value)} MB"
    if goal.kind is Kind.AT_MOST:
        return f"at most {_number(goal.value)}"
    return f"at most {_number(goal.value)} times" if goal.kind is Kind.SLOWER else f"at most 1/{_number(goal.value)}"


def _met(row: Row, results: Results) -> str:
    outcome = row.goal.met(row, results.ours(row)) if row.goal is not None else None
    return {True: "yes", False: "**no**", None: ""}[outcome]

"""`discreet plan`: what a release would cost and how wrong it would be, by every mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.declared import SchemaOption, TargetOption, read_declared
from discreet.cli.files import check_output
from discreet.cli.options import AsJson, Dataset, Force, ModelOption, NetworkFile, OptionalEpsilon, PlanDelta, whole
from discreet.cli.questions import split_question
from discreet.cli.render import note, print_json, print_lines, print_table
from discreet.output_file import write_atomically

if TYPE_CHECKING:
    from discreet.kernel.ledger import Ledger
    from discreet.model.network import Network
    from discreet.planning.learning_plan import LearningPlan
    from discreet.planning.plan import Plans

__all__ = ["plan"]


def plan(
    rows: Annotated[int, typer.Option("--rows", metavar="N", parser=whole(1), help="Public number of records.")],
    network: NetworkFile = None,
    model: ModelOption = None,
    schema: SchemaOption = None,
    target: TargetOption = None,
    epsilon: OptionalEpsilon = None,
    delta: PlanDelta = None,
    question: Annotated[
        str | None,
        typer.Option("--question", metavar="WORDS", help="Find what it takes to answer 'lung given smoke=yes, age=old'."),
    ] = None,
    width: Annotated[
        float | None, typer.Option("--width", metavar="W", help="How wide its 90 % interval may be, such as 0.05.")
    ] = None,
    learn: Annotated[
        str | None,
        typer.Option(
            "--learn",
            metavar="FORM",
            help="Plan a graph that is to be learned: auto, tree, forest, tan or dag; with --schema.",
        ),
    ] = None,
    parents: Annotated[
        int | None,
        typer.Option("--parents", metavar="K", parser=whole(1), help="With --learn: most parents of a node of a dag."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Write a page with a slider over epsilon instead.")
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option("--ledger", metavar="FILE", help="With --html: say what each epsilon would leave in it.")
    ] = None,
    dataset: Dataset = "default",
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Say what a release would cost and how wrong it would be, without touching any data.

    With --learn, what learning a graph and releasing it would do: which form, what each part costs, what is expected.

    Example: discreet plan clinic.bif --rows 10000 --epsilon 0.5
    """
    import discreet
    from discreet.learned import is_learned
    from discreet.model.convert import as_model

    declared: Any = read_declared(network, model, schema, target, learning=learn is not None)
    if learn is not None:
        _check_alone(question, width, html, ledger)
        given: Any = {"target": target, "learn": learn, "parents": parents}
        _announce(discreet.plan(declared, rows, _given(epsilon), delta, **given), as_json)
        return
    declared = declared.network if is_learned(declared) else declared
    if html is not None:
        _plan_page(declared, network or model or schema, rows, delta, target, question, width, html, ledger, dataset, force)
        return
    if ledger is not None:
        raise typer.BadParameter("What a ledger would have left is shown on the page: add --html.", param_hint="--ledger")
    if question is not None or width is not None:
        _plan_question(as_model(declared, target), rows, epsilon, delta, question, width, as_json)
        return
    _announce(discreet.plan(declared, rows=rows, epsilon=_given(epsilon), delta=delta, target=target), as_json)


def _given(epsilon: str | None) -> str:
    if epsilon is None:
        raise typer.BadParameter("Give the epsilon to plan for, or --question and --width.", param_hint="--epsilon")
    return epsilon


def _check_alone(question: str | None, width: float | None, html: Path | None, ledger: Path | None) -> None:
    """Refuse what is for a graph that is known."""
    if not (question is None and width is None and html is None and ledger is None):
        said = "--question, --width, --html and --ledger are for a graph that is known: leave them out, or leave out --learn."
        raise typer.BadParameter(said, param_hint="--learn")


def _announce(plans: Plans | LearningPlan, as_json: bool) -> None:
    """The table and what is to be said of it, or all of it as JSON."""
    from discreet.planning.learning_plan import LearningPlan

    if as_json:
        print_json(plans.to_dict())
        return
    rows = plans.cells() if isinstance(plans, LearningPlan) else [each.cells() for each in plans]
    print_table("", plans.headings, rows, numbers=len(plans.headings) - 1)
    print_lines(plans.remarks())
    note(plans.legend)


def _network(model: Any) -> Network:
    """The model, if questions can be asked about it."""
    import discreet

    if not isinstance(model, discreet.Network):
        raise typer.BadParameter("A question is for a network; a linear model has none.", param_hint="--question")
    return model


def _open_ledger(path: Path, dataset: str) -> Ledger:
    """A ledger that exists; looking at it makes none."""
    import discreet

    if not path.exists():
        raise typer.BadParameter("There is no such ledger; without it the page is about any budget.", param_hint="--ledger")
    return discreet.Ledger(path, dataset=dataset)


def _plan_page(
    declared: Any,
    file: Path | None,
    rows: int,
    delta: str | None,
    target: str | None,
    question: str | None,
    width: float | None,
    html: Path,
    ledger: Path | None,
    dataset: str,
    force: bool,
) -> None:
    """A page with a slider. What is wrong is found before the plans are made, which takes some seconds."""
    import discreet
    from discreet.model.convert import as_model

    if html.suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter("The name must end in .html or .htm.", param_hint="--html")
    check_output(html, force=force, inputs=() if file is None else (file,))
    asked = None if question is None else split_question(question, _network(as_model(declared, target)))
    budget = None if ledger is None else _open_ledger(ledger, dataset)
    grid = discreet.plan_grid(declared, rows, delta, target=target, question=asked, width=width, ledger=budget)
    write_atomically(html, grid.to_html(file="model" if file is None else file.name))
    note(f"Wrote {str(html)!r}: open it in a browser. It needs no network and sends nothing; no data was touched.")


def _plan_question(
    model: Any,
    rows: int,
    epsilon: str | None,
    delta: str | None,
    question: str | None,
    width: float | None,
    as_json: bool,
) -> None:
    import discreet
    from discreet.progress import progress

    if question is None or width is None:
        raise typer.BadParameter("A question and the width of its interval go together.", param_hint="--question")
    model = _network(model)
    with progress("Planning"):
        found = discreet.plan(model, rows, epsilon, delta, question=split_question(question, model), width=width)
    if as_json:
        print_json(found.to_dict())
        return
    headings, lines = found.table()
    print_table("", headings, lines, numbers=2)
    print_lines(found.remarks())

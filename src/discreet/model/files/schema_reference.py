"""Network files that refer to a schema beside them, instead of listing variables."""

from __future__ import annotations

from pathlib import Path

from discreet.errors import FormatError, ModelError
from discreet.model.files.schema_file import read_schema
from discreet.model.files.strict_json import json_list, json_text
from discreet.model.files.variable_shape import VARIABLE, variable_entries
from discreet.model.variable import LENGTH_LIMIT

__all__ = ["fill_from_schema"]


def fill_from_schema(content: object, folder: Path) -> object:
    """The content of a network file with the variables of the schema that it names; ``nodes`` lists some of its columns.

    The schema is a file in the same folder: a network file from elsewhere must not choose what is read on this machine.
    """
    if not isinstance(content, dict) or "schema" not in content:
        return content
    if "variables" in content:
        raise FormatError("The network lists variables and names a schema, too; keep one of them.")
    name = json_text(content["schema"], "The schema of a network", LENGTH_LIMIT)
    if Path(name).name != name or not name.lower().endswith(".json"):
        raise FormatError("The schema of a network is the name of a .json file in the same folder, such as adult.schema.json.")
    schema = read_schema(folder / name)
    try:
        chosen = json_list(content["nodes"], "The nodes of the network") if "nodes" in content else schema.names
        variables = [VARIABLE.write(variable_entries(variable)) for variable in schema.select(chosen).variables]
    except ModelError as error:
        raise FormatError(str(error)) from None
    rest = {key: value for key, value in content.items() if key not in ("schema", "nodes")}
    return {**rest, "variables": variables}

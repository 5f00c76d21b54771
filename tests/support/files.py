"""Release files: what all of them must do, and forged ones."""

import json
from pathlib import Path

from discreet import load
from discreet.release_file.document import digest, release_to_json
from support.optional import need

SCHEMA = Path(__file__).parents[2] / "docs" / "release.schema.json"


def content_of(release):
    """What a file would hold."""
    return json.loads(json.dumps(release_to_json(release)))


def forged(release, path, change):
    """Write the file of a release after a change, with a digest that fits it."""
    content = content_of(release)
    before = json.dumps(content)
    change(content)
    assert json.dumps(content) != before
    content["digest"] = digest(content)
    path.write_text(json.dumps(content))
    return path


def check_schema(release):
    """The file follows the published schema."""
    need("jsonschema").validate(content_of(release), json.loads(SCHEMA.read_text("utf-8")))


def check_loaded(release, path):
    """What is saved is what is loaded; the loaded one, for a look at its value."""
    release.save(path)
    again = load(path)
    for name in ("guarantee", "neighbours", "mechanism", "caveats", "receipts", "software"):
        assert getattr(again, name) == getattr(release, name)
    return again

"""Write the JSON Schema of release files into the documentation, from the shapes that read and write them."""

from __future__ import annotations

from pathlib import Path

from discreet.release_file.schema import schema_text

SCHEMA = Path(__file__).resolve().parent.parent / "docs" / "release.schema.json"

if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")

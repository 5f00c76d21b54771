"""Check the types of the page's scripts, which stand in comments, with TypeScript.

TypeScript comes from npm, in one fixed version, into a folder of the environment. Where there is no npm the check is left out
and says so, except where everything is required (DISCREET_REQUIRE_ALL).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

TYPESCRIPT = "5.9.3"
ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "src" / "discreet" / "page" / "script"
HOME = Path(sys.prefix) / "typescript" / TYPESCRIPT
OPTIONS = ["--noEmit", "--allowJs", "--checkJs", "--strict", "--noUnusedLocals", "--noUnusedParameters", "--noImplicitReturns",
           "--target", "es2022", "--module", "es2022", "--lib", "es2022,dom,dom.iterable"]  # fmt: skip


def find_compiler(home: Path = HOME) -> Path | None:
    """TypeScript's compiler, installed first if need be; None where there is no npm."""
    compiler = home / "node_modules" / "typescript" / "bin" / "tsc"
    if compiler.exists():
        return compiler
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return None
    home.mkdir(parents=True, exist_ok=True)
    words = ["install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--silent", f"typescript@{TYPESCRIPT}"]
    subprocess.run([npm, *words, "--prefix", str(home)], check=False)
    return compiler if compiler.exists() else None


def check(folder: Path, compiler: Path) -> str:
    """What TypeScript finds wrong with the scripts of a folder; nothing where all is well."""
    files = sorted(map(str, folder.glob("*.js")))
    done = subprocess.run(["node", str(compiler), *OPTIONS, *files], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def main() -> int:
    """Print what is wrong; the exit code says whether anything is."""
    compiler = find_compiler()
    if compiler is None:
        print("scripts: not checked, since there is no npm or it cannot install TypeScript")
        return 1 if os.environ.get("DISCREET_REQUIRE_ALL") else 0
    found = check(SCRIPTS, compiler)
    print(found or "scripts: ok", end="" if found else "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

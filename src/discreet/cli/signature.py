"""`discreet sign` and `discreet verify`: that a release file is the steward's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.options import AsJson, Force, ReleaseFile
from discreet.cli.render import note, print_json, write_text

__all__ = ["sign", "verify"]

SignatureFile = Annotated[
    Path | None, typer.Option("--signature", metavar="SIG", show_default="FILE.sig", help="File of the signature.")
]


def sign(
    file: ReleaseFile,
    key: Annotated[Path, typer.Option("--key", metavar="KEY", help="Private key of SSH, or a public one that an agent has.")],
    signature: SignatureFile = None,
    force: Force = False,
) -> None:
    """Sign a release file with a key of SSH. Costs no privacy budget.

    Example: discreet sign clinic.json --key ~/.ssh/id_ed25519
    """
    import discreet
    from discreet.release_file.signature import signers_line

    made = discreet.sign(file, key, signature, overwrite=force)
    note(f"The signature is in {made}. Publish it with the release file.")
    note("Readers keep a file of signers with this line, which they must not get the way they get the release:")
    write_text(f"{signers_line(made, 'NAME')}\n")


def verify(
    file: ReleaseFile,
    signers: Annotated[Path, typer.Option("--signers", metavar="SIGNERS", help="File with a line for each: NAME KIND KEY.")],
    signer: Annotated[str | None, typer.Option("--signer", metavar="NAME", help="Only this signer counts.")] = None,
    signature: SignatureFile = None,
    as_json: AsJson = False,
) -> None:
    """Check that a file is as a known signer signed it. Exit code 5 where it is not.

    Example: discreet verify clinic.json --signers signers
    """
    import discreet

    found = discreet.verify(file, signers, signer, signature)
    if as_json:
        print_json({"file": str(file), "signer": found.signer, "key": found.key})
    else:
        write_text(f"{file} is as it was signed by {found}.\n")

"""Signatures of release files, made and checked by ``ssh-keygen -Y``, which many people have and which needs no package.

The digest in a release file finds damage; whoever forges a file computes a fitting one. A signature cannot be forged without
the steward's key. Whose key is whose, the reader's own file of signers says: ``man ssh-keygen``, "ALLOWED SIGNERS". Only the
exit code of ``ssh-keygen -Y verify`` decides; all else here finds words for it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from discreet.checks import check_path
from discreet.display import printable
from discreet.errors import FormatError, quoted
from discreet.model.files.strict_json import read_limited
from discreet.output_file import write_atomically
from discreet.release_file.document import load

__all__ = ["Signature", "sign", "signers_line", "verify"]

_NAMESPACE = "discreet"
"""What a key signs with it: a signature that was made for something else does not count."""
_ENDING = ".sig"
_BEGIN, _END = b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----"
_PATIENCE = 120
"""Seconds that a hardware key, which wants to be touched, has."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Who signed a file, and with which key."""

    signer: str
    """The name that the file of signers has for the key."""
    key: str
    """Kind and fingerprint of the key, as ``ssh-keygen -l`` shows it."""

    def __str__(self) -> str:
        return f"{self.signer} ({self.key})"


@dataclass(frozen=True, slots=True)
class _Content:
    """What a file with a signature says, before anybody believes it."""

    public_key: bytes
    namespace: str

    @property
    def kind(self) -> str:
        return _take(self.public_key)[0].decode("ascii", "replace")

    @property
    def fingerprint(self) -> str:
        digest = base64.b64encode(hashlib.sha256(self.public_key).digest()).decode().rstrip("=")
        return f"{self.kind} SHA256:{digest}"


def sign(
    path: str | os.PathLike[str],
    key: str | os.PathLike[str],
    signature: str | os.PathLike[str] | None = None,
    *,
    overwrite: bool = False,
) -> Path:
    """Sign a release file with a key of SSH; the signature is a file beside it, and what it is called is returned.

    ``key`` is the file of a private key, or of the public key of one that an agent holds. The release file stays as it is.
    """
    file, private = Path(check_path(path)), Path(check_path(key)).expanduser()
    target = file.with_name(file.name + _ENDING) if signature is None else Path(check_path(signature))
    if os.path.realpath(target) in (os.path.realpath(file), os.path.realpath(private)):
        raise FormatError(f"The signature would be written over {str(target)!r}. Choose another name for it.")
    content = read_limited(file)
    load(file, progress=False)  # what readers would refuse is not signed
    if not private.is_file():
        raise FormatError(f"There is no key {str(private)!r}. Make one with: ssh-keygen -t ed25519 -f {private}")
    done = _run(["sign", "-f", str(private), "-n", _NAMESPACE], content)
    if done.returncode != 0 or not done.stdout.startswith(_BEGIN):
        raise _unsigned(private, _said(done))
    write_atomically(target, done.stdout, overwrite=overwrite)
    return target


def verify(
    path: str | os.PathLike[str],
    signers: str | os.PathLike[str],
    signer: str | None = None,
    signature: str | os.PathLike[str] | None = None,
) -> Signature:
    """Check that a file is as somebody signed it whom ``signers`` names, and say who; refuse it otherwise.

    ``signers`` is a file of lines such as ``steward@clinic.example ssh-ed25519 AAAA...``; with ``signer`` only that one
    counts. Who signed says nothing about what is in the file: ``load`` checks that.
    """
    file, known = Path(check_path(path)), Path(check_path(signers)).expanduser()
    target = file.with_name(file.name + _ENDING) if signature is None else Path(check_path(signature))
    content = read_limited(file)
    if not target.is_file():
        raise FormatError(f"There is no signature {str(target)!r}. Ask whoever published the file for it.")
    if not known.is_file():
        raise FormatError(f"There is no file of signers {str(known)!r}. It has a line for each: NAME ssh-ed25519 AAAA...")
    found = _read(target)
    for name in _names(target, known) if signer is None else [_checked_name(signer)]:
        words = ["verify", "-f", str(known), "-I", name, "-n", _NAMESPACE, "-s", str(target)]
        if _run(words, content).returncode == 0:
            return Signature(name, found.fingerprint)
    raise _unverified(file, target, known, signer, found, content)


def signers_line(signature: str | os.PathLike[str], name: str) -> str:
    """The line with which a file of signers names the key of a signature."""
    public_key = _read(Path(signature)).public_key
    return f"{name} {_Content(public_key, _NAMESPACE).kind} {base64.b64encode(public_key).decode()}"


def _run(words: list[str], content: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Let ssh-keygen do something, in plain English, with nobody to ask: it shall fail where it would wait for words."""
    program = shutil.which("ssh-keygen")
    if program is None:
        raise FormatError(
            "Signatures are made and checked by ssh-keygen, which is not on this machine. Install OpenSSH "
            "(openssh-client on Debian and Ubuntu) and try again."
        )
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_ASKPASS")}
    environment = {**kept, "LC_ALL": "C", "SSH_ASKPASS_REQUIRE": "never"}
    try:
        return subprocess.run(  # noqa: S603 - the words are ours; paths and names are values of options
            [program, "-Y", *words],
            input=content,
            capture_output=True,
            check=False,
            env=environment,
            start_new_session=True,  # away from the terminal, where it would ask
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise FormatError(
            f"ssh-keygen did not answer within {_PATIENCE} seconds. Is the key one that wants a touch?"
        ) from None
    except OSError as error:
        raise FormatError(f"ssh-keygen cannot be run ({error.strerror}). Check its permissions.") from None


def _names(signature: Path, signers: Path) -> list[str]:
    """Whom the file of signers has for the key of a signature."""
    done = _run(["find-principals", "-s", str(signature), "-f", str(signers)])
    return os.fsdecode(done.stdout).splitlines() if done.returncode == 0 else []


def _checked_name(signer: object) -> str:
    if not isinstance(signer, str) or not signer or not signer.isprintable():
        raise FormatError(
            f"A signer is a name that the file of signers has, such as 'steward@clinic.example', not {quoted(signer)}."
        )
    return signer


def _read(path: Path) -> _Content:
    """What a signature says. It is a text in base64 around: a magic word, a version, the key, the namespace and more."""
    lines = read_limited(path).split(b"\n")
    try:
        begin, end = lines.index(_BEGIN), lines.index(_END)
        blob = base64.b64decode(b"".join(lines[begin + 1 : end]), validate=True)
        if blob[:6] != b"SSHSIG":
            raise ValueError
        public_key, rest = _take(blob[10:])
        namespace, _ = _take(rest)
        found = _Content(public_key, namespace.decode("utf-8", "replace"))
        _ = found.kind
    except (ValueError, binascii.Error):
        raise FormatError(f"{str(path)!r} is no signature of ssh-keygen, or it was damaged. Ask for it again.") from None
    return found


def _take(blob: bytes) -> tuple[bytes, bytes]:
    """The first string of a blob, which begins with its length, and what follows."""
    length = int.from_bytes(blob[:4], "big")
    if len(blob) < 4 + length:
        raise ValueError
    return blob[4 : 4 + length], blob[4 + length :]


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    return printable(done.stderr.decode("utf-8", "replace").strip())


def _unsigned(key: Path, said: str) -> FormatError:
    """Why a key could not sign, and what to do. ssh-keygen was spoken to in English, so its words are known."""
    if "passphrase" in said:
        return FormatError(
            f"The key {str(key)!r} needs a passphrase. Put it into the agent with `ssh-add {key}` and sign again."
        )
    if "too open" in said:
        return FormatError(f"Others may read the key {str(key)!r}. Run `chmod 600 {key}` and sign again.")
    if "load public key" in said or "No private key" in said or "invalid format" in said:
        return FormatError(f"{str(key)!r} is no private key of SSH, nor the public key of one that the agent holds.")
    return FormatError(f"ssh-keygen could not sign with {str(key)!r}: {said.splitlines()[-1] if said else 'it said nothing'}")


def _unverified(
    file: Path, signature: Path, signers: Path, signer: str | None, found: _Content, content: bytes
) -> FormatError:
    """Why a signature does not count, and what to do."""
    if found.namespace != _NAMESPACE:
        return FormatError(
            f"{str(signature)!r} was made for {found.namespace!r}, not for releases: sign with `discreet sign`."
        )
    if _run(["check-novalidate", "-n", _NAMESPACE, "-s", str(signature)], content).returncode != 0:
        return FormatError(
            f"{str(file)!r} was changed after it was signed, or {str(signature)!r} is the signature of another file. "
            "Do not rely on it; ask the steward for both again."
        )
    names = _names(signature, signers)
    if signer is not None and names and signer not in names:
        return FormatError(f"{str(file)!r} was not signed by {signer!r} but by {', '.join(map(repr, names))}.")
    if names:
        return FormatError(f"{str(signers)!r} names the key, but not for {_NAMESPACE!r}: look at namespaces= in its line.")
    return FormatError(
        f"{str(file)!r} is as it was signed, but by a key that {str(signers)!r} does not name, or no longer: "
        f"{found.fingerprint}. Ask the steward which key is his, by another way than you got the file, and give it a line."
    )

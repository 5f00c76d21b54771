"""Keys of SSH for tests, made by a real ssh-keygen."""

import shutil
import subprocess

from support.databases import absent


def need_ssh_keygen():
    """A test skips where there is no ssh-keygen, except where everything is required."""
    if shutil.which("ssh-keygen") is None:
        absent("there is no ssh-keygen; install Debian's package openssh-client")


def make_key(path, passphrase=""):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "test", "-f", str(path)], check=True)
    return path


def write_signers(path, key, name="steward@clinic.example", options=""):
    public = key.with_name(key.name + ".pub").read_text("utf-8")
    path.write_text(f"{name} {options} {public}", encoding="utf-8")
    return path

"""`discreet sign` and `discreet verify`, with a real ssh-keygen."""

import os
import shutil
import subprocess
import sys

import pytest
from support.keys import make_key, need_ssh_keygen, write_signers

import discreet as dc
from discreet.cli import main

STEWARD = "steward@clinic.example"


@pytest.fixture(scope="module")
def papers(made, tmp_path_factory):
    """A key, a signature of the clinic's release, and a reader's file of signers, made once."""
    need_ssh_keygen()
    folder = tmp_path_factory.mktemp("papers")
    key = make_key(folder / "key")
    assert main(["sign", str(made / "clinic.json"), "--key", str(key), "--signature", str(folder / "clinic.json.sig")]) == 0
    write_signers(folder / "signers", key)
    return folder


@pytest.fixture
def signed(clinic, papers):
    """The clinic with these papers."""
    shutil.copytree(papers, clinic, dirs_exist_ok=True)
    return clinic


def test_a_release_is_signed_and_a_reader_learns_by_whom(signed, discreet):
    found = discreet("verify", "clinic.json", "--signers", "signers")
    assert found.code == 0
    assert found.out.startswith(f"clinic.json is as it was signed by {STEWARD} (ssh-ed25519 SHA256:")
    told = discreet("verify", "clinic.json", "--signers", "signers", "--signer", STEWARD, "--json").json
    listed = subprocess.run(["ssh-keygen", "-l", "-f", "key.pub"], capture_output=True, text=True, check=True).stdout
    assert told == {"file": "clinic.json", "signer": STEWARD, "key": f"ssh-ed25519 {listed.split()[1]}"}


def test_the_line_that_sign_prints_makes_a_file_of_signers(signed, discreet):
    done = discreet("sign", "clinic.json", "--key", "key", "--force")
    assert "Publish it with the release file" in done.err
    (signed / "mine").write_text(done.out.replace("NAME", "somebody"), encoding="utf-8")
    assert "by somebody (" in discreet("verify", "clinic.json", "--signers", "mine").out


def test_what_ssh_keygen_signs_itself_is_taken_and_the_other_way_round(signed, discreet):
    assert dc.verify("clinic.json", "signers").signer == STEWARD
    words = ["-Y", "verify", "-f", "signers", "-I", STEWARD, "-n", "discreet", "-s", "clinic.json.sig"]
    subprocess.run(["ssh-keygen", *words], input=(signed / "clinic.json").read_bytes(), check=True, capture_output=True)
    (signed / "clinic.json.sig").unlink()
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", "key", "-n", "discreet", "clinic.json"], check=True)
    assert discreet("verify", "clinic.json", "--signers", "signers").code == 0


@pytest.mark.parametrize("place", [0, 1, 500, -1])
def test_a_file_that_was_changed_is_refused_wherever_it_was(signed, discreet, place):
    content = bytearray((signed / "clinic.json").read_bytes())
    content[place] ^= 1
    (signed / "clinic.json").write_bytes(content)
    found = discreet("verify", "clinic.json", "--signers", "signers")
    assert (found.code, found.out) == (5, "")
    assert "was changed after it was signed" in found.err


def test_a_forgery_with_a_fitting_digest_is_refused(signed, discreet):
    """The weakness that the digest has: whoever makes a release of his own puts it in the place of the steward's."""
    assert dc.load("clinic.json").guarantee == dc.PureDP("0.5")
    words = ("--network", "clinic.bif", "--ledger", "other.ledger", "--cap", 1, "--epsilon", 1, "-o", "clinic.json", "--force")
    assert discreet("release", "patients.csv", *words).code == 0
    assert dc.load("clinic.json").guarantee == dc.PureDP("1")
    assert discreet("verify", "clinic.json", "--signers", "signers").code == 5


def test_a_signer_who_is_not_known_is_refused_with_the_fingerprint(signed, discreet):
    write_signers(signed / "others", make_key(signed / "other"))
    found = discreet("verify", "clinic.json", "--signers", "others")
    assert found.code == 5
    assert "by a key that 'others' does not name, or no longer: ssh-ed25519 SHA256:" in found.err
    (signed / "empty").write_text("", encoding="utf-8")
    assert discreet("verify", "clinic.json", "--signers", "empty").code == 5


def test_only_the_signer_who_is_asked_for_counts(signed, discreet):
    found = discreet("verify", "clinic.json", "--signers", "signers", "--signer", "somebody@else.example")
    assert found.code == 5
    assert f"was not signed by 'somebody@else.example' but by '{STEWARD}'" in found.err


@pytest.mark.parametrize("options", ['namespaces="git"', 'valid-before="20200101"'])
def test_a_key_that_may_not_sign_this_is_refused(signed, discreet, options):
    write_signers(signed / "narrow", signed / "key", options=options)
    found = discreet("verify", "clinic.json", "--signers", "narrow")
    assert found.code == 5
    assert "names the key, but not for 'discreet'" in found.err or "or no longer" in found.err


def test_a_signature_for_something_else_does_not_count(signed, discreet):
    (signed / "clinic.json.sig").unlink()
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", "key", "-n", "file", "clinic.json"], check=True)
    found = discreet("verify", "clinic.json", "--signers", "signers")
    assert found.code == 5
    assert "was made for 'file'" in found.err


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"nothing",
        b"-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n",
        b"-----BEGIN SSH SIGNATURE-----\n!!!\n-----END SSH SIGNATURE-----\n",
        b"-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAf////8=\n-----END SSH SIGNATURE-----\n",
    ],
)
def test_a_damaged_signature_is_told_as_such(signed, discreet, damaged):
    (signed / "clinic.json.sig").write_bytes(damaged)
    found = discreet("verify", "clinic.json", "--signers", "signers")
    assert found.code == 5
    assert "is no signature of ssh-keygen" in found.err


def test_a_key_with_a_passphrase_is_refused_with_what_to_do_and_nobody_is_asked(signed, discreet, monkeypatch):
    make_key(signed / "locked", passphrase="a secret")
    monkeypatch.setenv("SSH_ASKPASS", "/bin/false")
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    found = discreet("sign", "clinic.json", "--key", "locked", "--signature", "x.sig")
    assert (found.code, found.out) == (5, "")
    assert "needs a passphrase. Put it into the agent with `ssh-add locked`" in found.err
    assert not (signed / "x.sig").exists()


@pytest.mark.slow
def test_at_a_terminal_nobody_is_asked_for_a_passphrase_either(signed):
    """Where it would wait for words that a script cannot give."""
    make_key(signed / "locked", passphrase="a secret")
    ours, theirs = os.openpty()
    words = ["sign", "clinic.json", "--key", "locked", "--signature", "x.sig"]
    run = "import sys; from discreet.cli import main; sys.exit(main(sys.argv[1:]))"
    environment = {name: value for name, value in os.environ.items() if name != "SSH_AUTH_SOCK"}
    command = ["setsid", "--ctty", "--wait", sys.executable, "-c", run, *words]  # the terminal is theirs
    try:
        done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, timeout=60, check=False, env=environment)
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 5
    assert "needs a passphrase" in done.stderr


def test_a_key_that_an_agent_holds_signs_without_its_file(signed, discreet, monkeypatch):
    if shutil.which("ssh-agent") is None or shutil.which("ssh-add") is None:
        pytest.skip("there is no agent of OpenSSH")
    socket = signed / "agent"
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL)
    try:
        while not socket.exists():
            assert agent.poll() is None
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        subprocess.run(["ssh-add", "-q", "key"], check=True, capture_output=True)
        (signed / "key").unlink()
        assert discreet("sign", "clinic.json", "--key", "key.pub", "--force").code == 0
        assert discreet("verify", "clinic.json", "--signers", "signers").code == 0
    finally:
        agent.terminate()
        agent.wait()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["sign", "clinic.json", "--key", "none"], 5, "There is no key 'none'. Make one with: ssh-keygen -t ed25519"),
        (["sign", "clinic.json", "--key", "patients.csv", "--force"], 5, "is no private key of SSH"),
        (["sign", "clinic.json", "--key", "key"], 5, "exists. Choose another name, or replace it with --force"),
        (["sign", "clinic.json", "--key", "key", "--signature", "clinic.json", "--force"], 5, "would be written over"),
        (["sign", "clinic.json", "--key", "key", "--signature", "key", "--force"], 5, "would be written over"),
        (["sign", "clinic.bif", "--key", "key"], 5, "this is not a release file"),
        (["sign", "patients.csv", "--key", "key"], 2, "is a table of records"),
        (["sign", "none.json", "--key", "key"], 5, "none.json"),
        (["sign", "clinic.json"], 2, "--key"),
        (["verify", "clinic.json"], 2, "--signers"),
        (["verify", "clinic.json", "--signers", "none"], 5, "There is no file of signers 'none'"),
        (["verify", "clinic.bif", "--signers", "signers"], 5, "There is no signature 'clinic.bif.sig'"),
        (["verify", "clinic.json", "--signers", "signers", "--signer", ""], 5, "A signer is a name"),
        (["verify", "none.json", "--signers", "signers"], 5, "none.json"),
    ],
)
def test_misuse_is_answered_and_nothing_is_written(signed, discreet, words, code, said):
    before = {path.name: path.read_bytes() for path in signed.iterdir() if path.is_file()}
    found = discreet(*words)
    assert (found.code, found.out) == (code, "")
    assert said in found.err
    assert {path.name: path.read_bytes() for path in signed.iterdir() if path.is_file()} == before


def test_a_key_that_others_may_read_is_refused(signed, discreet):
    (signed / "key").chmod(0o644)
    (signed / "key.pub").unlink()
    found = discreet("sign", "clinic.json", "--key", "key", "--force")
    assert found.code == 5
    assert "chmod 600 key" in found.err


def test_a_machine_without_ssh_keygen_is_told_what_to_install(clinic, discreet, monkeypatch):
    (clinic / "key").touch()
    monkeypatch.setenv("PATH", str(clinic))
    found = discreet("sign", "clinic.json", "--key", "key")
    assert found.code == 5
    assert "Install OpenSSH" in found.err


@pytest.mark.parametrize("wrong", [None, 3, [], b"x"])
def test_what_is_no_path_is_refused_in_python(clinic, wrong):
    with pytest.raises(dc.FormatError):
        dc.sign("clinic.json", wrong)
    with pytest.raises(dc.FormatError):
        dc.verify("clinic.json", wrong)

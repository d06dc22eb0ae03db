#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
"""manual.py FOLDER: writes the manual pages into FOLDER/man1 … FOLDER/man8.

A page man/NAME.N is taken as it is. In man/NAME.N.in each line `@include PAGE: HEADING | HEADING` is replaced by these
sections of a page of docs/, in mdoc, so that the manual cannot say anything else than the documentation.
"""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WIDTH = 70  # of literal text, which nobody wraps
PAGES = {"protocol.md": ("tokend\\-protocol", 7), "configuration.md": ("tokend\\-config", 5)}


def link(match):
    """A link's text; the name and section of the manual page where it leads to one's source."""
    if match[1] not in PAGES:
        return match[1]
    name, number = PAGES[match[1]]
    return f"\\fB{name}\\fR({number})"


def inline(text):
    """One paragraph as text lines, a sentence a line: code bold, links by their text."""
    text = " ".join(text.split()).replace("\\", "\\e")
    parts = re.split(r"(`[^`]*`)", re.sub(r"\[([^\]]*)\]\([^)]*\)", link, text))
    marked = ""
    for part in parts:
        if part.startswith("`") and len(part) > 1:
            marked += "\\fB" + part[1:-1].replace("-", "\\-").replace(" ", "\x00") + "\\fR"
        else:
            marked += re.sub(r"\*\*([^*]*)\*\*", r"\\fI\1\\fR", part)
    lines = []
    for sentence in re.split(r"(?<=[.?!])\s+", marked):
        lines += textwrap.wrap(sentence, 78, break_long_words=False, break_on_hyphens=False)
    return [protected(line.replace("\x00", " ")) for line in lines]


def protected(line):
    """A line that no macro is seen in."""
    return "\\&" + line if line[:1] in (".", "'") else line


def literal(lines):
    folded = []
    for line in lines:
        indent = ""
        while len(line) > WIDTH:
            cut = line.rfind(",", 20, WIDTH)
            cut = line.find(",", WIDTH) if cut < 0 else cut
            if cut < 0:
                break
            folded.append(line[: cut + 1])
            indent = "    "
            line = indent + line[cut + 1 :]
        folded.append(line)
    text = [protected(line.replace("\\", "\\e").replace("-", "\\-")) for line in folded]
    return [".Bd -literal -offset indent", *text, ".Ed"]


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table(lines):
    """A list with the first column as tags. What tells the meaning comes first, then the rest with its heading."""
    header, rows = cells(lines[0]), [cells(line) for line in lines[2:]]
    said = [".Bl -tag -width Ds"]
    for row in rows:
        named = list(zip(header, row))
        tag, rest = (named[1:2] + named[:1] + named[2:] if header[0] == "file" else named)[0][1], named[1:]
        if header[0] == "file":
            rest = named[:1] + named[2:]
        said.append(".It " + (inline(tag) or ["\\&"])[0])
        main = [text for name, text in rest if name in ("meaning", "what", "when") and text]
        others = [f"{name.capitalize()}: {text}" for name, text in rest if name not in ("meaning", "what", "when") and text]
        for text in main + others:
            said += inline(text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else "."))
    return said + [".El"]


def blocks(lines):
    """(kind, lines) of a section: heading, fence, table, list, text."""
    found, index = [], 0
    while index < len(lines):
        line, start = lines[index], index
        index += 1
        if line.startswith("```"):
            while not lines[index].startswith("```"):
                index += 1
            index += 1
            found.append(("fence", lines[start + 1 : index - 1]))
        elif line.startswith("#"):
            found.append(("heading", [line]))
        elif line.strip():
            kind = "table" if line.startswith("|") else "list" if line.startswith("- ") else "text"
            while index < len(lines) and lines[index].strip() and not lines[index].startswith(("```", "#")):
                index += 1
            found.append((kind, lines[start:index]))
    return found


def mdoc(lines):
    said, fresh = [], True  # fresh: no paragraph break is wanted
    for kind, block in blocks(lines):
        if kind == "heading":
            level, title = re.match(r"(#+) (.*)", block[0]).groups()
            title = title.replace("`", "")
            title = "Error kinds" if title == "Errors" else title  # mdoc keeps ERRORS for system calls
            said.append(".Sh " + title.upper() if len(level) == 2 else ".Ss " + title)
            fresh = True
            continue
        if kind == "text":
            said += ([] if fresh else [".Pp"]) + inline(" ".join(block))
        elif kind == "fence":
            said += literal(block)
        elif kind == "table":
            said += table(block)
        else:
            said.append(".Bl -bullet")
            for item in re.split(r"\n- ", "\n" + "\n".join(block))[1:]:
                said += [".It", *inline(item)]
            said.append(".El")
        fresh = False
    return said


def sections(page, wanted):
    lines = (ROOT / page).read_text().splitlines()
    said = []
    for title in wanted:
        start = next(i for i, line in enumerate(lines) if line.startswith("#") and line.lstrip("# ") == title)
        level = lines[start].split(" ")[0]
        end, fenced = start + 1, False
        while end < len(lines):
            fenced ^= lines[end].startswith("```")
            if not fenced and (mark := re.match(r"#+ ", lines[end])) and len(mark[0]) - 1 <= len(level):
                break
            end += 1
        said += mdoc(lines[start:end])
    return said


def page(path):
    said = []
    for line in path.read_text().splitlines():
        include = re.match(r"@include (\S+): (.*)", line)
        said += sections(include[1], include[2].split(" | ")) if include else [line]
    return "\n".join(said) + "\n"


def main():
    for path in sorted((ROOT / "man").iterdir()):
        name = path.name.removesuffix(".in")
        folder = pathlib.Path(sys.argv[1]) / f"man{name[-1]}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(page(path))


if __name__ == "__main__":
    main()

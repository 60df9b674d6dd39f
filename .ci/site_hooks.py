"""Makes pages of GitHub fit for MkDocs: order, links out of docs/, pictures, titles."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
DOCS, PICTURES = ROOT / "docs", ROOT / ".github"
LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def contents(page):
    """The pages that a table of contents lists, below its headings."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        found = re.findall(r"^(?:-|\d\.) \[(.+?)\]\((.+?\.md)\)", body, re.MULTILINE)
        if found:
            yield {heading: [{title: path} for title, path in found]}


def on_config(config):
    chinese = (DOCS / "zh" / "README.md").read_text(encoding="utf-8")
    pages = re.findall(r"^\d\. \[(.+?)\]\((.+?\.md)\)", chinese, re.MULTILINE)
    config["nav"] = [
        {"Contents": "README.md"},
        *contents("README.md"),
        {"中文": ["zh/README.md", *({title: f"zh/{path}"} for title, path in pages)]},
    ]
    return config


def on_files(files, config):
    for picture in PICTURES.glob("*.png"):
        name = f"pictures/{picture.name}"
        files.append(File.generated(config, name, abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown, page, config, files):
    folder = (DOCS / page.file.src_uri).parent
    up = "../" * page.file.src_uri.count("/")
    source = (config["repo_url"] or "").rstrip("/")

    def link(match):
        is_picture, text, target = match.groups()
        path = target.partition("#")[0]
        found = (folder / path).resolve()
        if "://" in target or not path or files.get_file_from_path(inside(found)):
            return match[0]
        if is_picture:
            return f"![{text}]({up}pictures/{found.name})"
        if not source:
            return text
        return f"[{text}]({source}/blob/HEAD/{found.relative_to(ROOT).as_posix()})"

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    text = re.sub(
        r"(`[^`\n]*`)", lambda code: code[1].replace("\\|", "|"), "".join(parts)
    )
    return re.sub(r"^```(\w+) (\S+)$", r'```\1 title="\2"', text, flags=re.MULTILINE)


def inside(path):
    """The path as MkDocs has it, below docs/; empty if it is not there."""
    return path.relative_to(DOCS).as_posix() if DOCS in path.parents else ""

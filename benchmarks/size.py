"""How large the code is: lines, lengths of functions, long files, class names that are not unique.

python benchmarks/size.py [--json FILE]        (from the project's folder)

Lines are those of all Python files, blank ones and comments included. A function is as long as it is from `def` to its
last line, without decorators. Class names are counted in src; classes inside of functions are left out.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import keep, new_parser

LONGEST_FILE = 350
FOLDERS = ("src", "benchmarks")


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    arguments = parser.parse_args()
    report = {folder: measure(Path(__file__).parents[1] / folder) for folder in FOLDERS}
    for folder, figures in report.items():
        for name, value in figures.items():
            print(f"{folder:10} {name:25} {value}")
    keep(report, arguments.json)


def measure(folder: Path) -> dict[str, Any]:
    """All figures of a folder."""
    texts = {path: path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))}
    lines = {path: text.count("\n") for path, text in texts.items()}
    trees = [ast.parse(text) for text in texts.values()]
    lengths = sorted(length for tree in trees for length in function_lengths(tree))
    names = Counter(name for tree in trees for name in class_names(tree))
    return {
        "files": len(texts),
        "lines": sum(lines.values()),
        "functions": len(lengths),
        "median_function": lengths[len(lengths) // 2],
        "p95_function": lengths[int(len(lengths) * 0.95)],
        "longest_function": lengths[-1],
        "long_files": {str(path.relative_to(folder)): count for path, count in lines.items() if count > LONGEST_FILE},
        "repeated_class_names": {name: count for name, count in names.most_common() if count > 1},
        "repeated_classes": sum(count > 1 for count in names.values()),
    }


def function_lengths(tree: ast.AST) -> Iterator[int]:
    """The lengths of all functions and methods, inner ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def class_names(tree: ast.Module | ast.ClassDef) -> Iterator[str]:
    """The names of classes, those inside of classes too."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
            yield from class_names(node)


if __name__ == "__main__":
    main()

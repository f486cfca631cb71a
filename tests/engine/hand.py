"""A hand that works on a repository at random, as people, editors and git do."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

from tests.conftest import Repo

WORDS = "zebra quagga okapi gnu tapir lemur ibex dugong".split()


class Hand:
    """Does one random thing at a time and keeps a log of what it did."""

    def __init__(self, repo: Repo, seed: int) -> None:
        self.repo = repo
        self.log: list[str] = []
        self._chance = random.Random(seed)
        self._count = 0
        self._steps = [
            self.write,
            self.write,
            self.write_in_place,
            self.write_in_place,
            self.write_same_size,
            self.replace,
            self.delete,
            self.delete_folder,
            self.recreate_folder,
            self.rename,
            self.rename_folder,
            self.git_move,
            self.commit,
            self.commit,
            self.switch,
            self.switch,
            self.reset,
            self.stash,
            self.ignore,
            self.exclude,
            self.force,
            self.untrack,
            self.link,
            self.turn_back_time,
            self.image,
        ]
        repo.commit("Begin", {"web/a.py": self._code(), "web/b.py": self._code(), "lib/c.js": "function gnu() {}\n"})
        repo.git("branch", "side")

    def step(self) -> None:
        """Do something."""
        chosen = self._chance.choice(self._steps)
        self.log.append(chosen.__name__)
        chosen()

    def _code(self) -> str:
        self._count += 1
        words = self._chance.sample(WORDS, 3)
        return f"def {words[0]}_{words[1]}_{self._count}():\n    return '{words[2]}'\n"

    def _files(self) -> list[Path]:
        return sorted(path for path in self.repo.root.glob("*/**/*.py") if path.is_file() and not path.is_symlink())

    def _file(self) -> Path:
        if not self._files():
            self.write()
        return self._chance.choice(self._files())

    def _folder(self) -> Path:
        return self._file().parent

    def _fresh(self) -> Path:
        self._count += 1
        folder = self._chance.choice(["web", "lib", f"new{self._count}", f"web/deep{self._count}/er"])
        return self.repo.root / folder / f"f{self._count}.py"

    def write(self) -> None:
        path = self._fresh()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._code())

    def write_in_place(self) -> None:
        self._file().write_text(self._code())

    def write_same_size(self) -> None:
        path = self._file()
        text = path.read_text()
        word = next((word for word in WORDS if word in text), "")
        other = next((other for other in WORDS if len(other) == len(word) and other != word), word)
        path.write_text(text.replace(word, other) if word else text)

    def replace(self) -> None:
        path = self._file()
        aside = path.with_suffix(".tmp")
        aside.write_text(self._code())
        os.replace(aside, path)

    def delete(self) -> None:
        self._file().unlink()

    def delete_folder(self) -> None:
        shutil.rmtree(self._folder())

    def recreate_folder(self) -> None:
        folder = self._folder()
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "again.py").write_text(self._code())

    def rename(self) -> None:
        path, target = self._file(), self._fresh()
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)

    def rename_folder(self) -> None:
        self._count += 1
        self._folder().rename(self.repo.root / f"moved{self._count}")

    def git_move(self) -> None:
        tracked = [name for name in self.repo.git("ls-files", "*.py").splitlines() if (self.repo.root / name).is_file()]
        if tracked:
            self._count += 1
            self.repo.git("mv", self._chance.choice(tracked), f"git-moved{self._count}.py")

    def commit(self) -> None:
        self.repo.commit(f"Change the {self._chance.choice(WORDS)} and the {self._chance.choice(WORDS)}")

    def switch(self) -> None:
        self.repo.git("switch", "-q", "--force", self._chance.choice(["main", "side"]))

    def reset(self) -> None:
        if int(self.repo.git("rev-list", "--count", "HEAD")) > 1:
            self.repo.git("reset", "-q", self._chance.choice(["--hard", "--mixed", "--soft"]), "HEAD~1")

    def stash(self) -> None:
        self.repo.git("stash", "-q", "-u") if self.repo.git("status", "--porcelain") else self.write()

    def ignore(self) -> None:
        name = self._chance.choice([".gitignore", ".trackdownignore"])
        self.repo.write(name, self._chance.choice(["", "lib/\n", "f*.py\n", "!web/a.py\nweb/*\n"]))

    def exclude(self) -> None:
        self.repo.write(".git/info/exclude", self._chance.choice(["", "new*\n", "f*.py\n"]))

    def force(self) -> None:
        self.repo.git("add", "-f", str(self._file()))

    def untrack(self) -> None:
        self.repo.git("rm", "-q", "-f", "-r", "--cached", "--ignore-unmatch", str(self._file()))

    def link(self) -> None:
        path = self._file()
        path.unlink()
        path.symlink_to(self._chance.choice(["a.py", "/etc/hostname", ".", "no-such"]))

    def turn_back_time(self) -> None:
        path = self._file()
        before = path.stat()
        self.write_same_size()
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def image(self) -> None:
        self._count += 1
        self.repo.write("web/logo.png", b"\x89PNG\0" + bytes([self._count % 256]) * 20)

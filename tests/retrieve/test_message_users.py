"""Who uses a constant or a key: the same case, a language that can, and no class or window around another user."""

from __future__ import annotations

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.engine.searching.bind import bound_corpus
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.retrieve.message_users import NameUsers
from trackdown.settings import Settings

TRAIN = """class Train {
  private static final String NAME = "The train %s has left its rails";

  void run(String name) {
    throw new IllegalStateException(String.format(NAME, name));
  }
}
"""
WAGON = """impl fmt::Display for Wagon {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { f.show() }
}

fn derailed(wagon: &Wagon) -> bool { wagon.tilt > 45 }
"""
MESSAGE = "The train 7 has left its rails"


def users(repo: Repo, settings: Settings, name: str, definer: str) -> set[str]:
    """The users of a name that the first unit of a file defines: paths and symbols."""
    with trackdown.open(repo.root, settings=settings) as opened:
        corpus = opened.corpus()
        code = corpus.code
        with SourceReader(corpus.snapshot) as reader:
            first = code.units_of(code.files_by_path[definer])[0]
            found = NameUsers(bound_corpus(corpus, reader)).of(name, first)
        return {f"{code.path(int(code.unit_file[unit]))} {code.symbol(unit)}".strip() for unit in found}


@pytest.mark.parametrize("name", ["FMT", "DERAILED"])
def test_a_name_of_other_case_or_another_language_is_no_user(repo: Repo, settings: Settings, name: str) -> None:
    other = "class Wagon {\n  boolean derailed() { return fmt > 0; }\n}\n"
    files = {"src/Train.java": TRAIN.replace("NAME", name), "src/wagon.rs": WAGON, "src/Wagon.java": other}
    repo.commit("Begin", files)
    assert users(repo, settings, name, "src/Train.java") == {"src/Train.java Train.run"}
    with trackdown.open(repo.root, settings=settings) as opened:
        found = opened.search(MESSAGE, effort="fast")
    assert found[0].symbol == "Train.run" and found[0].reason.startswith(f"uses {name}, which says")
    assert found.confidence is not None and found.confidence.verdict != "weak"


def test_languages_that_share_names_use_each_others_constants(repo: Repo, settings: Settings) -> None:
    files = {
        "src/texts.ts": 'export const EMPTIED = "Your basket has been emptied"\n',
        "src/cart.js": "export function clear() {\n  show(EMPTIED)\n}\n",
        "src/Cart.vue": "<script>\nshow(EMPTIED)\n</script>\n",
        "src/cart.rb": "def clear\n  show(EMPTIED)\nend\n",
        "docs/texts.md": "EMPTIED is shown.\n",
    }
    repo.commit("Begin", files)
    assert users(repo, settings, "EMPTIED", "src/texts.ts") == {"src/cart.js clear", "src/Cart.vue"}


def test_the_key_of_a_catalogue_is_used_in_any_language(repo: Repo, settings: Settings) -> None:
    files = {
        "locale/en.json": '{"emptied": "Your basket has been emptied", "x": "Other things", "z": "The very end"}',
        "src/cart.ts": "export function clear() {\n  t('emptied')\n}\n",
        "src/cart.rb": "def clear\n  t(:emptied)\nend\n\ndef other\n  t(:Emptied)\nend\n",
    }
    repo.commit("Begin", files)
    assert users(repo, settings, "emptied", "locale/en.json") == {"src/cart.ts clear", "src/cart.rb clear"}


def test_a_class_or_window_gives_way_to_a_user_inside_it(repo: Repo, settings: Settings) -> None:
    files = {
        "src/texts.py": 'DERAILED = "The train has left its rails"\n',
        "src/train.py": "from texts import DERAILED\n\n\n"
        'class Train:\n    """May be DERAILED."""\n\n    def run(self):\n        raise Failure(DERAILED)\n',
        "src/wagon.py": "from texts import DERAILED\n\n\nclass Wagon:\n    problem = DERAILED\n",
        "src/table.py": "from texts import DERAILED\n\nPROBLEMS = [DERAILED]\n",
    }
    repo.commit("Begin", files)
    expected = {"src/train.py Train.run", "src/wagon.py Wagon", "src/table.py"}
    assert users(repo, settings, "DERAILED", "src/texts.py") == expected


def test_a_constant_of_one_letter_is_used_in_its_file(repo: Repo, settings: Settings) -> None:
    source = 'const M: &str = "The train has left its rails";\n\nfn run() { panic!("{}", M) }\n\nfn m() { stop(m) }\n'
    repo.commit("Begin", {"src/train.rs": source, "src/other.rs": "fn other<M>(m: M) {}\n"})
    with trackdown.open(repo.root, settings=settings) as opened:
        found = opened.search("The train has left its rails", effort="fast")
    assert found[0].symbol == "run" and found[0].reason.startswith("uses M, which says")


def test_a_name_that_many_units_have_says_nothing(repo: Repo, settings: Settings) -> None:
    using = "".join(f"def run{number}():\n    raise Failure(DERAILED)\n\n\n" for number in range(101))
    repo.commit("Begin", {"src/texts.py": 'DERAILED = "The train has left its rails"\n', "src/train.py": using})
    assert users(repo, settings, "DERAILED", "src/texts.py") == set()

"""How Python's references are resolved: a program checked by hand, and the hard cases one by one."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.programs import MemoryProgram, agreement, all_edges, shown
from tests.growth import calls_of
from trackdown.graph.graph import Graph
from trackdown.graph.program import Definition
from trackdown.graph.python import PythonResolver

FIXTURE = Path(__file__).parent / "fixtures" / "python"


def program(**texts: str) -> MemoryProgram:
    """Texts by path: `a__b` stands for `a/b.py`, `a__init` for `a/__init__.py`."""
    paths = {name: name.removesuffix("__init").replace("__", "/") for name in texts}
    ends = {name: "/__init__.py" if name.endswith("__init") else ".py" for name in texts}
    return MemoryProgram({paths[name] + ends[name]: dedent(text) for name, text in texts.items()})


def edges(found: MemoryProgram, source: str = "") -> dict[str, str]:
    """`type target` → how, of the edges that begin at a node (or anywhere in a file)."""
    result: dict[str, str] = {}
    for edge in all_edges(found):
        begin = f"{edge.source.path}:{edge.source.symbol}" if edge.source.symbol else edge.source.path
        if begin == source or edge.source.path == source:
            result[f"{edge.type} {edge.target.path}:{edge.target.symbol}".rstrip(":")] = edge.how
    return result


def invoked(source: str, **texts: str) -> dict[str, str]:
    """Symbol → how, of what a node invokes."""
    found = edges(program(**texts), source)
    return {key.partition(":")[2]: how for key, how in found.items() if key.startswith("invokes ")}


def test_agrees_with_the_program_checked_by_hand() -> None:
    found = agreement(FIXTURE)
    assert found.right + len(found.missed) >= 80
    assert found.precision >= 0.95, found.wrong
    assert found.recall >= 0.85, found.missed


def test_every_kind_of_edge_is_in_the_checked_program() -> None:
    lines = (FIXTURE / "edges.txt").read_text("utf-8").splitlines()
    for kind, least in (("imports", 50), ("inherits", 10), ("invokes", 150)):
        assert sum(line.startswith(kind) for line in lines) >= least


class TestModules:
    def test_src_layout_and_own_root_come_first(self) -> None:
        found = MemoryProgram(
            {
                "src/shop/__init__.py": "",
                "src/shop/cart.py": "from shop.base import Base\n",
                "src/shop/base.py": "class Base: ...\n",
                "examples/old/shop/__init__.py": "",
                "examples/old/shop/base.py": "class Base: ...\n",
                "examples/old/shop/use.py": "from shop.base import Base\n",
                "tests/test_cart.py": "import shop.cart\n",
            }
        )
        assert edges(found, "src/shop/cart.py") == {"imports src/shop/base.py:Base": "exact"}
        assert edges(found, "examples/old/shop/use.py") == {"imports examples/old/shop/base.py:Base": "exact"}
        assert edges(found, "tests/test_cart.py") == {"imports src/shop/cart.py": "exact"}

    def test_several_candidates_are_scoped(self) -> None:
        found = MemoryProgram(
            {"one/lib/tool.py": "def go(): ...\n", "two/lib/tool.py": "def go(): ...\n", "use.py": "import lib.tool\n"}
        )
        assert edges(found, "use.py") == {"imports one/lib/tool.py": "scoped", "imports two/lib/tool.py": "scoped"}

    def test_a_module_inside_a_package_is_no_top_level_name(self) -> None:
        found = program(pkg__init="", pkg__json="def loads(): ...", pkg__use="import json\njson.loads()")
        assert edges(found, "pkg/use.py") == {}

    def test_the_standard_library_comes_before_a_file_elsewhere(self) -> None:
        assert edges(program(tools__types="class A: ...", use="from types import A\nA()"), "use.py") == {}
        beside = program(types="class A: ...", use="from types import A\n")
        assert edges(beside, "use.py") == {"imports types.py:A": "exact"}

    def test_namespace_packages(self) -> None:
        found = program(
            ns__a__mod="def f(): ...", main="import ns.a.mod\nfrom ns.a import mod as m\nns.a.mod.f()\nm.f()"
        )
        assert edges(found, "main.py") == {"imports ns/a/mod.py": "exact", "invokes ns/a/mod.py:f": "exact"}

    def test_relative_imports_count_dots_from_modules_and_from_packages(self) -> None:
        found = program(
            p__init="from . import a\nfrom .q import b as bee",
            p__a="from .q import b\nfrom .. import nothing",
            p__q__init="from ..a import fa\nfrom .b import fb",
            p__q__b="from ...p.a import fa\ndef fb(): ...",
        )
        assert edges(found, "p/__init__.py") == {"imports p/a.py": "exact", "imports p/q/b.py": "exact"}
        assert edges(found, "p/a.py") == {"imports p/q/b.py": "exact"}
        assert edges(found, "p/q/__init__.py") == {"imports p/a.py": "exact", "imports p/q/b.py:fb": "exact"}
        assert edges(found, "p/q/b.py") == {"imports p/a.py": "exact"}

    def test_a_module_hides_its_stub_and_a_package_hides_a_module(self) -> None:
        found = MemoryProgram(
            {
                "a.py": "def f(): ...\n",
                "a.pyi": "def f(): ...\n",
                "b.py": "",
                "b/__init__.py": "",
                "c.py": "import a, b\n",
            }
        )
        assert edges(found, "c.py") == {"imports a.py": "exact", "imports b/__init__.py": "exact"}

    def test_scripts_without_an_ending_import_their_neighbours(self) -> None:
        found = MemoryProgram(
            {"bin/tool": "#!/usr/bin/env python\nimport near\nnear.f()\n", "bin/near.py": "def f(): ..."}
        )
        assert edges(found, "bin/tool") == {"imports bin/near.py": "exact", "invokes bin/near.py:f": "exact"}


class TestReexports:
    def test_chains_of_any_length(self) -> None:
        texts = {f"m{number}": f"from m{number + 1} import f as f" for number in range(300)}
        found = program(**texts, m300="def f(): ...", use="from m0 import f\nf()")
        assert edges(found, "use.py") == {"imports m300.py:f": "exact", "invokes m300.py:f": "exact"}

    def test_cycles_end(self) -> None:
        found = program(
            a="from b import x\nfrom b import *\ndef own(): x(); y()", b="from a import x\nfrom a import *\ny = y"
        )
        assert edges(found, "a.py:own") == {}

    def test_cycles_do_not_keep_what_is_there_from_being_found(self) -> None:
        found = program(
            a="from b import *\ndef fa(): fb()", b="from a import *\ndef fb(): fa()", use="from a import fb\nfb()"
        )
        assert edges(found, "a.py:fa") == {"invokes b.py:fb": "exact"}
        assert edges(found, "b.py:fb") == {"invokes a.py:fa": "exact"}
        assert edges(found, "use.py")["invokes b.py:fb"] == "exact"

    def test_stars_bring_what_is_public_or_in_all(self) -> None:
        texts = {
            "plain": "def shown(): ...\ndef _hidden(): ...",
            "listed": "__all__ = ['_told']\ndef _told(): ...\ndef untold(): ...",
            "open": "__all__ = ['a'] + more\ndef later(): ...",
            "use": "from plain import *\nfrom listed import *\nfrom open import *\n"
            "def f():\n  shown(); _hidden(); _told(); untold(); later()",
        }
        assert invoked("use.py:f", **texts) == {"shown": "exact", "_told": "exact", "later": "exact"}

    def test_a_package_of_the_same_name_as_what_it_exports(self) -> None:
        found = program(
            pkg__init="from .config import config", pkg__config="def config(): ...", use="import pkg\npkg.config()"
        )
        assert edges(found, "use.py")["invokes pkg/config.py:config"] == "exact"


class TestNames:
    def test_parameters_and_locals_hide(self) -> None:
        text = """
            def run(): ...
            def a(run): run()
            def b():
                run = 1
                run()
            def c():
                for run in x: run()
            def d():
                with x as run: run()
            def e(): return [run() for run in x]
            def f(): return lambda run: run()
            def g():
                def inner(): run()
                run = None
            def h(): run()
            def i():
                import run
                run()
        """
        assert [invoked(f"m.py:{name}", m=text) for name in "abcdefi"] == [{}] * 7
        assert invoked("m.py:g.inner", m=text) == {}
        assert invoked("m.py:h", m=text) == {"run": "exact"}

    def test_a_class_is_no_scope_of_its_methods(self) -> None:
        text = "def run(): ...\nclass K:\n  def run(self): ...\n  def go(self): run()\n  x = run()\n"
        assert invoked("m.py:K.go", m=text) == {"run": "exact"}
        assert invoked("m.py:K", m=text) == {"K.run": "exact"}

    def test_definitions_in_branches_are_scoped(self) -> None:
        text = """
            try:
                from fast import f
            except ImportError:
                def f(): ...
            if x:
                class K: ...
            else:
                class K: ...
            def use(): f(); K()
        """
        assert invoked("m.py:use", m=text) == {"f": "scoped", "K": "scoped"}

    def test_overloads_are_left_for_the_implementation(self) -> None:
        text = "@overload\ndef f(a: int): ...\n@typing.overload\ndef f(a: str): ...\ndef f(a): ...\ndef use(): f()\n"
        found = [edge for edge in all_edges(program(m=text)) if edge.target.symbol == "f"]
        assert [(edge.target.start_line, edge.how) for edge in found] == [(5, "exact")]

    def test_builtins_and_what_is_outside_give_nothing(self) -> None:
        text = "import os\nfrom requests import get\nx = get()\ndef f():\n  len(x); os.path.join(); x.json(); print()\n"
        assert invoked("m.py:f", m=text, other="class K:\n  def json(self): ...\n  def join(self): ...") == {}

    def test_function_local_imports(self) -> None:
        text = "def f():\n  from b import g as h\n  h()\ndef k(): h()\n"
        assert invoked("a.py:f", a=text, b="def g(): ...") == {"g": "exact"}
        assert invoked("a.py:k", a=text, b="def g(): ...") == {}

    def test_module_attributes_through_packages(self) -> None:
        text = "import p.q.r\nimport p.q as pq\ndef f(): p.q.r.go(); pq.r.go(); p.start()\n"
        found = invoked("a.py:f", a=text, p__init="def start(): ...", p__q__init="", p__q__r="def go(): ...")
        assert found == {"go": "exact", "start": "exact"}


class TestMethods:
    BASE = "class Base:\n  def save(self): ...\n  def load(self): ...\n  @classmethod\n  def make(cls): return cls()\n"

    def test_self_cls_and_super_across_files(self) -> None:
        text = """
            from base import Base
            class Cart(Base):
                def save(self): super().save(); self.load(); self.add()
                def add(self):
                    def later(): self.save()
                    return later
                @classmethod
                def new(klass): klass.make().add(); return super().make()
        """
        assert invoked("m.py:Cart.save", m=text, base=self.BASE) == {
            "Base.save": "exact",
            "Base.load": "exact",
            "Cart.add": "exact",
        }
        assert invoked("m.py:Cart.add.later", m=text, base=self.BASE) == {"Cart.save": "exact"}
        assert invoked("m.py:Cart.new", m=text, base=self.BASE) == {"Base.make": "exact", "Cart.add": "scoped"}

    def test_the_order_of_resolution_is_c3(self) -> None:
        text = """
            class A:
                def f(self): ...
            class B(A): ...
            class C(A):
                def f(self): ...
            class D(B, C):
                def go(self): self.f(); super().f()
        """
        assert invoked("m.py:D.go", m=text) == {"C.f": "exact"}

    def test_inconsistent_and_cyclic_bases_end(self) -> None:
        text = """
            class A(B):
                def f(self): self.g(); self.nothing()
            class B(A):
                def g(self): super().f()
            class C(C): ...
            class X(A, B): ...
            class Y(B, A, X):
                def go(self): self.g()
        """
        assert invoked("m.py:A.f", m=text) == {"B.g": "exact"}
        assert invoked("m.py:B.g", m=text) == {"A.f": "exact"}
        assert invoked("m.py:Y.go", m=text) == {"B.g": "exact"}

    @pytest.mark.parametrize(
        ("body", "how"),
        [
            ("def use(c: Cart): c.add()", "exact"),
            ("def use(c: 'Cart | None'): c.add()", "exact"),
            ("def use(c: Optional[Cart] = None): c.add()", "exact"),
            ("def use():\n  c = Cart()\n  c.add()", "exact"),
            ("def use():\n  c: Cart = get()\n  c.add()", "exact"),
            ("def use(): Cart().add()", "exact"),
            ("c = Cart()\ndef use(): c.add()", "exact"),
            ("def use(d: Cart):\n  c = d\n  c.add()", "exact"),
            ("def use():\n  kind = Cart\n  kind().add()", "exact"),
            ("def use(kind: type[Cart]): kind().add()", "exact"),
            ("def make() -> Cart: ...\ndef use(): make().add()", "exact"),
            ("def make(): return Cart()\ndef use(): make().add()", "scoped"),
            ("def use(c):\n  if isinstance(c, Cart): c.add()", "scoped"),
            ("def use(c=Cart()): c.add()", "scoped"),
            ("def use():\n  c = None\n  c = Cart()\n  c.add()", "scoped"),
            ("def use(): Cart.add(None)", "exact"),
            ("def use(cs: list[Cart]):\n  for c in cs: c.add()", "exact"),
            ("def use(cs: list[Cart]): cs[0].add()", "exact"),
            ("def use(cs: Iterable[Cart]): return [c.add() for c in cs]", "exact"),
            ("def use():\n  with Cart() as c: c.add()", "scoped"),
            ("@property\ndef use(c: Cart): c.add()", "exact"),
            ("T = TypeVar('T', bound=Cart)\ndef use(c: T): c.add()", "exact"),
            ("def use():\n  try: ...\n  except Cart as c: c.add()", "exact"),
            ("class Use:\n  c: Cart\nu = Use()\ndef use(): u.c.add()", "exact"),
            ("class Use:\n  c = Cart()\ndef use(): Use.c.add()", "exact"),
            ("class Use:\n  def __init__(self): self.c = Cart()\ndef use(u: Use): u.c.add()", "exact"),
            ("class Use:\n  def __init__(self, c: Cart): self.c = c\ndef use(u: Use): u.c.add()", "exact"),
            ("class Use:\n  @property\n  def c(self) -> Cart: ...\ndef use(u: Use): u.c.add()", "exact"),
            ("class Use:\n  c = None\n  def set(self): self.c = Cart()\ndef use(u: Use): u.c.add()", "scoped"),
            ("class Use:\n  def get(self): return self.c\n  c = Cart()\ndef use(u: Use): u.get().add()", "scoped"),
        ],
    )
    def test_what_a_receiver_is(self, body: str, how: str) -> None:
        cart = "class Cart:\n  def add(self): ...\nclass Other:\n  def add(self): ...\n"
        found = invoked("m.py:use", m=f"from cart import Cart\n{body}\n", cart=cart)
        assert found.get("Cart.add") == how
        assert "Other.add" not in found

    def test_properties_are_read_and_not_called(self) -> None:
        text = "class K:\n  @property\n  def p(self): return 1\n  def f(self): self.p; self.p.q(); self.p()\n"
        assert invoked("m.py:K.f", m=text) == {}

    def test_descriptors_are_read_through(self) -> None:
        text = """
            class Cart:
                def add(self): ...
            class Lazy:
                def __get__(self, instance, owner) -> Cart: ...
                def add(self): ...
            class Shop:
                cart = Lazy()
            def use(s: Shop): s.cart.add()
        """
        assert invoked("m.py:use", m=text) == {"Cart.add": "exact"}

    def test_a_fluent_interface_stays_with_its_receiver(self) -> None:
        text = """
            class Query:
                def where(self): return self
                def copy(self) -> "Self": ...
                def clone(self): return self.__class__()
            class Sub(Query):
                def only(self): ...
            def a(s: Sub): s.where().only()
            def b(s: Sub): s.copy().only()
        """
        assert invoked("m.py:a", m=text) == {"Query.where": "exact", "Sub.only": "scoped"}
        assert invoked("m.py:b", m=text) == {"Query.copy": "exact", "Sub.only": "exact"}

    def test_two_readings_give_both(self) -> None:
        text = "class A:\n  def f(self): ...\nclass B:\n  def f(self): ...\ndef use(x: A | B): x.f()\n"
        assert invoked("m.py:use", m=text) == {"A.f": "scoped", "B.f": "scoped"}

    def test_what_refers_to_itself_ends(self) -> None:
        text = """
            x = x.next()
            y = z
            z = y
            def f(): return f().go()
            def g(a=lambda: a): a = a.b(); a.c(); x.go(); y.go(); f().go()
            class K:
                p = p
                def m(self): self.q = self.q.r; self.q.s(); self.p.t()
        """
        assert invoked("m.py:g", m=text) == {"f": "exact"}
        assert invoked("m.py:K.m", m=text) == {}


class TestByName:
    def test_a_rare_name_of_an_unknown_receiver(self) -> None:
        text = "def use(x): x.compute_total(); x.append(1); x.common()\n"
        kinds = "class A:\n  def compute_total(self): ...\n  def append(self): ...\n"
        many = "\n".join(f"class C{number}:\n  def common(self): ..." for number in range(4))
        assert invoked("m.py:use", m=text, kinds=kinds, many=many) == {"A.compute_total": "name"}

    def test_not_for_what_is_known(self) -> None:
        text = """
            import os
            class Known: ...
            def use(k: Known, t: str):
                os.compute_total(); k.compute_total(); t.compute_total(); [].compute_total()
                compute_total()
        """
        assert invoked("m.py:use", m=text, kinds="class A:\n  def compute_total(self): ...") == {}

    def test_a_mixin_meets_its_heirs(self) -> None:
        text = "class Mixin:\n  def f(self): self.special()\nclass K(Mixin):\n  def special(self): ...\n"
        assert invoked("m.py:Mixin.f", m=text) == {"K.special": "name"}


class TestOtherEdges:
    def test_inheritance(self) -> None:
        found = edges(
            program(
                m="import b\nfrom b import C as D\nclass X(b.A[int], D, Exception, metaclass=b.M): ...",
                b="class A: ...\nclass C: ...\nclass M(type): ...",
            ),
            "m.py:X",
        )
        assert found == {"inherits b.py:A": "exact", "inherits b.py:C": "exact"}

    def test_decorators_are_looked_up_outside_of_what_they_decorate(self) -> None:
        text = "def deco(f): ...\n@deco\ndef f(deco): deco()\n@deco\nclass K: ...\n"
        assert invoked("m.py:f", m=text) == {"deco": "exact"}
        assert invoked("m.py:K", m=text) == {"deco": "exact"}

    def test_imports_lead_to_definitions_modules_and_files_of_variables(self) -> None:
        found = program(
            m="from b import f, K, x, unseen\nimport b\nfrom p import b as c\nimport nowhere",
            b="def f(): ...\nclass K: ...\nx = 1",
            p__init="import b",
        )
        assert edges(found, "m.py") == {
            "imports b.py:f": "exact",
            "imports b.py:K": "exact",
            "imports b.py": "exact",
        }

    def test_fixtures_are_what_tests_get(self) -> None:
        found = MemoryProgram(
            {
                "app.py": "class App:\n  def run_it(self): ...\n  def other(self): ...\n",
                "conftest.py": "import pytest, app\n@pytest.fixture\ndef web():\n  one = app.App()\n  yield one\n",
                "tests/test_app.py": "def test_a(web): web.run_it()\ndef test_b():\n  for a, web in x: web.run_it()\n",
                "tests/tools.py": "def test_c(web): web.run_it()\n",
            }
        )
        assert edges(found, "tests/test_app.py:test_a") == {"invokes app.py:App.run_it": "scoped"}
        assert edges(found, "tests/tools.py:test_c") == {"invokes app.py:App.run_it": "name"}

    def test_each_target_once_by_the_surest_way(self) -> None:
        text = "class K:\n  def go(self): ...\ndef use(x):\n  x.go()\n  K().go()\n  x.go()\n"
        found = program(m=text)
        links = PythonResolver(found).links(found.files["m.py"])
        invoked = {link.target.symbol: link.how for link in links if isinstance(link.target, Definition)}
        assert invoked == {"K": "exact", "K.go": "exact"}
        assert len(links) == 2


class TestAnyProgram:
    def test_answers_do_not_depend_on_the_order_of_questions(self) -> None:
        texts = {
            path.relative_to(FIXTURE / "repo").as_posix(): path.read_text("utf-8")
            for path in (FIXTURE / "repo").rglob("*.py")
        }
        found = MemoryProgram(texts)
        files = list(found.files.values())

        def resolved(order: list[int]) -> dict[int, set[object]]:
            graph = Graph(found)
            return {file: set(graph.links(file)) for file in order}

        assert resolved(files) == resolved(files[::-1]) == resolved(files[1::2] + files[::2])

    def test_a_tangle_of_everything_ends_soon(self) -> None:
        # Twice the files, each of which imports all of them: four times the text.
        assert calls_of(lambda: self.untangle(24)) < 8 * calls_of(lambda: self.untangle(12))

    def untangle(self, count: int) -> None:
        names = [f"m{number}" for number in range(count)]
        stars = "\n".join(f"from {name} import *\nfrom {name} import x{place}" for place, name in enumerate(names))
        body = "\n".join(f"x{place} = x{(place * 7 + 3) % count}.y{place}(x{place})" for place in range(count))
        text = f"{stars}\n{body}\nclass K(x1, x2, K):\n  def f(self): return self.f().g(x3).h\n  g = x4.f\n"
        found = program(**dict.fromkeys(names, text))
        for file in found.files.values():
            found.references(file)
            Graph(found).links(file)

    SOURCES = sorted(path.read_text("utf-8") for path in (FIXTURE / "repo").rglob("*.py"))

    @given(st.lists(st.tuples(st.sampled_from(SOURCES), st.integers(0, 4000), st.integers(0, 60)), max_size=5))
    @settings(max_examples=60, deadline=None)
    def test_any_pieces_of_real_files(self, pieces: list[tuple[str, int, int]]) -> None:
        texts = {
            f"lending/m{number}.py": source[: start % (len(source) + 1)] + source[start % (len(source) + 1) + length :]
            for number, (source, start, length) in enumerate(pieces)
        }
        for edge in all_edges(MemoryProgram(texts)):
            assert shown(edge)

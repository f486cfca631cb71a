"""What a Python file refers to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import calls_of
from trackdown.units.extraction import extract
from trackdown.units.references.extract import extract_references
from trackdown.units.references.facts import BlobReferences, decode_references, encode_references

FIXTURES = Path(__file__).parents[2] / "graph" / "fixtures" / "python" / "repo"
SOURCES = sorted(path.read_text("utf-8") for path in FIXTURES.rglob("*.py"))


def read(text: str) -> BlobReferences:
    return extract_references(dedent(text).encode(), "python")


def symbol(text: str, unit: int) -> str:
    return extract(dedent(text).encode(), "python").units[unit].symbol if unit >= 0 else ""


def imports(text: str) -> list[tuple[str, str, str, str]]:
    return [(symbol(text, one.unit), one.module, one.name, one.alias) for one in read(text).imports]


def references(text: str, *kinds: str) -> list[tuple[str, str]]:
    wanted = kinds or ("call",)
    return [(symbol(text, one.unit), one.chain) for one in read(text).references if one.kind in wanted]


def calls(text: str) -> list[str]:
    return [chain for _, chain in references(text)]


def bindings(text: str) -> dict[str, list[str]]:
    """`unit:name` → types."""
    found: dict[str, list[str]] = {}
    for one in read(text).bindings:
        found.setdefault(f"{symbol(text, one.unit)}:{one.name}", []).append(one.type)
    return found


class TestImports:
    @pytest.mark.parametrize(
        ("statement", "expected"),
        [
            ("import os", [("", "os", "", "os")]),
            ("import a.b.c", [("", "a.b.c", "", "a.b.c")]),
            ("import a.b as c, d", [("", "a.b", "", "c"), ("", "d", "", "d")]),
            ("from a.b import c", [("", "a.b", "c", "c")]),
            ("from a import (b as x,\n    c,\n)", [("", "a", "b", "x"), ("", "a", "c", "c")]),
            ("from . import a", [("", ".", "a", "a")]),
            ("from ..b.c import d as e", [("", "..b.c", "d", "e")]),
            ("from ... import *", [("", "...", "*", "")]),
            ("from a import *", [("", "a", "*", "")]),
            ("from __future__ import annotations", []),
        ],
    )
    def test_forms(self, statement: str, expected: list[tuple[str, str, str, str]]) -> None:
        assert imports(statement) == expected

    def test_stand_in_their_units_wherever_they_are(self) -> None:
        text = """
            if TYPE_CHECKING:
                from a import A
            try:
                import fast as impl
            except ImportError:
                import slow as impl
            def f():
                from b import B
                global c
                import c
            class K:
                from d import D
        """
        assert [(unit, alias) for unit, _, _, alias in imports(text)] == [
            ("", "impl"),
            ("", "impl"),
            ("", "c"),
            ("", "A"),
            ("f", "B"),
            ("K", "D"),
        ]


class TestCalls:
    @pytest.mark.parametrize(
        ("expression", "expected"),
        [
            ("run()", ["run"]),
            ("a.b.c()", ["a.b.c"]),
            ("self.x.y()", ["self.x.y"]),
            ("super().m()", ["super().m"]),
            ("super(A, self).m()", ["super().m"]),
            ("Cart().add()", ["Cart", "Cart().add"]),
            ("f()()", ["f", "f()"]),
            ("get(1).x.run()", ["get", "get().x.run"]),
            ("(await fetch()).read()", ["fetch", "fetch().read"]),
            ("items[0].save()", ["items.__getitem__().save"]),
            ("items[1:].save()", ["?.save"]),
            ("Stack[int]()", ["Stack"]),
            ("HANDLERS[name]()", ["HANDLERS.__getitem__()"]),
            ("(a or b).run()", ["?.run"]),
            ("(a + b)()", []),
            ("', '.join(xs)", []),
            ("[].append(1)", []),
            ("f'{show(1)}'", ["show"]),
            ("type(self).make()", ["self.__class__.make", "type"]),
            ("cast('Cart', x).add()", ["Cart().add", "cast"]),
            ("[x.save() for x in xs]", ["xs.__iter__().save"]),
            ("{k.a(): v.b() for k, v in pairs}", ["?.a", "?.b"]),
            ("[y.b() for x in xs for y in x.parts]", ["xs.__iter__().parts.__iter__().b"]),
            ("lambda x: x.go(y)", ["?.go"]),
            ("x.save(lambda x: 1)", ["x.save"]),
        ],
    )
    def test_chains(self, expression: str, expected: list[str]) -> None:
        assert sorted(calls(expression)) == sorted(expected)

    @pytest.mark.parametrize(
        ("call", "arity"),
        [("f()", 0), ("f(1, b=2)", 2), ("f(*a)", -1), ("f(1, **k)", -1), ("f(x for x in y)", 1), ("f(\n # no\n 1)", 1)],
    )
    def test_arity(self, call: str, arity: int) -> None:
        assert [one.arity for one in read(call).references] == [arity]

    def test_belong_to_the_innermost_unit_and_know_their_line(self) -> None:
        text = """
            top()
            class K:
                x = of_class()
                def m(self, y=default()):
                    def inner():
                        deep()
                    return outer()
        """
        assert references(text) == [
            ("", "top"),
            ("K", "of_class"),
            ("K.m", "default"),
            ("K.m.inner", "deep"),
            ("K.m", "outer"),
        ]
        assert [one.line for one in read(text).references] == [2, 4, 5, 7, 8]


class TestDecoratorsAndBases:
    def test_decorators_are_not_calls_as_well(self) -> None:
        text = """
            @plain
            @app.route("/", methods=make())
            def f(): ...
            @dataclass(frozen=True)
            class K: ...
        """
        assert references(text, "decorator") == [("f", "plain"), ("f", "app.route"), ("K", "dataclass")]
        assert references(text) == [("f", "make")]
        assert [one.arity for one in read(text).references if one.kind == "decorator"] == [-1, 2, 1]

    def test_bases(self) -> None:
        text = "class K(A, b.C, Generic[T], m.Base[int], *more, metaclass=Meta, flag=1): ..."
        assert references(text, "base") == [("K", "A"), ("K", "b.C"), ("K", "Generic"), ("K", "m.Base")]

    def test_with_metaclass_has_the_bases_after_the_first(self) -> None:
        assert references("class K(six.with_metaclass(Meta, A, B)): ...", "base") == [("K", "A"), ("K", "B")]


class TestBindings:
    @pytest.mark.parametrize(
        ("annotation", "types"),
        [
            ("X", ["X()"]),
            ("a.b.X", ["a.b.X()"]),
            ("'X'", ["X()"]),
            ("Optional[X]", ["X()"]),
            ("typing.Optional['a.X']", ["a.X()"]),
            ("X | None", ["X()"]),
            ("'X | None'", ["X()"]),
            ("'A' | 'B'", ["A()", "B()"]),
            ("Union[A, None, B]", ["A()", "B()"]),
            ("X[int, str]", ["X()"]),
            ("Annotated[X, 'doc']", ["X()"]),
            ("type[X]", ["X"]),
            ("Type['X']", ["X"]),
            ("list[X]", ["X[]"]),
            ("Iterable['X']", ["X[]"]),
            ("tuple[X, ...]", ["X[]"]),
            ("tuple[X, Y]", ["tuple()"]),
            ("list[X | Y]", ["list()"]),
            ("dict[str, X]", ["dict()"]),
            ("Awaitable[X]", ["X()"]),
            ("Coroutine[Any, Any, X]", ["X()"]),
            ("Callable[[int], X]", ["Callable()"]),
            ("int", ["int()"]),
        ],
    )
    def test_annotations(self, annotation: str, types: list[str]) -> None:
        assert bindings(f"def f(x: {annotation}) -> {annotation}: x.y()") == {"f:x": types, "f:->": types}

    @pytest.mark.parametrize("annotation", ["Any", "None", "object", "1 + 2", "'not a name'", "", "["])
    def test_annotations_that_say_nothing(self, annotation: str) -> None:
        types = [one for found in bindings(f"def f(x: {annotation}): x.y()").values() for one in found]
        assert not any(types)

    @pytest.mark.parametrize(
        ("statement", "types"),
        [
            ("x: T", ["T()"]),
            ("x: T = other", ["T()"]),
            ("x: Any = T()", ["T()"]),
            ("x = T()", ["T()"]),
            ("x = T", ["T"]),
            ("x = a.b.T(1).c", ["a.b.T().c"]),
            ("x = await f()", ["f()"]),
            ("x = y = T()", ["T()"]),
            ("x = a or T()", ["a", "T()"]),
            ("x = a and T()", ["T()"]),
            ("x = A() if b else C()", ["A()", "C()"]),
            ("x = []", ["list()"]),
            ("x = 'a' 'b'", ["str()"]),
            ("x = None", [""]),
            ("x = a + b", [""]),
            ("x, y = A(), B()", ["A()"]),
            ("x, y = pair", [""]),
            ("(x, *y) = pair", [""]),
            ("for x in xs: pass", ["xs.__iter__()"]),
            ("for i, x in enumerate(xs): pass", ["xs.__iter__()"]),
            ("for i, x in xs: pass", [""]),
            ("with T() as x: pass", ["T().__enter__()"]),
            ("with (a, T() as x): pass", ["T().__enter__()"]),
            ("with T() as (x, y): pass", [""]),
            ("try: pass\n    except E as x: pass", ["E()"]),
            ("try: pass\n    except (E, m.F) as x: pass", ["E()", "m.F()"]),
            ("if (x := T()): pass", ["T()"]),
            ("match y:\n        case {'a': x}: pass", [""]),
            ("match y:\n        case K() as x: pass", [""]),
            ("x = cast('T', y)", ["T()"]),
            ("x = T(); x = U()", ["T()", "U()"]),
            ("x = xs[0]", ["xs.__getitem__()"]),
        ],
    )
    def test_locals(self, statement: str, types: list[str]) -> None:
        assert bindings(f"def f():\n    {statement}\n    x.z()")["f:x"] == types

    def test_parameters(self) -> None:
        found = bindings("def f(a, b: B, c=1, d=D(), *e, f: F = None, **g): a(b, c, d, e, f, g); a(c()); d(); e(); g()")
        assert found == {
            "f:a": [""],
            "f:b": ["B()"],
            "f:c": [""],
            "f:d": ["", "D()"],
            "f:e": ["tuple()"],
            "f:f": ["F()"],
            "f:g": ["dict()"],
        }

    def test_the_instance_is_self_whatever_it_is_called(self) -> None:
        text = """
            class K:
                def m(this, y: Y):
                    this.x = y
                    self.no = 1
                @classmethod
                def c(klass): klass.made = klass()
                @staticmethod
                def s(self): self.m()
                def __new__(kind): kind.m()
        """
        found = bindings(text)
        assert found["K.m:this"] == ["self"]
        assert found["K.m:self.x"] == ["y"]
        assert found["K.c:klass"] == ["cls"]
        assert found["K.c:self.made"] == ["klass()"]
        assert found["K.s:self"] == [""]
        assert found["K.__new__:kind"] == ["cls"]

    def test_attributes(self) -> None:
        text = """
            class K:
                a: A
                b = B()
                c = None
                def __init__(self, p: P):
                    self.p = p
                    self.d: D = make()
                    self.e = E()
                    self.e = other()
                    self.f, self.g = 1, G()
                    other.h = H()
                    def later():
                        self.i = I()
        """
        assert bindings(text) == {
            "K:a": ["A()"],
            "K:b": ["B()"],
            "K:c": [""],
            "K.__init__:p": ["P()"],
            "K.__init__:self.p": ["p"],
            "K.__init__:self.d": ["D()"],
            "K.__init__:self.e": ["E()", "other()"],
            "K.__init__:self.f": ["int()"],
            "K.__init__:self.g": ["G()"],
            "K.__init__.later:self.i": ["I()"],
        }

    def test_returns_are_traced_where_nothing_is_declared(self) -> None:
        text = """
            def a() -> A: return B()
            def b():
                if x: return B()
                return self
            def c(): yield C()
            @contextmanager
            def d(): yield D()
            @contextlib.contextmanager
            def e() -> Iterator[E]: yield 1
            def f(): return
        """
        assert bindings(text) == {
            "a:->": ["A()"],
            "b:return": ["B()", "self"],
            "d:return": ["D()"],
            "e:->": ["E()"],
        }

    def test_names_of_a_module_and_of_a_class_are_kept_and_those_of_functions_if_used(self) -> None:
        text = """
            a = compute[1:2]
            class K:
                b = compute[1:2]
            def f(c, d):
                d.run()
                e = None
        """
        assert bindings(text) == {":a": [""], "K:b": [""], "f:d": [""]}

    def test_global_and_nonlocal_bind_elsewhere(self) -> None:
        text = """
            def f():
                y = None
                def g():
                    global x
                    nonlocal y
                    x = X()
                    y = Y()
                y.run()
        """
        assert bindings(text) == {":x": ["X()"], "f:y": ["", "Y()"]}

    def test_isinstance_counts_where_nothing_else_is_said(self) -> None:
        text = """
            def f(a, b: B, self):
                if isinstance(a, A) or isinstance(a, (m.C, D)): a.run()
                if isinstance(b, C): b.run()
                if isinstance(elsewhere, E): elsewhere.run()
        """
        assert bindings(text) == {"f:a": ["", "A()", "m.C()", "D()"], "f:b": ["B()"]}

    def test_type_variables_and_aliases(self) -> None:
        text = "T = TypeVar('T', bound='Base')\ntype Alias = Cart | None\n"
        assert bindings(text) == {":T": ["Base"], ":Alias": ["Cart"]}


class TestExports:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("__all__ = ['a', \"b\"]", ["a", "b"]),
            ("__all__ = ('a',)\n__all__ += ['b']\n__all__.append('c')\n__all__.extend(['d'])", ["a", "b", "c", "d"]),
            ("__all__ = ['a'] + other.__all__", ["a", "*"]),
            ("__all__ = [n for n in dir()]", ["*"]),
            ("x = ['a']", []),
        ],
    )
    def test_all(self, text: str, names: list[str]) -> None:
        assert [one.name for one in read(text).exports] == names


class TestAnyContent:
    def test_facts_survive_the_store_and_do_not_depend_on_the_run(self) -> None:
        for source in SOURCES:
            found = read(source)
            assert decode_references(encode_references(found)) == found == read(source)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "x",
            "def",
            "def f(: pass",
            "class (A): x = 1",
            "class K(",
            "from import x",
            "from . import",
            "import",
            "@",
            "with as x: pass",
            "for in x: pass",
            "lambda: lambda x=: x()",
            "x = ",
            "self. = 1",
            "__all__ = ",
            "isinstance(x)",
            "cast()",
            "type()",
            "super(",
            "TypeVar(bound=)",
            "\0()",
            "def f(x:): x()",
            "f(*)",
        ],
    )
    def test_broken_syntax(self, text: str) -> None:
        read(text)

    @pytest.mark.parametrize(
        "text",
        [
            lambda n: "f(" * n + ")" * n,
            lambda n: "(" * n + "x" + ")" * n + "()",
            lambda n: "x" + ".a()" * n,
            lambda n: "x" + "()" * n,
            lambda n: "x" + "[0]" * n + "()",
            lambda n: "x = " + "a or " * n + "b",
            lambda n: "x = " * n + "y",
            lambda n: "type(" * n + "x" + ")" * n + "()",
            lambda n: "def f(x: " + "Optional[" * n + "X" + "]" * n + "): x()",
            lambda n: "\n".join(" " * depth + f"def f{depth}():" for depth in range(n // 32)) + "\n" + " " * 90 + "g()",
            lambda n: "[" * (n // 8) + "x()" + " for x in x]" * (n // 8),
            lambda n: "\n".join("[x.a() for x in y]" for _ in range(n)),
        ],
        ids=[
            "arguments",
            "brackets",
            "fluent",
            "calls",
            "indexes",
            "or",
            "targets",
            "type",
            "annotation",
            "functions",
            "comprehensions",
            "many comprehensions",
        ],
    )
    def test_deep_and_long_content_ends_soon(self, text: Callable[[int], str]) -> None:
        assert calls_of(lambda: read(text(2000))) < 3 * calls_of(lambda: read(text(1000)))
        read(text(3000))

    @given(st.text(max_size=300))
    @settings(max_examples=150, deadline=None)
    def test_any_text(self, text: str) -> None:
        read(text)

    @given(
        st.sampled_from(SOURCES),
        st.integers(0, 1 << 16),
        st.integers(0, 40),
        st.text(alphabet="()[]{}:,.=*@'\"\n\t x_dfl", max_size=12),
    )
    @settings(max_examples=250, deadline=None)
    def test_any_cut_into_a_real_file(self, source: str, place: int, length: int, instead: str) -> None:
        place %= len(source) + 1
        found = read(source[:place] + instead + source[place + length :])
        assert decode_references(encode_references(found)) == found

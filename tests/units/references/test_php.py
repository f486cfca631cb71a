"""What the reader of PHP finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import Reading, read_text
from trackdown.units.references.facts import Import


def method(body: str) -> Reading:
    """A method `C.m` of a class `C`."""
    return read_text(f"<?php\nclass C {{\n    function m($p) {{\n        {body}\n    }}\n}}\n", "php")


def test_uses_and_requires() -> None:
    text = r"""<?php
namespace N\M;
use A\B as C;
use A\{D, E as F};
use function A\f;
use const A\G;
require_once __DIR__ . '/x.php';
include 'y.php';
"""
    found = read_text(text, "php")
    assert found.package == "N.M"
    assert found.imports == [
        Import(-1, 3, "A", "B", "C"),
        Import(-1, 4, "A", "D", "D"),
        Import(-1, 4, "A", "E", "F"),
        Import(-1, 5, "A", "f", "f"),
        Import(-1, 7, "./x.php", "", ""),
        Import(-1, 8, "y.php", "", ""),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run(1);", "call run/1"),
        (r"\A\run();", "call .A.run/0"),
        (r"A\run();", "call A.run/0"),
        ("$this->run();", "call self.run/0"),
        ("self::run();", "call self.run/0"),
        ("static::run();", "call self.run/0"),
        ("parent::run();", "call super.run/0"),
        ("$this->a->run(1, 2);", "call self.a.run/2"),
        ("$p->run();", "call $p.run/0"),
        ("$p?->run();", "call $p.run/0"),
        ("A::run();", "call A.run/0"),
        ("A::make()->run();", "call A.make().run/0"),
        ("A::$one->run();", "call A.one.run/0"),
        ("(new A(1))->run();", "call A().run/0"),
        ("$p[0]->run();", "call $p[].run/0"),
        ("$x = new A(1);", "new A/1"),
        ("$x = new static();", "new self/0"),
        ("$x = new class extends A {};", "new A/-1"),
        ("throw new Err('x');", "new Err/1"),
    ],
)
def test_calls(code: str, expected: str) -> None:
    assert expected in method(code).references["C.m"]


@pytest.mark.parametrize("code", ["$f(1);", "$p->$name();", "new $name();"])
def test_what_cannot_be_told(code: str) -> None:
    assert method(code).references == {}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("$x = new A();", "$x: A()"),
        ("$x = $this->make();", "$x: self.make()"),
        ("$x = clone $p;", "$x: $p"),
        ("$this->x = new A();", "self.x: A()"),
        ("foreach ($p as $k => $x) {}", "$x: $p[]"),
        (r"try {} catch (\Err $x) {}", "$x: .Err"),
        ("go(function (A $x) {});", "$x: A"),
    ],
)
def test_bindings(code: str, expected: str) -> None:
    assert expected in method(code).bindings["C.m"]


def test_classes_bind_what_code_and_comments_say() -> None:
    text = r"""<?php
class C extends \A\B implements I, J\K
{
    use T;
    private ?Foo $a = null;
    /** @var Bar[] */
    private array $b;
    public function __construct(private Foo $c, $d) {}
    /**
     * @param Baz|null $e what
     * @return Qux
     */
    public function m($e, int $f) {}
}
"""
    found = read_text(text, "php")
    assert found.references == {"C": ["base .A.B/-1", "implements I/-1", "implements J.K/-1", "implements T/-1"]}
    assert found.bindings["C"] == ["self.a: Foo", "self.b: Bar[]"]
    assert found.bindings["C.__construct"] == ["$c: Foo", "self.c: Foo", "$d: "]
    assert found.bindings["C.m"] == ["->: Qux", "$e: Baz", "$f: int"]

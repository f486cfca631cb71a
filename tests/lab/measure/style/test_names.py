"""Which names of a snippet are variables, and which interfaces it calls: by hand, in several languages."""

from __future__ import annotations

import pytest

from trackdown.lab.measure.style.snippet import read_names
from trackdown.lab.measure.style.syntax import calls, variables
from trackdown.units import syntax_tree

PYTHON = '''\
import math as m
from collections import Counter


@cache
class Shelf(Base):
    """A shelf."""

    def fill(self, items: list[int], *rest, key=None, **more) -> dict[str, int]:
        with open(items) as handle:
            data = handle.read()
        total = m.sqrt(sum(one.size for one in rest))  # comment about nothing
        self.table[total] = Counter(data)
        ordered = sorted(rest, key=lambda pair: pair[1])
        handlers[items](ordered)
        return {name: value for name, value in more.items() if (kept := name)}
'''
JAVA = """\
import java.util.*;
class Shop<T> {
    int total;
    @Override
    public static int solve(int[] nums, List<Integer> others) throws IOException {
        Map<String, Integer> seen = new HashMap<>();
        final int MAX_N = Integer.MAX_VALUE;
        for (int i = 0; i < nums.length; i++) { seen.put("a", Math.max(nums[i], MAX_N)); }
        for (Integer other : others) { System.out.println(other); this.total = helper(other); }
        return others.stream().map(v -> v + 1).collect(Collectors.toList()).size();
    }
}
"""
EXPECTED = {
    "python": (
        PYTHON,
        "self items rest key more handle data total one ordered pair handlers name value kept",
        "open read sqrt sum Counter sorted items",
    ),
    "java": (
        JAVA,
        "total nums others seen MAX_N i other v",
        "HashMap put max println helper stream map collect toList size",
    ),
    "javascript": (
        "import {readFile} from 'fs';\nfunction load(path, {mode, flag: other}) {\n  const text = readFile(path, mode);"
        "\n  let n = 0;\n  for (const line of text.split('\\n')) { n += line.length; }\n"
        "  return new Map([[path, n]]).get(other);\n}",
        "path mode other text n line",
        "readFile split Map get",
    ),
    "go": (
        "package main\nfunc (s *Server) Run(addr string, n int) error {\n\tx, ok := s.table[addr]\n\tif !ok {\n"
        "\t\treturn missing(addr)\n\t}\n\tfor i, v := range x {\n\t\tn += i\n\t\ts.log.Print(v)\n\t}\n\treturn nil\n}",
        "s addr n x ok i v",
        "missing Print",
    ),
    "rust": (
        "fn count(words: &[String], limit: usize) -> usize {\n let mut map = HashMap::new();\n"
        ' for w in words { map.insert(w.clone(), 1); }\n println!("{}", limit);\n map.len()\n}',
        "words limit map w",
        "new insert clone println len",
    ),
    "csharp": (
        "class P { int Sum(int[] xs) { var total = 0; foreach (var x in xs) { total += x; }"
        " Console.WriteLine(total); var kept = new List<int>(); kept.Add(total); return kept.Count; } }",
        "xs total x kept",
        "WriteLine List Add",
    ),
}


@pytest.mark.parametrize("language", EXPECTED)
def test_variables_and_calls_are_those_found_by_hand(language: str) -> None:
    code, named, called = EXPECTED[language]
    root = syntax_tree(code.encode(), language)
    assert set(variables(root).values()) == set(named.split())
    assert calls(root) == set(called.split())


def test_variables_are_cut_at_underscores_and_calls_are_not() -> None:
    found = read_names("num_set = _private__name = _ = make_set(__all__)", "python")
    assert found.variables == {"num", "set", "private", "name", "_", "all"}
    assert found.calls == {"make_set"}


def test_a_call_without_a_name_calls_nothing_that_has_one() -> None:
    assert calls(syntax_tree(b"(lambda x: x)(1)\nhandlers[0](2)\nmake()(3)\n", "python")) == {"make"}


def test_what_is_imported_is_no_variable_where_it_is_used_either() -> None:
    assert read_names("import numpy as np\nx = np\ny = numpy\n", "python").variables == {"x", "y"}

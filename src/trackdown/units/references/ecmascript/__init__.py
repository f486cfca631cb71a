"""JavaScript and TypeScript, with JSX: a syntax tree → what it refers to.

Beside what `facts` says: names that hold `~` are made up, for what has no name of its own or shares it with a name of
another block. A type may be `typeof a.b`, the value itself and no instance of it; `#7`, the unit of that index; or
`{a.b}`, an object whose functions have symbols that begin so. `Cart[]` holds many. A binding may be of an attribute:
`api.list`, `->.list`. `this` is bound where it is not what its unit's place suggests.
"""

from trackdown.units.references.ecmascript.reader import read

__all__ = ["read"]

"""Members of a type as text: signature, docs, attributes, body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.synthetic.names import Names, camel, pick, skewed
from benchmarks.synthetic.statements import body
from benchmarks.synthetic.words import FRAMEWORK_TYPES, NOUNS

_ACCESS = ("public", "public", "public", "private", "internal", "protected", "private", "public")
_MODIFIERS = ("", "", "", "", "", " static", " virtual", " async", "")
_ATTRIBUTES = (
    "[Fact]",
    "[Obsolete]",
    '[JsonProperty("{0}")]',
    "[Theory]",
    "[NotNull]",
    "[DebuggerStepThrough]",
)
_SYMBOLS = ("NET8_0_OR_GREATER", "DEBUG", "NETFRAMEWORK", "!NETSTANDARD2_0", "TRACE && !MONO")


@dataclass(slots=True)
class Sight:
    """Scope of a project's code: its types and those of the projects it refers to, and its statements."""

    types: Sequence[str]
    pool: Sequence[str]


class Members:
    """Writes members with one source of chance and names."""

    def __init__(self, random: Random, names: Names, sight: Sight) -> None:
        self._random = random
        self._names = names
        self._sight = sight

    def of_class(self, owner: str, count: int) -> list[str]:
        """So many members of a class, struct or record."""
        made = [self._constructor(owner)] if self._random.random() < 0.5 else []
        return made + [self._any(owner) for _ in range(count)]

    def of_interface(self, count: int) -> list[str]:
        """So many members of an interface."""
        return [f"{self._docs()}    {self._signature('')};\n" for _ in range(count)]

    def of_enum(self, count: int) -> list[str]:
        """So many enum members, each name once."""
        named = dict.fromkeys(self._names.value(self._random) for _ in range(count))
        return [f"{self._docs() if self._random.random() < 0.3 else ''}    {name},\n" for name in named]

    def conditional(self, members: list[str], *, otherwise: bool) -> None:
        """Puts `#if` around one of the members. `otherwise`: half of the time with a property in the `#else`."""
        at = int(self._random.random() * len(members))
        other = f"#else\n{self._property()}" if otherwise and self._random.random() < 0.5 else ""
        members[at] = f"#if {pick(self._random, _SYMBOLS)}\n{members[at]}{other}#endif\n"

    def type(self) -> str:
        """A type as written in a signature."""
        random = self._random
        if random.random() < 0.6:
            return skewed(random, FRAMEWORK_TYPES)
        name = pick(random, self._sight.types)
        return f"IReadOnlyList<{name}>" if random.random() < 0.12 else name

    def parameters(self) -> str:
        """A parameter list without its brackets."""
        random = self._random
        count = int(random.random() ** 2 * 5)
        texts = [f"{self.type()} {camel(pick(random, NOUNS))}{at or ''}" for at in range(count)]
        if texts and random.random() < 0.1:
            texts[-1] += " = default"
        return ", ".join(texts)

    def _any(self, owner: str) -> str:
        chance = self._random.random()
        if chance < 0.60:
            return self._method()
        if chance < 0.82:
            return self._property()
        if chance < 0.95:
            return self._field()
        if chance < 0.975:
            return f"    public const int {self._names.value(self._random)} = {int(chance * 1e4)};\n\n"
        if chance < 0.985:
            return (
                f"    public event EventHandler<{self.type()}>? {self._names.value(self._random)}Changed;\n\n"
            )
        if chance < 0.993:
            return f"    public {self.type()} this[{self.type()} key] => _items[key];\n\n"
        return f"    public static bool operator ==({owner} left, {owner} right) => left.Equals(right);\n\n"

    def _method(self) -> str:
        random = self._random
        signature = self._signature(pick(random, _ACCESS) + pick(random, _MODIFIERS) + " ")
        if random.random() < 0.08:
            return f"{self._lead()}    {signature} => {camel(pick(random, NOUNS))}.{self._names.method(random)}();\n\n"
        return f"{self._lead()}    {signature}\n{self._body(340, 1.15)}\n"

    def _signature(self, words: str) -> str:
        generic = "<TItem>" if self._random.random() < 0.04 else ""
        return f"{words}{self.type()} {self._names.method(self._random)}{generic}({self.parameters()})"

    def _constructor(self, owner: str) -> str:
        return f"{self._lead()}    public {owner}({self.parameters()})\n{self._body(150, 0.6)}\n"

    def _property(self) -> str:
        chance = self._random.random()
        head = f"{self._lead()}    public {self.type()} {self._names.value(self._random)}"
        if chance < 0.6:
            return head + " { get; set; }\n\n"
        if chance < 0.8:
            return head + f" => _{camel(pick(self._random, NOUNS))};\n\n"
        return head + " { get; private set; } = new();\n\n"

    def _field(self) -> str:
        words = "private readonly" if self._random.random() < 0.7 else "private static"
        return f"    {words} {self.type()} _{camel(self._names.value(self._random))};\n\n"

    def _body(self, median: float, spread: float) -> str:
        size = median * pow(2.718, spread * self._random.normalvariate())
        return body(self._random, self._sight.pool, min(size, 40_000))

    def _lead(self) -> str:
        return self._docs() + self._attribute()

    def _docs(self) -> str:
        random = self._random
        if random.random() >= 0.3:
            return ""
        words = " ".join([pick(random, NOUNS).lower() for _ in range(4 + int(random.random() * 14))])
        text = f"    /// <summary>\n    /// {words.capitalize()} of a {words[:9]}.\n    /// </summary>\n"
        if random.random() < 0.3:
            text += f'    /// <returns>The <see cref="{pick(random, self._sight.types)}"/>.</returns>\n'
        return text

    def _attribute(self) -> str:
        if self._random.random() >= 0.25:
            return ""
        return f"    {pick(self._random, _ATTRIBUTES).format(camel(pick(self._random, NOUNS)))}\n"

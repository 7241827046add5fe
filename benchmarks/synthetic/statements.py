"""Statements that bodies are made of, filled in once a project with names that the project can see."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.synthetic.names import Names, camel, pick
from benchmarks.synthetic.words import NOUNS

_BLOCKS = r"""
var {v} = {o}.{m}({n});

if ({v} == null)
{{
    throw new ArgumentNullException(nameof({v}));
}}

foreach (var {v} in {o}.{p})
{{
    if ({v}.{p} > {n})
    {{
        {o}.{m}({v}, {n});
    }}
}}

_logger.LogInformation("{s} {{{p}}} of {{Count}}", {v}.{p}, {n});

// {s} {s2} before {s}: the {v} may be shared with another {o}.

return {o}.{m}({v})?.{p} ?? new {t}();

for (var i = 0; i < {v}.{p}.Length; i++)
{{
    {o}[i] = {v}.{m}(i, {n});
}}

await {o}.{m}({v}, cancellationToken).ConfigureAwait(false);

var {v} = {o}.{p}.Where(x => x.{p2} != {n}).Select(x => new {t} {{ {p} = x.{p2} }}).ToList();

var {v} = $"{s}/{{{o}.{p}}}/{{{v}:N{n}}}?q={{{o}.{m}("{s2}")}}";

try
{{
    {o}.{m}({v});
}}
catch (InvalidOperationException e) when (e.Message.Length > {n})
{{
    throw new {t}("{s} failed", e);
}}

switch ({v}.{p})
{{
    case {n}:
        {o}.{m}();
        break;
    default:
        return default;
}}

var {v} = {o}.{p} switch
{{
    null => {n},
    {t} {{ {p2}: > {n} }} x => x.{p2},
    _ => -1,
}};

if (!{o}.TryGetValue({v}, out var {p3}) || {p3}.{p} is not {t} {{ }})
{{
    return {o}.{m}({p3});
}}

using var {v} = new {t}({o}, {n});

{o}.{p} = "{s} {s2}, {s}";
{v}.{p2} += {n};

Assert.Equal({n}, {o}.{m}({v}).{p});

lock (_gate)
{{
    {o}.{m}({v});
    _pending.Add(new {t}({v}, "{s}"));
}}

while ({o}.{m}({v}, ref {p3}) && {p3} < {n})
{{
    {v} = {v}.{p};
}}

/* {s} {s2} {s}; see {t} */

var {v} = @"C:\{s}\{s2}""{{{n}}}";

Func<{t}, bool> {v} = x =>
{{
    var y = x.{m}({n});
    return y != null && y.{p} == '{{';
}};
""".strip().split("\n\n")


def statements(random: Random, names: Names, types: Sequence[str], count: int) -> list[str]:
    """So many statements or short blocks, indented as in a body of a top-level type."""
    return [_statement(random, names, types) for _ in range(count)]


def body(random: Random, pool: Sequence[str], size: float) -> str:
    """Statements of about `size` bytes in braces, indented as a member's body."""
    parts = ["    {\n"]
    while size > 0:
        text = pool[int(random.random() * len(pool))]
        parts.append(text)
        size -= len(text)
    parts.append("    }\n")
    return "".join(parts)


def _statement(random: Random, names: Names, types: Sequence[str]) -> str:
    filled = pick(random, _BLOCKS).format(
        v=camel(pick(random, NOUNS)),
        o="_" + camel(pick(random, NOUNS)),
        m=names.method(random),
        p=names.value(random),
        p2=names.value(random),
        p3=camel(names.value(random)),
        t=pick(random, types),
        s=pick(random, NOUNS).lower(),
        s2=pick(random, NOUNS).lower(),
        n=int(random.random() * 100),
    )
    return "        " + filled.replace("\n", "\n        ") + "\n"

"""Names, ids and signatures of symbols (SPEC section 3): the one place that spells them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from services.model import TYPE_KINDS, Kind
from services.syntax.records.declaration import Declaration, ParameterRecord
from services.syntax.records.hashing import base32, base32_of, canonical_signature
from services.syntax.records.words import KEYWORDS

TYPE_ID_LENGTHS = (8, 12, 16, 20, 24)
MEMBER_ID_LENGTHS = (6, 12, 16, 20, 24)

_MOST_PARTS = 500
_WORDS = {Kind.RECORD_STRUCT: "record struct", Kind.CONSTANT: "const"}
_NO_RETURN = frozenset({Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION, Kind.ENUM_MEMBER})


def for_people(fqn: str, type_parameters: tuple[str, ...] = ()) -> str:
    """An FQN with generic arity as `<T>`: the innermost type's own parameter names where they are known."""
    parts = fqn.replace("+", ".").split("`")
    if len(parts) == 1:
        return parts[0]
    out = parts[0]
    for at, part in enumerate(parts[1:], 1):
        digits = len(part) - len(part.lstrip("0123456789"))
        last = at == len(parts) - 1 and not part[digits:]
        names = type_parameters if last and type_parameters else _letters(int(part[:digits] or 0))
        out += f"<{', '.join(names)}>" + part[digits:]
    return out


def _letters(arity: int) -> tuple[str, ...]:
    return ("T",) if arity == 1 else tuple(f"T{i + 1}" for i in range(arity))


def type_digest(fqn: str, kind: Kind, arity: int, *owners: str) -> bytes:
    """Return the digest from which a TypeId is made. `owners`: where several symbols have the same key, the project,
    and the file of a type that no other file sees."""
    return sha256("|".join((fqn, kind, str(arity), *owners)).encode()).digest()


def type_id(digest: bytes, length: int = TYPE_ID_LENGTHS[0]) -> str:
    """`T_` and `length` characters."""
    return "T_" + base32(digest, length)


def namespace_id(fqn: str) -> str:
    """`N_` and 8 characters, made like a TypeId."""
    return "N_" + base32(sha256(f"{fqn}|namespace|0".encode()).digest(), TYPE_ID_LENGTHS[0])


def with_outer(namespaces: Iterable[str]) -> set[str]:
    """Namespaces and all those around them; none has no name. Of one with more parts than anybody writes, the
    outermost alone: all of them take the square of its length."""
    found: set[str] = set()
    for namespace in namespaces:
        if namespace.count(".") > _MOST_PARTS:
            found.add(namespace)
            namespace = ".".join(namespace.split(".", _MOST_PARTS)[:_MOST_PARTS])
        while namespace and namespace not in found:
            found.add(namespace)
            namespace = namespace.rpartition(".")[0]
    return found


def member_ids(
    owner_id: str,
    members: list[Declaration],
    declaring: str,
    *,
    collided: Callable[[str, list[str]], None] = lambda *_: None,
) -> list[str]:
    """Return the MemberIds of all members of one type, in order; colliding ids are lengthened together, and
    `collided` is called with the id and the signatures."""
    signatures = [canonical_signature(m, declaring) for m in members]
    digests = [sha256(text.encode()).digest() for text in signatures]
    shorts = [base32(digest, MEMBER_ID_LENGTHS[0]) for digest in digests]
    if len(set(shorts)) == len(shorts):
        return [f"{owner_id}_{short}" for short in shorts]
    ids = [""] * len(members)
    pending = list(range(len(members)))
    seen: dict[bytes, int] = {}
    for length in MEMBER_ID_LENGTHS:
        groups: dict[str, list[int]] = {}
        for at in pending:
            groups.setdefault(base32(digests[at], length), []).append(at)
        pending = []
        for text, places in groups.items():
            if len({digests[at] for at in places}) == 1 or length == MEMBER_ID_LENGTHS[-1]:
                for at in places:
                    ids[at] = _numbered(f"{owner_id}_{text}", digests[at], seen)
            else:
                pending += places
                collided(f"{owner_id}_{text}", sorted({signatures[at] for at in places}))
    return ids


def short_member_ids(owner_id: str, numbers: Sequence[int]) -> list[str] | None:
    """Return the result of `member_ids` from the numbers of the signatures alone; None where two are equal."""
    if len(set(numbers)) != len(numbers):
        return None
    return [f"{owner_id}_{base32_of(number)}" for number in numbers]


def _numbered(id_: str, digest: bytes, seen: dict[bytes, int]) -> str:
    """Distinguish equal signatures (two branches of a broken file, parts of a partial method) by a counter."""
    count = seen[digest] = seen.get(digest, 0) + 1
    return id_ if count == 1 else f"{id_}.{count}"


def written(name: str) -> str:
    """A name as C# has it where it is declared: `@class`, `~@class`. Ids, labels and lookups go by the bare name."""
    word = name.removeprefix("~")
    return name.replace(word, f"@{word}") if word in KEYWORDS else name


def parameter_text(parameter: ParameterRecord) -> str:
    """`ref int count = 1`."""
    text = f"{parameter.modifier} {parameter.type}".strip()
    if parameter.name:
        text += f" {written(parameter.name)}"
    return f"{text} = {parameter.default}" if parameter.default else text


def label(declaration: Declaration) -> str:
    """Return the label of a row of a list: `SerializeObject(object?)`, `JsonReader<T>`."""
    name = _shown_name(declaration)
    if declaration.name == "this[]":
        return f"this[{types_of(declaration.parameters or ())}]"
    if declaration.type_parameters:
        name += f"<{', '.join(declaration.type_parameters)}>"
    if declaration.explicit:
        name = f"{declaration.explicit}.{name}"
    if declaration.parameters is None or declaration.kind in _TYPE_WORDS:
        return name
    return f"{name}({types_of(declaration.parameters)})"


def types_of(parameters: Sequence[ParameterRecord]) -> str:
    """`object?, ref int`: parameters as a row of a list shows them."""
    return ", ".join([f"{p.modifier} {p.type}".strip() if p.modifier else p.type.strip() for p in parameters])


def _shown_name(declaration: Declaration) -> str:
    """A conversion is named by its target."""
    if declaration.kind is Kind.CONVERSION:
        return f"{declaration.name} {declaration.returns}"
    return declaration.name


_TYPE_WORDS = TYPE_KINDS - {Kind.DELEGATE}


def shown_modifiers(modifiers: Sequence[str]) -> list[str]:
    """Modifiers as C# writes them: a closed class is abstract without saying so."""
    return [word for word in modifiers if word != "abstract" or "closed" not in modifiers]


def signature(declaration: Declaration) -> str:
    """The declaration as C# on one line, without body, attributes and docs."""
    head = [declaration.access if not _silent(declaration) else "", *shown_modifiers(declaration.modifiers)]
    kind = declaration.kind
    if kind in _TYPE_WORDS:
        head.append(_WORDS.get(kind, kind.value))
    elif kind is Kind.DELEGATE:
        head += ["delegate", declaration.returns or ""]
    elif kind is Kind.EVENT:
        head += ["event", declaration.returns or ""]
    elif kind not in _NO_RETURN:
        head.append(declaration.returns or "")
    text = " ".join(filter(None, head)) + (" " if any(head) else "") + _declared(declaration)
    for constraints in filter(None, (declaration.block_constraints, declaration.constraints)):
        text += f" {constraints}"
    return text + _tail(declaration)


def _silent(declaration: Declaration) -> bool:
    """Whether C# omits the access: explicit implementations, enum members, finalizers, static constructors."""
    kind = declaration.kind
    return (
        bool(declaration.explicit)
        or kind in (Kind.ENUM_MEMBER, Kind.DESTRUCTOR)
        or (kind is Kind.CONSTRUCTOR and "static" in declaration.modifiers)
    )


def _declared(declaration: Declaration) -> str:
    """Name, type parameters and parameters with their names; of a member of an extension block, what is extended."""
    name = f"{_extended(declaration, declaration.receiver)}." if declaration.receiver is not None else ""
    name += f"{declaration.explicit}." if declaration.explicit else ""
    name += "this" if declaration.name == "this[]" else written(_shown_name(declaration))
    name += _type_parameters(declaration)
    if declaration.parameters is None:
        return name
    inner = ", ".join(map(parameter_text, declaration.parameters))
    return f"{name}[{inner}]" if declaration.name == "this[]" else f"{name}({inner})"


def _extended(declaration: Declaration, receiver: ParameterRecord) -> str:
    """`extension<T>(IEnumerable<T> source)`: the block of a member, written where the type of others would be."""
    generic = f"<{', '.join(map(written, declaration.block))}>" if declaration.block else ""
    return f"extension{generic}({parameter_text(receiver)})"


def _type_parameters(declaration: Declaration) -> str:
    """`<in T, out TResult>`, or nothing."""
    names = tuple(map(written, declaration.type_parameters))
    if declaration.variance:
        pairs = zip(declaration.variance, names, strict=True)
        names = tuple(f"{word} {name}".lstrip() for word, name in pairs)
    return f"<{', '.join(names)}>" if names else ""


def _tail(declaration: Declaration) -> str:
    kind = declaration.kind
    if kind in (Kind.PROPERTY, Kind.INDEXER) or (declaration.accessors and kind is Kind.EXTENSION_MEMBER):
        inner = " ".join(_accessor(declaration, *each) for each in declaration.accessors)
        return f" {{ {inner} }}"
    if kind in (Kind.CONSTANT, Kind.ENUM_MEMBER) and declaration.value:
        return f" = {declaration.value}"
    if kind is Kind.FIELD and declaration.value:
        return f"[{declaration.value}]"
    return ""


def _accessor(declaration: Declaration, name: str, access: str) -> str:
    """`private readonly get;`."""
    readonly = "readonly" if name in declaration.readonly else ""
    return " ".join(filter(None, (access, readonly, f"{name};")))

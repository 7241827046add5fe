"""Symbols and types, built as the index builds them."""

from services.model import Access, Base, Kind, Quality, Symbol, SymbolRef, TypeDetail, TypeLink, TypePart

TYPE_ID = "T_7K2M9QXA"
FILE = "src/Json/JsonConvert.cs"


def symbol(signature, *, kind=Kind.METHOD, access="public", name=None, **given):
    """A member of Newtonsoft.Json.JsonConvert; the name is the word before `(` unless given."""
    name = name or signature.partition("(")[0].split()[-1]
    values = {
        "id": f"{TYPE_ID}_{name[:6].upper()}{len(signature)}",
        "kind": kind,
        "fqn": f"Newtonsoft.Json.JsonConvert.{name}",
        "name": name,
        "accessibility": Access(declared=access, effective=access),
        "declaring_type": "Newtonsoft.Json.JsonConvert",
        "file": FILE,
        "start_line": 60,
        "end_line": 64,
        "project": "Newtonsoft.Json",
        "signature": signature,
    }
    return Symbol(**{**values, **given})


def type_symbol(fqn="Newtonsoft.Json.JsonConvert", *, kind=Kind.CLASS, **given):
    name = fqn.replace("+", ".").rpartition(".")[2].partition("`")[0]
    values = {
        "id": TYPE_ID,
        "fqn": fqn,
        "name": name,
        "declaring_type": None,
        "start_line": 52,
        "end_line": 1102,
    }
    return symbol(given.pop("signature", f"public {kind.value} {name}"), kind=kind, **{**values, **given})


def detail(of=None, *members, **given):
    of = of or type_symbol()
    values = {"parts": (TypePart(file=of.file, start_line=of.start_line, end_line=of.end_line),)}
    return TypeDetail(symbol=of, members=members, **{**values, **given})


def nested(label, *, access="public", kind=Kind.CLASS):
    return SymbolRef(
        id=f"T_{label.upper()[:8]}",
        kind=kind,
        label=label,
        path=f"Json.{label}",
        container="Newtonsoft.Json.JsonConvert",
        file=FILE,
        start_line=1,
        end_line=2,
        project="Newtonsoft.Json",
        access=access,
    )


def json_convert():
    """A type with one of everything an outline shows."""
    return detail(
        type_symbol(
            modifiers=("public", "abstract", "partial"),
            bases=(Base(text="Converter<Token>"), Base(text="IDisposable")),
        ),
        symbol("public JsonConvert()", kind=Kind.CONSTRUCTOR, name=".ctor"),
        symbol(
            "public static string SerializeObject(object? value)",
            doc_first_line="Serializes the object to JSON.",
        ),
        symbol("public static T? DeserializeObject<T>(string value)"),
        symbol("public static string SerializeObject(object? value, Formatting formatting)"),
        symbol("protected virtual void Check()", access="protected"),
        symbol("internal void Audit()", access="internal"),
        symbol("private int depth", kind=Kind.FIELD, access="private", name="depth"),
        symbol('public const string Null = "null"', kind=Kind.CONSTANT, name="Null"),
        symbol("public int Depth { get; set; }", kind=Kind.PROPERTY, name="Depth"),
        symbol("public event EventHandler? Done", kind=Kind.EVENT, name="Done"),
        symbol(
            "public static bool operator ==(JsonConvert a, JsonConvert b)",
            kind=Kind.OPERATOR,
            name="op_Equality",
        ),
        symbol("public bool Equals(object? other)", implicit=True),
        nested=(nested("Settings<T>"), nested("Cache", access="private")),
        parts=(
            TypePart(file=FILE, start_line=52, end_line=1102),
            TypePart(
                file="src/Json/JsonConvert.Async.cs", start_line=3, end_line=90, quality=Quality.REPAIRED
            ),
        ),
        doc="Provides methods for converting between .NET types and JSON types.",
        hashes={"structure": "9F2A441C", "impl": "5BC19F77", "doc": "17AD90B2"},
        depends_on=(TypeLink(fqn="A.JsonReader", count=3), TypeLink(fqn="B.JsonWriter`1", count=9)),
        used_by=tuple(TypeLink(fqn=f"N.User{n:02}", count=1) for n in range(41)),
    )

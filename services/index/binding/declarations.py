"""Binder of whole declarations: a member, the header of a type, or the code before all types of a file."""

from __future__ import annotations

import re

from services.index.binding.code.expressions import Expressions
from services.index.binding.code.functions import parameters_of, result_of
from services.index.binding.facts import UNREAD, Facts, Loose
from services.index.binding.session import Session, Tools, simple
from services.index.binding.types.symbol import Bound
from services.index.binding.types.types import (
    CALLEE,
    IN_METHOD,
    AnyType,
    TypeParameter,
    named,
    substituted,
)
from services.index.binding.values import Choice, Local
from services.index.names.space import Context
from services.model import TYPE_KINDS, Kind
from services.syntax.bodies.node import Node
from services.syntax.bodies.tree import Tree, header_end
from services.syntax.parse.lexer import Lexed
from services.syntax.records.declaration import Declaration

_CONTEXT = "context"
"""What the content of a Razor component may name, whatever that gives it."""
_SETTERS = frozenset({"set", "init", "add", "remove"})


class DeclarationBinder:
    """Binds declarations of one project."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def header(self, lexed: Lexed, place: tuple[int, int], declaration: Declaration) -> Facts:
        """Bind the header of a type. `place`: (file, declaration)."""
        end = header_end(lexed, declaration.start, declaration.end)
        tree = Tree(lexed, declaration.start, end, wrapped="type")
        names = self._tools.world.workspace.names
        session = self._session(names.base_context(*place), declaration, is_static=True)
        inside = self._session(names.context(*place), declaration, is_static=True)
        inside.found = session.found
        inside.scope = session.scope
        for node in tree.root.named:
            inside.enter()
            work = _Work(inside, declaration)
            work.functions.attributes(node)
            session.enter()
            _Work(session, declaration).header(node)
            inside.enter()
            work.base_arguments(node)
        return _with_unread(session.found, lexed, tree)

    def member(self, lexed: Lexed, place: tuple[int, int], declaration: Declaration) -> Facts:
        """Bind a member."""
        wrapped = "enum" if declaration.kind is Kind.ENUM_MEMBER else "member"
        tree = Tree(lexed, declaration.start, declaration.end, wrapped=wrapped)
        names = self._tools.world.workspace.names
        context = names.context(*place, declaration.own_parameters)
        is_static = "static" in declaration.modifiers
        session = self._session(context, declaration, is_static=is_static)
        if declaration.receiver is not None:
            received = declaration.receiver
            type_ = self._tools.world.reader.read(received.type, context)
            session.scope.names[received.name.lstrip("@")] = Local(-1, type_)
        work = _Work(session, declaration)
        body = _body_of(tree.root)
        for node in body.named if body is not None else ():
            work.member(node)
        if _may_inherit(declaration) and body is not None and body.named:
            self._inherited_misfits(session, place, declaration, body.named[0])
        return _with_unread(session.found, lexed, tree)

    def _inherited_misfits(
        self, session: Session, place: tuple[int, int], declaration: Declaration, node: Node
    ) -> None:
        """Note that a member overrides or implements a member whose signature has changed."""
        name = node.get("name") or node.child("this")
        if name is None or not session.enclosing:
            return
        world = self._tools.world
        own = world.workspace.itself(session.enclosing[0])
        for symbol in world.declared(own, declaration.name.lstrip("@")):
            if symbol.member is not None and (symbol.member.file, symbol.member.at) == place:
                for target, reason in self._tools.inheritance.misfits(symbol):
                    session.note_misfit(name, target, "override", reason)

    def block(self, lexed: Lexed, place: tuple[int, int], span: tuple[int, int]) -> Facts:
        """Bind the head of an extension block."""
        tree = Tree(lexed, *span, wrapped="block")
        names = self._tools.world.workspace.names
        own = tuple(
            simple(each.get("name") or each.named[-1])
            for each in tree.root.walk()
            if each.type == "type_parameter" and each.named
        )
        session = Session(self._tools, names.context(*place, own), {}, is_static=True)
        work = _Work(session, None)
        body = _body_of(tree.root)
        for node in body.named if body is not None else ():
            work.header(node)
            for each in parameters_of(node):
                if each.get("type") is None:  # a type without a name of its own
                    work.nameless(each)
        return session.found

    def usings(self, lexed: Lexed, span: tuple[int, int], context: Context) -> Facts:
        """Bind a using directive."""
        tree = Tree(lexed, *span, wrapped="unit")
        session = Session(self._tools, context, {}, is_static=True)
        work = _Work(session, None)
        for node in tree.root.named:
            if node.type == "using_directive":
                work.using(node)
        return session.found

    def outside(self, lexed: Lexed, end: int, context: Context) -> Facts:
        """Bind the code before all types of a file: attributes of the assembly."""
        tree = Tree(lexed, 0, end, wrapped="unit")
        session = Session(self._tools, context, {}, is_static=True)
        _Work(session, None).attributes(tree.root)
        return _with_unread(session.found, lexed, tree)

    def program(
        self, lexed: Lexed, place: tuple[int, int], declaration: Declaration, *, is_static: bool = True
    ) -> Facts:
        """Bind top-level statements, in which members of `Program` are in scope."""
        tree = Tree(lexed, declaration.start, declaration.end, wrapped="unit" if is_static else "statements")
        context = self._tools.world.workspace.names.context(*place)
        session = Session(self._tools, context, {}, is_static=is_static)
        if not is_static and _CONTEXT not in self._tools.world.workspace.symbols(context.enclosing[0].index):
            session.scope.names[_CONTEXT] = Local(-1, None)
        _Work(session, declaration).program(tree.root)
        return _with_unread(session.found, lexed, tree)

    def type(
        self, lexed: Lexed, place: tuple[int, int], declaration: Declaration, span: tuple[int, int]
    ) -> Facts:
        """Bind the name of a type that is used alone, as in markup: a type without type parameters, or one whose
        arguments are inferred."""
        found = Facts()
        context = self._tools.world.workspace.names.context(*place)
        for wrapped in ("type name", "type name 1", "type name 2"):
            tree = Tree(lexed, *span, wrapped=wrapped)
            session = self._session(context, declaration, is_static=True)
            work = _Work(session, declaration)
            body = _body_of(tree.root)
            for node in body.named if body is not None else ():
                work.member(node)
            if session.found.facts:
                return session.found
            found = found if wrapped != "type name" else session.found
        return found

    def _session(self, context: Context, declaration: Declaration, *, is_static: bool) -> Session:
        workspace = self._tools.world.workspace
        texts = f"{declaration.block_constraints} {declaration.constraints}"
        bounds: dict[str, Bound] = {}
        if declaration.kind not in TYPE_KINDS or declaration.kind is Kind.DELEGATE:
            bounds = {name: workspace.bound_in(texts, name, context) for name in declaration.own_parameters}
            if declaration.type_parameters and ("override" in declaration.modifiers or declaration.explicit):
                bounds = self._inherited(bounds, context, declaration)
        return Session(self._tools, context, bounds, is_static=is_static)

    def _inherited(
        self, bounds: dict[str, Bound], context: Context, declaration: Declaration
    ) -> dict[str, Bound]:
        """With the constraints of what a member overrides or implements, which it need not repeat."""
        world = self._tools.world
        own = world.workspace.itself(context.enclosing[0].index)
        count = len(declaration.parameters or ()), len(declaration.type_parameters)
        for base in world.closure(own)[0][1:]:
            for symbol in world.declared(base, declaration.name):
                if (len(symbol.parameters), symbol.arity) == count:
                    places = dict(zip(CALLEE, (TypeParameter(n, IN_METHOD) for n in bounds), strict=False))
                    assigned = world.assigned(base)
                    theirs = [
                        tuple(
                            t for each in b.types if (t := substituted(substituted(each, assigned), places))
                        )
                        for b in symbol.signature.bounds
                    ]
                    return {
                        name: Bound((*bound.types, *types), bound.kinds | their.kinds)
                        for (name, bound), types, their in zip(
                            bounds.items(), theirs, symbol.signature.bounds, strict=False
                        )
                    }
        return bounds


class _Work:
    def __init__(self, session: Session, declaration: Declaration | None) -> None:
        self._session = session
        self._declaration = declaration
        self._expressions = Expressions(session)
        self.functions = self._expressions.functions
        self.statements = self._expressions.statements

    def header(self, node: Node) -> None:
        """A type's attributes, parameters, bases and constraints."""
        types = self._expressions.types
        self.functions.declare_parameters(node)
        self.functions.constraints(node)
        self.functions.type_parameters(node)
        listed = node.get("bases") or node.child("base_list")
        for each in listed.named if listed is not None else ():
            if each.type == "primary_constructor_base_type":
                types.read(each.get("type") or each.named[0], "base")
            elif each.type != "argument_list":
                types.read(each, "base")

    def base_arguments(self, node: Node) -> None:
        """Bind the arguments that a primary constructor passes to its base, in the scope of the type."""
        calls, creations = self._expressions.calls, self._expressions.creations
        listed = node.get("bases") or node.child("base_list")
        for at, each in enumerate(listed.named if listed is not None else ()):
            if each.type == "primary_constructor_base_type":
                written, given = each.get("type") or each.named[0], each.child("argument_list")
            elif each.type == "argument_list" and listed is not None and at:
                written, given = listed.named[at - 1], each
            else:
                continue
            type_ = self._session.read(_text(written))
            creations.construct(type_, calls.arguments(given), _name_of(written), "base")

    def attributes(self, root: Node) -> None:
        """Attributes of the assembly."""
        for each in root.named:
            if each.type == "global_attribute" or each.type == "attribute_list":
                self.functions.attributes(_as_list(each))

    def program(self, root: Node) -> None:
        """Statements outside of all types."""
        self._session.scope.names["args"] = Local(-1, named("[]", named("System.String")))
        inner = [each.named[0] for each in root.named if each.type == "global_statement" and each.named]
        self.statements.all(inner)

    def nameless(self, node: Node) -> None:
        """`extension(Foo)`."""
        name = node.get("name") or node.named[-1]
        session = self._session
        session.found.locals = [each for each in session.found.locals if each.start != name.start]
        self._expressions.types.read(name)

    def using(self, node: Node) -> None:
        """A using directive: the types that it names."""
        name = node.get("name")
        for each in node.named:
            if each is not name:
                self._expressions.types.read(each, "using")

    def member(self, node: Node) -> None:
        """A member, all of it."""
        with self.functions.named_in_attributes(node):
            self.functions.attributes(node)
        self.functions.type_parameters(node)
        specifier = node.child("explicit_interface_specifier")
        if specifier is not None and specifier.named:
            self._expressions.types.read(specifier.named[0], "type")
        written = node.get("returns") or node.get("type")
        type_ = self._expressions.types.read(written) if written is not None else None
        self.functions.constraints(node)
        kind = node.type
        if kind in ("field_declaration", "event_field_declaration"):
            self._fields(node)
            return
        if kind == "enum_member_declaration":
            for value in node.named:
                if value.type != "attribute_list" and value is not node.get("name"):
                    self._expressions.type_of(value)
            return
        self.functions.declare_parameters(node)
        is_async = "async" in self._declaration.modifiers if self._declaration is not None else False
        self._session.returns = result_of(type_, is_async=is_async)
        if kind == "constructor_declaration":
            self._chained(node)
        if kind in ("property_declaration", "indexer_declaration", "event_declaration"):
            self._accessors(node, type_)
            return
        for each in node.named:
            if each.type in ("block", "arrow_expression_clause"):
                self.statements.bind(each)

    def _fields(self, node: Node) -> None:
        self._session.checked_initialiser = not self._session.is_static
        for each in node.named:
            if each.type == "variable_declaration":
                self._field(each)

    def _field(self, node: Node) -> None:
        type_ = self._expressions.types.read(node.get("type"))
        for each in node.named:
            if each.type != "variable_declarator":
                continue
            name = each.get("name") or each.named[0]
            for value in each.named:
                if value is name or value.type == "bracketed_argument_list":
                    continue
                if value.type == "initializer_expression":
                    self._expressions.creations.initialise(value, type_)
                else:
                    self._expressions.type_of(value, type_)

    def _accessors(self, node: Node, type_: AnyType | None) -> None:
        for each in node.named:
            if each.type == "accessor_list":
                for accessor in each.named:
                    self._accessor(accessor, type_)
            elif each.type == "arrow_expression_clause":
                with self._session.inner():
                    self._session.scope.names.setdefault("field", Local(-1, type_))
                    self.statements.bind(each)
        value = node.get("value")
        if value is not None and value.type != "arrow_expression_clause":
            self._session.checked_initialiser = not self._session.is_static
            self._expressions.type_of(value, type_)
            self._session.checked_initialiser = False

    def _accessor(self, node: Node, type_: AnyType | None) -> None:
        self.functions.attributes(node)
        name = node.get("name")
        word = (name.type if name is not None and not name.text else name.text) if name is not None else ""
        with self._session.inner():
            around = node.parent.parent if node.parent is not None else None
            if around is not None and around.type == "property_declaration":
                self._session.scope.names["field"] = Local(-1, type_)
            returns = self._session.returns
            if word in _SETTERS:
                self._session.scope.names["value"] = Local(-1, type_)
                self._session.returns = None
            else:
                self._session.returns = type_
            for each in node.named:
                if each.type in ("block", "arrow_expression_clause"):
                    self.statements.bind(each)
            self._session.returns = returns

    def _chained(self, node: Node) -> None:
        """`: base(…)`, `: this(…)`."""
        session = self._session
        initialiser = node.child("constructor_initializer")
        if initialiser is None:
            return
        word = initialiser.child("base", "this")
        own = session.this()
        arguments = self._expressions.calls.arguments(initialiser.child("argument_list"))
        type_: AnyType | None = own
        if own is not None and word is not None and word.type == "base":
            bases = session.world.bases(own)[0]
            type_ = next((base for base in bases if session.world.kind(base) == "class"), None)
        if type_ is None or word is None:
            self._expressions.calls.settle(arguments, Choice(None))
        else:
            self._expressions.creations.construct(type_, arguments, word, "call")


def _may_inherit(declaration: Declaration) -> bool:
    """Whether a member may override or implement one of a base or interface."""
    if declaration.receiver is not None or declaration.kind is Kind.CONSTRUCTOR:
        return False
    modifiers = declaration.modifiers
    is_open = declaration.access == "public" and "static" not in modifiers
    return is_open or bool(declaration.explicit) or "override" in modifiers


_WORD = re.compile(rb"(?<![\w\x80-\xff])[A-Za-z_\x80-\xff][\w\x80-\xff]*")


def _with_unread(found: Facts, lexed: Lexed, tree: Tree) -> Facts:
    """With the names of what could not be parsed."""
    for start, end in tree.unread:
        scan(found, lexed, (start, end))
        blank = len(lexed.clean[start:end]) - len(lexed.clean[start:end].lstrip())
        found.refused.append(start + blank)
    return found


def scan(found: Facts, lexed: Lexed, span: tuple[int, int]) -> None:
    """The names of a stretch that cannot be parsed: of them nothing is known."""
    for word in _WORD.finditer(lexed.clean, *span):
        found.loose.append(Loose(word.start(), word.end(), word[0].decode("utf-8", "replace"), UNREAD))


def _body_of(root: Node) -> Node | None:
    """Return the body of the class or enum around a member."""
    for each in root.named:
        found = each.get("body") or each.child("declaration_list", "enum_member_declaration_list")
        if found is not None:
            return found
    return None


def _as_list(node: Node) -> Node:
    """A node whose child an attribute list is."""
    if node.type == "attribute_list":
        made = Node("holder", node.start, node.end, is_named=True, parent=None)
        made.named = made.children = [node]
        return made
    made = Node("holder", node.start, node.end, is_named=True, parent=None)
    inner = Node("attribute_list", node.start, node.end, is_named=True, parent=made)
    inner.named = inner.children = node.named
    made.named = made.children = [inner]
    return made


def _name_of(node: Node) -> Node:
    while node.type in ("qualified_name", "alias_qualified_name"):
        node = node.get("name") or node.named[-1]
    return node


def _text(node: Node) -> str:
    from services.index.binding.typenames import path_of

    return path_of(node)

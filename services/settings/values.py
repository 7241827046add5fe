"""Settings: one line a value, which is its name, type, default, range, variable and help at once."""

# Annotations are read on every start: as values, not as texts that are compiled first.
import os
from collections.abc import Mapping
from typing import Annotated, NamedTuple

import msgspec

from services.model import Notice

MOST_WORKERS = 8


class SettingRule(NamedTuple):
    """Annotation of a setting, together with its type.

    `least`, `most`: inclusive; `variable`: environment variable, made from the key where None; `personal`:
    belongs to the person at the screen, so that the file of a project, which is foreign input, cannot set it;
    `default_text`: the default in words, where it depends on the machine.
    """

    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    variable: str | None = None
    personal: bool = False
    default_text: str | None = None


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the sections: immutable, each field annotated with its `SettingRule`."""


def worker_count() -> int:
    """Return the number of processors this process may use, at most `MOST_WORKERS`."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(MOST_WORKERS, usable or 1))


class WindowSettings(Section, frozen=True):
    """The prompt window (SPEC section 8)."""

    model: Annotated[str, SettingRule("Model whose tokenizer counts the window.")] = "gpt-5"
    budget: Annotated[int, SettingRule("Most tokens the window may hold.", 100, 10_000_000)] = 32_000
    max_chars: Annotated[int, SettingRule("Most characters the window may hold.", 400, 100_000_000)] = 400_000
    soft_budget: Annotated[float, SettingRule("Share of the budget that pins may take.", 0.05, 1.0)] = 0.6
    format: Annotated[
        str, SettingRule("Format in which the window is rendered.", choices=("md", "xml", "json"))
    ] = "md"
    recents: Annotated[
        str,
        SettingRule(
            "Whether what was opened lately, and is not pinned, is only listed (`show`) or part of the text (`copy`).",
            choices=("show", "copy"),
        ),
    ] = "show"
    notes: Annotated[bool, SettingRule("Whether outlines of types end with the semantic notes on them.")] = (
        True
    )
    template: Annotated[str, SettingRule("Template that a copy is put into.")] = "default"
    models: Annotated[
        Mapping[str, str],
        SettingRule(
            'Models by name, each a table such as `[window.models."my-model"]`, with any of `like` (a model whose '
            "values are taken), `tokenizer` (`o200k_base` or `cl100k_base`), `factor` and `band` (percent; 0 where the "
            "tokenizer is the model's own), `context`, `budget`, `per_message` and `per_item` (tokens)."
        ),
    ] = msgspec.field(default_factory=dict)


class IndexSettings(Section, frozen=True):
    """How the workspace is indexed (SPEC section 4)."""

    workers: Annotated[
        int,
        SettingRule(
            "Processes that parse files.",
            1,
            64,
            personal=True,
            default_text=f"the number of processors, at most {MOST_WORKERS}",
        ),
    ] = msgspec.field(default_factory=worker_count)
    max_file_bytes: Annotated[
        int,
        SettingRule(
            "Largest file that is parsed, in bytes; a larger one is left out with a notice.", 1_000, 10**9
        ),
    ] = 5_000_000
    target_framework: Annotated[
        str,
        SettingRule(
            "Target framework that projects with several are read for: `highest`, `union` for all of them together, "
            "or one by name (`net8.0`), which those without it answer with their highest."
        ),
    ] = "highest"
    hash_internal: Annotated[
        bool,
        SettingRule(
            "Whether structureHash takes in members declared internal, so that types that use them go stale."
        ),
    ] = False
    hash_docs: Annotated[
        bool, SettingRule("Whether structureHash takes in the words of doc comments, beside xmlDocHash.")
    ] = False
    export: Annotated[
        bool,
        SettingRule(
            "Whether an open workbench keeps `.context/index.json` up to date, once you have asked for a file there.",
        ),
    ] = True


class UiSettings(Section, frozen=True):
    """The workbench."""

    theme: Annotated[str, SettingRule("Name of the theme.", personal=True)] = "codecortex-dark"
    keys: Annotated[
        Mapping[str, str],
        SettingRule(
            'Keys by the id of their command, such as `copy = "y"`; several separated by commas.',
            personal=True,
        ),
    ] = msgspec.field(default_factory=dict)


class CacheSettings(Section, frozen=True):
    """Version tokens and what was read under them (SPEC section 7)."""

    ttl: Annotated[
        int, SettingRule("How long a token lives, in milliseconds.", 0, 86_400_000, (), "MCP_CACHE_TTL", True)
    ] = 300_000
    size: Annotated[int, SettingRule("Most tokens kept.", 1, 1_000_000, (), "MCP_CACHE_SIZE", True)] = 100
    cleanup_interval: Annotated[
        int,
        SettingRule(
            "Milliseconds between clean-ups.", 100, 86_400_000, (), "MCP_CACHE_CLEANUP_INTERVAL", True
        ),
    ] = 60_000
    conflict_check: Annotated[
        bool,
        SettingRule(
            "Whether a write compares its token with the file unless it says otherwise, which agents may where not.",
            None,
            None,
            (),
            "MCP_ENABLE_CONFLICT_CHECK",
            True,
        ),
    ] = True
    max_matches: Annotated[
        int, SettingRule("Most matches that one grep answers.", 1, 1_000_000, (), "MCP_MAX_MATCHES", True)
    ] = 100
    grep_timeout: Annotated[
        int,
        SettingRule(
            "Milliseconds after which a grep answers what it has found so far.", 1, 86_400_000, personal=True
        ),
    ] = 60_000


class FileSettings(Section, frozen=True):
    """How files are read (SAFETY, Bytes)."""

    encoding: Annotated[
        str,
        SettingRule(
            "Encoding of text files that are not Unicode, such as cp1252; without one they are shown, not edited.",
        ),
    ] = "none"


class AgentSettings(Section, frozen=True):
    """Rights of agents that come in through MCP or HTTP. Reading they may."""

    pin: Annotated[
        str,
        SettingRule(
            "Whether agents may change the prompt window.", choices=("allow", "refuse"), personal=True
        ),
    ] = "allow"
    write: Annotated[
        str,
        SettingRule(
            "Whether agents may change files; `ask` makes each change a proposal for a person to decide.",
            choices=("allow", "ask", "refuse"),
            personal=True,
        ),
    ] = "ask"
    publish: Annotated[
        str,
        SettingRule(
            "Whether agents may publish reviews to the server that holds a change.",
            choices=("allow", "refuse"),
            personal=True,
        ),
    ] = "refuse"
    patience: Annotated[
        int,
        SettingRule(
            "Seconds an agent's call waits for a decision before it is told to ask again.",
            0,
            3_600,
            personal=True,
        ),
    ] = 45
    run: Annotated[
        str,
        SettingRule(
            "Whether agents and models may run commands that only read; `ask` has a person decide about each.",
            choices=("allow", "ask", "refuse"),
            personal=True,
        ),
    ] = "ask"
    tests: Annotated[
        str,
        SettingRule(
            "Whether they may run tests, which is code of the project; `ask` has a person decide about each run.",
            choices=("allow", "ask", "refuse"),
            personal=True,
        ),
    ] = "ask"
    ignored_files: Annotated[
        bool,
        SettingRule("Whether agents may open files that git, or .codecortexignore, ignores.", personal=True),
    ] = False


_WHERE = "where its token is: `env:NAME` or `keyring:SERVICE/USER`; the token itself never stands here."


class ReviewSettings(Section, frozen=True):
    """Settings of review servers (SPEC section 11). Only servers named here are contacted; `none` names none."""

    tools: Annotated[
        bool, SettingRule("Whether agents are offered the tools of changes and reviews.", personal=True)
    ] = False
    agent_tools: Annotated[
        bool,
        SettingRule(
            "Whether agents are offered the tools of a review server by their own names.", personal=True
        ),
    ] = False
    github: Annotated[
        str, SettingRule("Address of GitHub's API, such as https://api.github.com.", personal=True)
    ] = "none"
    github_token: Annotated[str, SettingRule(f"GitHub: {_WHERE}", personal=True)] = "env:GITHUB_TOKEN"
    gitlab: Annotated[str, SettingRule("Address of a GitLab, such as https://gitlab.com.", personal=True)] = (
        "none"
    )
    gitlab_token: Annotated[str, SettingRule(f"GitLab: {_WHERE}", personal=True)] = "env:GITLAB_TOKEN"
    phabricator: Annotated[str, SettingRule("Address of a Phabricator or Phorge.", personal=True)] = "none"
    phabricator_token: Annotated[str, SettingRule(f"Phabricator: {_WHERE}", personal=True)] = (
        "env:PHABRICATOR_TOKEN"
    )


class SemanticSettings(Section, frozen=True):
    """Semantic notes: what types are for (SPEC section 9)."""

    doc_invalidates: Annotated[
        bool, SettingRule("Whether a note is stale as soon as the documentation of its type has changed.")
    ] = False
    renew: Annotated[
        bool,
        SettingRule(
            "Whether a stale note of a model's is queued to be written anew when somebody asks for it.",
            personal=True,
        ),
    ] = False
    tools: Annotated[
        bool,
        SettingRule(
            "Whether agents are offered to have notes written by the model that is set up, or by a chat.",
            personal=True,
        ),
    ] = False
    model: Annotated[
        str,
        SettingRule(
            "Name of the model in `models.toml` that writes notes; `default`: the default there.",
            personal=True,
        ),
    ] = "default"
    tokens_per_day: Annotated[
        int,
        SettingRule("Most tokens that notes by a model take in 24 hours; 0: no limit.", 0, personal=True),
    ] = 500_000
    tokens_per_run: Annotated[
        int,
        SettingRule("Most tokens that notes asked for in one go may take; 0: no limit.", 0, personal=True),
    ] = 200_000


class EditSettings(Section, frozen=True):
    """Structured edits (SPEC section 13)."""

    ignored: Annotated[
        str,
        SettingRule(
            "Files that structured edits leave alone: globs as in .gitignore, by commas; `none` for none."
        ),
    ] = "none"


class ResidentSettings(Section, frozen=True):
    """The process that a command leaves behind to answer the next ones (SPEC section 19)."""

    mode: Annotated[
        str,
        SettingRule(
            "Whether commands leave a process behind that keeps the index open and answers the next ones; also written "
            '`resident = "off"`.',
            choices=("auto", "off"),
            variable="CODECORTEX_RESIDENT",
            personal=True,
        ),
    ] = "auto"
    idle: Annotated[
        int, SettingRule("Minutes without a question after which it ends.", 1, 10_080, personal=True)
    ] = 15


class WebhookSettings(Section, frozen=True):
    """Webhooks that `serve` takes from GitHub, GitLab and Phabricator (SPEC section 12)."""

    repositories: Annotated[
        Mapping[str, str],
        SettingRule(
            'Where the secret of each repository is, such as `"github:owner/name" = "env:NAME"`; with any, further '
            "repositories are taken only where `webhooks.secret` signs them.",
            personal=True,
        ),
    ] = msgspec.field(default_factory=dict)
    secret: Annotated[
        str,
        SettingRule(
            "Where the secret of all other repositories is: `env:NAME` or `keyring:SERVICE/USER`.",
            personal=True,
        ),
    ] = "env:WEBHOOK_SECRET"
    by_model: Annotated[
        bool, SettingRule("Whether the model that is set up comments on changes that come in.", personal=True)
    ] = False
    publish: Annotated[
        bool,
        SettingRule(
            "Whether comments on changes that come in are published without being looked at.", personal=True
        ),
    ] = False
    window: Annotated[
        int,
        SettingRule(
            "Most seconds between sending and receiving, where a delivery tells its time.",
            1,
            86_400,
            personal=True,
        ),
    ] = 300


class WorkflowSettings(Section, frozen=True):
    """The workflow that writes tests for a commit and hands them in (SPEC section 12)."""

    project: Annotated[
        str,
        SettingRule(
            "Project that gets the merge request, `github:owner/name` or `gitlab:group/name`; `none`: none is opened.",
            personal=True,
        ),
    ] = "none"
    target: Annotated[str, SettingRule("Branch that it is for.", personal=True)] = "main"
    retries: Annotated[
        int, SettingRule("How often tests that fail are handed back to the model.", 0, 10, personal=True)
    ] = 2
    coverage: Annotated[
        float,
        SettingRule("Least share of the changed members that tests have to reach.", 0.0, 1.0, personal=True),
    ] = 1.0
    steps: Annotated[int, SettingRule("Most actions of one workflow.", 1, 1_000, personal=True)] = 60
    tokens: Annotated[
        int,
        SettingRule("Most tokens that one workflow takes of the model.", 1_000, 100_000_000, personal=True),
    ] = 400_000
    minutes: Annotated[
        int, SettingRule("Most minutes that one attempt at it takes.", 1, 1_440, personal=True)
    ] = 60
    notify: Annotated[
        str, SettingRule("Address that is told how it ended, by POST; `none`: nobody is.", personal=True)
    ] = "none"
    notify_secret: Annotated[
        str,
        SettingRule(
            "Where the secret is that signs these notices: `env:NAME` or `keyring:SERVICE/USER`.",
            personal=True,
        ),
    ] = "env:NOTIFY_SECRET"


class TeamSettings(Section, frozen=True):
    """What a team shares (SPEC section 17)."""

    database: Annotated[
        str,
        SettingRule(
            "PostgreSQL that a team shares jobs, locks, notes, reviews, packs and presets in, "
            "`postgresql://user@host/name`, or where that address is, such as `env:NAME`; `none`: nothing is shared.",
            personal=True,
        ),
    ] = "none"
    workspace: Annotated[
        str,
        SettingRule(
            "Name of this code base in the database, the same on each machine; `none`: the repository's first commit.",
            personal=True,
        ),
    ] = "none"


class AdtSettings(Section, frozen=True):
    """SAP systems (SPEC section 16)."""

    systems: Annotated[
        Mapping[str, str],
        SettingRule(
            "SAP systems by name, each a table such as `[adt.DEV]`, with `url`, `user`, and any of `client` (001), "
            "`language` (EN) and `password`, which says where it is: `env:NAME` or `keyring:SERVICE/USER`.",
            personal=True,
        ),
    ] = msgspec.field(default_factory=dict)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings, typed. `notices`: values of the files that were not used, and why."""

    window: WindowSettings = WindowSettings()
    index: IndexSettings = msgspec.field(default_factory=IndexSettings)
    ui: UiSettings = msgspec.field(default_factory=UiSettings)
    cache: CacheSettings = CacheSettings()
    agents: AgentSettings = AgentSettings()
    files: FileSettings = FileSettings()
    review: ReviewSettings = ReviewSettings()
    semantic: SemanticSettings = SemanticSettings()
    edits: EditSettings = EditSettings()
    resident: ResidentSettings = ResidentSettings()
    webhooks: WebhookSettings = msgspec.field(default_factory=WebhookSettings)
    workflow: WorkflowSettings = WorkflowSettings()
    adt: AdtSettings = msgspec.field(default_factory=AdtSettings)
    team: TeamSettings = TeamSettings()
    notices: tuple[Notice, ...] = ()

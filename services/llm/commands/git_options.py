"""Options of git's reading commands: those that neither write, nor run a program, nor read what is named otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from services.llm.commands.options import Table, table

_CHANGES = """
    -p -u -s -S:text -G:text -w -b -U=:number -z -M=:number -C=:number -W -R --patch --no-patch --raw --stat=:text
    --shortstat --numstat --summary --name-only --name-status --word-diff=:plain,porcelain,color,none --minimal
    --patience --histogram --ignore-all-space --ignore-space-change --ignore-blank-lines --function-context
    --no-renames --find-renames=:number --find-copies=:number --find-copies-harder --pickaxe-regex --no-color
    --unified:number --diff-filter:text --abbrev=:number
"""
"""Of all that print changes."""
_HISTORY = f"""{_CHANGES}
    -n:number -i -E -F -P -L:text --oneline --graph --decorate=:short,full,auto,no --no-decorate --all --branches
    --tags --remotes --merges --no-merges --first-parent --reverse --follow --abbrev-commit --no-abbrev-commit
    --relative-date --topo-order --date-order --author-date-order --cherry-pick --left-right --full-history
    --boundary --ancestry-path --invert-grep --all-match --regexp-ignore-case --extended-regexp --fixed-strings
    --max-count:number --skip:number --since:text --after:text --until:text --before:text --author:text
    --committer:text --grep:text --format:text --pretty=:text --date:text --encoding:text --max-parents:number
    --min-parents:number
"""
_DIFF = f"""{_CHANGES}
    --cached --staged --merge-base --check --exit-code --quiet --full-index
"""

TABLES: Mapping[str, Table] = {
    "log": table(_HISTORY),
    "show": table(_HISTORY),
    "diff": table(_DIFF),
    "shortlog": table(
        """
        -n -s -e --numbered --summary --email --no-merges --all --since:text --until:text
        --group:author,committer
        """
    ),
    "blame": table(
        """
        -L:text -l -t -s -e -w -M=:number -C=:number -n -f --since:text --date:text --porcelain --line-porcelain
        --show-email --show-name --show-number --root
        """
    ),
    "status": table(
        """
        -s -b -z --short --branch --long --porcelain=:v1,v2 --untracked-files=:no,normal,all
        -u=:no,normal,all --ahead-behind --no-renames
        """
    ),
    "ls-files": table(
        """
        -c -d -m -o -s -t -z --cached --deleted --modified --others --stage --exclude-standard
        --error-unmatch --full-name
        """
    ),
    "ls-tree": table(
        """
        -r -t -d -l -z --name-only --name-status --long --full-name --abbrev=:number
        """
    ),
    "grep": table(
        """
        -i -w -v -n -c -l -L -h -H -o -q -E -F -G -P -p -W -I -a -z -e:text -A:number -B:number -C:number
        -m:number --ignore-case --word-regexp --invert-match --line-number --count --files-with-matches
        --name-only --files-without-match --only-matching --extended-regexp --fixed-strings --perl-regexp
        --basic-regexp --show-function --function-context --heading --break --and --or --not --all-match
        --cached --no-color --max-count:number --after-context:number --before-context:number
        --context:number --max-depth:number
        """
    ),
    "rev-parse": table(
        """
        --short --verify --abbrev-ref --symbolic --symbolic-full-name --show-prefix --is-shallow-repository
        --is-inside-work-tree
        """
    ),
    "rev-list": table(
        """
        -n:number --count --all --branches --tags --merges --no-merges --first-parent --reverse --oneline
        --left-right --max-count:number --skip:number --since:text --until:text --author:text --grep:text
        """
    ),
    "merge-base": table(
        """
        -a --all --is-ancestor --octopus --independent --fork-point
        """
    ),
    "describe": table(
        """
        --all --tags --contains --always --long --abbrev=:number --candidates:number --match:text
        --exclude:text --dirty --first-parent
        """
    ),
    "name-rev": table(
        """
        --tags --name-only --always
        """
    ),
    "branch": table(
        """
        -a -r -v --all --remotes --verbose --list --show-current --contains:revision --no-contains:revision
        --merged=:revision --no-merged=:revision --points-at:revision --sort:text --format:text --no-color
        """
    ),
    "tag": table(
        """
        -l -n=:number --list --contains:revision --no-contains:revision --merged=:revision
        --no-merged=:revision --points-at:revision --sort:text --format:text --no-color
        """
    ),
    "for-each-ref": table(
        """
        --count:number --sort:text --format:text --points-at:revision --merged=:revision --contains:revision
        """
    ),
    "show-ref": table(
        """
        --head --heads --branches --tags --hash --abbrev -s -d --dereference
        """
    ),
    "reflog": table(
        """
        -n:number --oneline --all --max-count:number --since:text --until:text
        """
    ),
    "remote": table(
        """
        -v --verbose
        """
    ),
}
"""By the name of the command."""

"""Which files of a root are read: folders walked, links followed inside the root only, everything else a finding."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter

from core.findings import Finding
from core.vocabulary import Severity
from stores.markdown.journal import is_temp_name
from stores.markdown.layout import FOLDERS, Role, leftover, leftover_finding, never_left_over, role_of

Stamp = tuple[int, ...]
"""What a stat says of a file (`stamp_of`); the same stamp means the same bytes, once the file has settled."""

stamp_of: Callable[[os.stat_result], Stamp] = attrgetter(
    "st_dev", "st_ino", "st_size", "st_ctime_ns", "st_mtime_ns", "st_mode", "st_nlink"
)


class LinkPolicy:
    """Where links may lead: inside the root (whose own path may be a link), or below a path that a human allowed."""

    def __init__(self, root: str, allowed: Iterable[str] = ()) -> None:
        """`allowed` are paths, absolute, from the user's home (`~/…`) or from the root."""
        self.root = os.path.realpath(root)
        self._allowed = tuple(
            os.path.realpath(os.path.join(self.root, os.path.expanduser(path))) for path in allowed if path
        )

    def inside(self, real: str) -> bool:
        """Whether a real path lies in the root."""
        return _below(real, self.root)

    def permits(self, real: str) -> bool:
        """Whether what stands at a real path may be read and written through a link."""
        return self.inside(real) or self.allows(real)

    def allows(self, real: str) -> bool:
        """Whether a human allowed this real path, or a folder that it stands in."""
        return any(_below(real, path) for path in self._allowed)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file to read: its root-relative posix `path`, where it really is, what it is, and its stamp then."""

    path: str
    real: str
    role: Role
    stamp: Stamp

    @property
    def inode(self) -> Stamp:
        """Which file it is, under whatever name."""
        return _INODE(self.stamp)

    @property
    def names(self) -> int:
        """How many names the file has, anywhere."""
        return _NAMES(self.stamp)


@dataclass(slots=True)
class Tree:
    """What a walk found. `files` are sorted by path.

    `blocked` are the paths that are not read, with the reason; `failing` those of them that cannot be, of which what
    was read before still holds; `unreadable` the folders that cannot be listed.
    """

    files: list[FileEntry] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    blocked: dict[str, str] = field(default_factory=dict)
    failing: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)
    plain: Plain | None = field(default=None, repr=False)


@dataclass(slots=True)
class Plain:
    """Files of which their names alone say what they are, where `hot` and `topics_folder` are the same."""

    hot: frozenset[str]
    topics_folder: bool
    folders: dict[tuple[str, str], dict[str, FileEntry]] = field(default_factory=dict)
    """By the folder's path in the root and its real one, then by name."""

    def of(self, other: Plain, folder: str, real: str) -> Mapping[str, FileEntry]:
        """Those in a folder that say the same to a walk that notes `other`."""
        read_alike = (self.hot, self.topics_folder) == (other.hot, other.topics_folder)
        return self.folders.get((folder, real), {}) if read_alike else {}


def walk(root: str, policy: LinkPolicy, hot: Iterable[str] = (), before: Tree | None = None) -> Tree:
    """Find the governed files of a root. Raises `OSError` only where the root itself cannot be listed.

    `hot` are the names, right in the root, that the binding record gives to hot entries (§8). Every file is looked at;
    one that stands as it stood when `before` was found has the same entry.
    """
    walker = _Walker(policy, frozenset(hot), before.plain if before is not None else None)
    walker.root(root)
    return walker.finish()


class _Walker:
    def __init__(self, policy: LinkPolicy, hot: frozenset[str], before: Plain | None) -> None:
        self.policy = policy
        self.tree = Tree()
        self.plain = Plain(hot, topics_folder=True)
        self.before = before
        self.folders: dict[tuple[int, int], str] = {}
        self.links: list[tuple[str, os.DirEntry[str]]] = []
        self.found: list[FileEntry] = []
        self.by_inode: dict[Stamp, FileEntry] = {}
        self.looked_up = 0
        """How many of the entries found are in that table, which only links ask."""

    def root(self, root: str) -> None:
        with os.scandir(root) as listing:
            entries = sorted(listing, key=_NAME)
        topics_folder = any(entry.name == "topics" for entry in entries)
        self.plain = self.tree.plain = Plain(self.plain.hot, topics_folder)
        status = os.stat(root)
        self.folders[status.st_dev, status.st_ino] = ""
        self._listed("", root, entries)
        while self.links:
            path, entry = self.links.pop(0)
            self._link(path, entry)

    def finish(self) -> Tree:
        stamps = [entry.stamp for entry in self.found]
        if len(set(map(_INODE, stamps))) == len(stamps) and max(map(_NAMES, stamps), default=1) == 1:
            self.tree.files = self.found
        else:
            self._hard_links()
        self.tree.files.sort(key=_PATH)
        return self.tree

    def _is_governed(self, path: str) -> bool:
        return self._role(path) is not None

    def _role(self, path: str) -> Role | None:
        role = role_of(path, topics_folder=self.plain.topics_folder)
        return Role.HOT if path in self.plain.hot and role in (None, Role.TOPIC) else role

    def _folder(self, path: str, real: str) -> None:
        """Read a folder, and the folders in it; links wait until every real name is known."""
        try:
            status = os.stat(real)
            with os.scandir(real) as listing:
                entries = sorted(listing, key=_NAME)
        except FileNotFoundError:
            return
        except OSError as error:
            self.tree.unreadable.append(path)
            self._say("unreadable-file", Severity.ERROR, path, f"The folder cannot be read: {error.strerror}.")
            return
        known = self.folders.get((status.st_dev, status.st_ino))
        if known is not None:
            self._say("link-loop", Severity.WARNING, path, f"The link leads to {known or 'the root'}, read already.")
            return
        self.folders[status.st_dev, status.st_ino] = path
        self._listed(path, real, entries)

    def _listed(self, folder: str, real: str, entries: Sequence[os.DirEntry[str]]) -> None:
        """Take what is listed in a folder: as before where it stands as before, else for what it is."""
        known = self.before.of(self.plain, folder, real) if self.before is not None else {}
        plain = self.plain.folders[folder, real] = {}
        siblings = {entry.name for entry in entries}
        for entry in entries:
            name = entry.name
            last = known.get(name)
            found = last if last is not None and _stands(entry, last.stamp) else None
            if found is None:
                path = f"{folder}/{name}" if folder else name
                if entry.is_symlink():
                    if self._follows(path):
                        self.links.append((path, entry))
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if not name.startswith(".") if folder else name in FOLDERS:
                        self._folder(path, entry.path)
                    continue
                found = self._file(path, entry, siblings)
            if found is not None:
                self.found.append(found)
                if found is last or never_left_over(name):
                    plain[name] = found

    def _follows(self, path: str) -> bool:
        """Whether a link at `path` is looked at."""
        folder, _, name = path.rpartition("/")
        return not name.startswith(".") if folder else name in FOLDERS or self._is_governed(name)

    def _file(self, path: str, entry: os.DirEntry[str], siblings: set[str]) -> FileEntry | None:
        role = self._role(path)
        left = leftover(entry.name, siblings)
        if left is not None and (role is not None or "/" in path or self._near_governed(path)):
            self.tree.findings.append(leftover_finding(path, *left))
            if not path.endswith(".md"):
                return None
            role = Role.LEFTOVER
        if role is None:
            return None
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._unreadable(path, error.strerror or "it fails")
            return None
        return self._entry(path, entry.path, role, status)

    def _near_governed(self, path: str) -> bool:
        """Whether a leftover in the root itself has the name of a governed file in it."""
        return _GOVERNED.match(path) is not None

    def _entry(self, path: str, real: str, role: Role, status: os.stat_result) -> FileEntry | None:
        if not _encodable(path):
            shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            self._say("unreadable-file", Severity.ERROR, shown, "The file's name is no UTF-8, so it is not read.")
        elif not stat.S_ISREG(status.st_mode):
            self._unreadable(path, "it is no regular file")
        else:
            return FileEntry(path, real, role, stamp_of(status))
        return None

    def _link(self, path: str, entry: os.DirEntry[str]) -> None:
        name = path.rpartition("/")[2]
        left = leftover(name, ())
        if left is not None:
            self.tree.findings.append(leftover_finding(path, *left))
            return
        try:
            real = os.path.realpath(entry.path, strict=True)
            status = os.stat(real)
        except OSError as error:
            self._lost(path, error)
            return
        if not self.policy.permits(real):
            self._block(path, f"it leads out of the root, to {real}", real)
        elif stat.S_ISDIR(status.st_mode):
            self._folder(path, real)
        else:
            role = self._role(path)
            if role is None:
                return
            known = self._found_at((status.st_dev, status.st_ino))
            if known is not None:
                self._say("link-loop", Severity.WARNING, path, f"The link leads to {known.path}, read already.")
            elif (found := self._entry(path, real, role, status)) is not None:
                self.found.append(found)

    def _found_at(self, inode: Stamp) -> FileEntry | None:
        """The first entry found of the file `inode`."""
        for entry in self.found[self.looked_up :]:
            self.by_inode.setdefault(entry.inode, entry)
        self.looked_up = len(self.found)
        return self.by_inode.get(inode)

    def _lost(self, path: str, error: OSError) -> None:
        if error.errno == errno.ELOOP:
            self.tree.blocked[path] = "its link leads back to itself"
            self._say("link-loop", Severity.WARNING, path, "The link leads back to itself.")
        elif isinstance(error, FileNotFoundError):
            self.tree.blocked[path] = "its link leads to nothing"
            self._say("dangling-link", Severity.WARNING, path, "The link leads to nothing.")
        else:
            self._unreadable(path, error.strerror or "it fails")

    def _hard_links(self) -> None:
        """Keep one name of each file; block a file that has a name outside the governed ones."""
        by_inode: dict[Stamp, list[FileEntry]] = {}
        for entry in self.found:
            by_inode.setdefault(entry.inode, []).append(entry)
        for entries in by_inode.values():
            first, *others = sorted(entries, key=_PATH)
            elsewhere = _names(first) - len(entries) if first.names > len(entries) else 0
            if elsewhere > 0 and self._leaves(entries):
                for entry in entries:
                    self._block(
                        entry.path,
                        f"it is a hard link, with {elsewhere} more name{'' if elsewhere == 1 else 's'}",
                        os.path.realpath(entry.real),
                        code="hard-link",
                    )
                continue
            self.tree.files.append(first)
            for entry in others:
                self._say("hard-link", Severity.WARNING, entry.path, f"It is another name of {first.path}.")

    def _leaves(self, entries: list[FileEntry]) -> bool:
        """Whether names of one file stand in the root, and none of them was allowed."""
        reals = [os.path.realpath(entry.real) for entry in entries]
        return self.policy.inside(reals[0]) and not any(self.policy.allows(real) for real in reals)

    def _block(self, path: str, why: str, real: str, *, code: str = "blocked-link") -> None:
        self.tree.blocked[path] = why
        self.tree.findings.append(
            Finding(
                code,
                Severity.WARNING,
                f"The file is not read: {why}.",
                file=path,
                remedy=f"Where it is yours, allow it: allowed_links = [{real!r}] under [binding] in assay.toml.",
            )
        )

    def _unreadable(self, path: str, why: str) -> None:
        self.tree.blocked[path] = why
        self.tree.failing.add(path)
        self._say("unreadable-file", Severity.ERROR, path, f"The file cannot be read: {why}.")

    def _say(self, code: str, severity: Severity, path: str, message: str) -> None:
        self.tree.findings.append(Finding(code, severity, message, file=path, remedy=_REMEDIES.get(code, "")))


_REMEDIES = {
    "link-loop": "Remove the link.",
    "dangling-link": "Remove the link, or bring back what it led to.",
    "unreadable-file": "Repair its mode, its name or its disk; nothing of it is taken for deleted.",
    "hard-link": "Replace one of the two names by a file of its own.",
}


_NAME: Callable[[os.DirEntry[str]], str] = attrgetter("name")
_PATH: Callable[[FileEntry], str] = attrgetter("path")
_INODE: Callable[[Stamp], Stamp] = itemgetter(0, 1)
_NAMES: Callable[[Stamp], int] = itemgetter(-1)

_GOVERNED = re.compile(r"[.#~$]*(?:memory|index|log|conventions|assay)\b")


def _stands(entry: os.DirEntry[str], stamp: Stamp) -> bool:
    """Whether what is listed has this stamp now."""
    try:
        return stamp_of(entry.stat(follow_symlinks=False)) == stamp
    except OSError:
        return False


def _names(entry: FileEntry) -> int:
    """How many names a file has now but those that a commit gives it for a while, beside its own."""
    folder = os.path.dirname(os.path.realpath(entry.real))
    try:
        with os.scandir(folder) as listing:  # before the file itself: names go meanwhile, and none come
            ours = sum(is_temp_name(other.name) and other.inode() == entry.stamp[1] for other in listing)
        return os.lstat(entry.real).st_nlink - ours
    except OSError:
        return entry.names


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _encodable(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True

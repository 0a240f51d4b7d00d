"""Verifiers of plugins, which may refuse an answer but change nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from pincite.errors import PluginError
from pincite.records.comparisons import ChangesRequest
from pincite.records.counts import Scan
from pincite.records.flow import Answer, Draft, Hit, Preview, Question, Status
from pincite.stages import ChangesComparer, ScanVerifier, Verifier


class Refuser(Protocol):
    """A verifier of a plugin: may refuse an answer."""

    def refusals(self, question: Question, answer: Answer) -> Sequence[str]:
        """Why it may not, in plain words; empty if it may."""
        ...


class Refusers:
    """Plugins that may refuse what the built-in verifier accepted. One that fails refuses."""

    def __init__(self, added: Sequence[Refuser]) -> None:
        self._added = added

    def __bool__(self) -> bool:
        return bool(self._added)

    def checked(self, question: Question, answer: Answer) -> Answer:
        """The answer, or an abstention with their reasons; an abstention stays one."""
        if answer.status is Status.ABSTAINED:
            return answer
        reasons = [*self._reasons(question, answer)]
        if not reasons:
            return answer
        return replace(
            answer,
            status=Status.ABSTAINED,
            text="",
            claims=(),
            citations=(),
            confidence=0.0,
            reasons=tuple(dict.fromkeys(reasons)),
            left_out=(*answer.claims, *answer.left_out),
            survey=None,
        )

    def _reasons(self, question: Question, answer: Answer) -> Iterator[str]:
        for one in self._added:
            try:
                found = one.refusals(question, answer)
                reasons = [found] if isinstance(found, str) else [str(reason) for reason in found]
            except (PluginError, TypeError) as error:
                reasons = [f"it could not be checked: {error}"]
            yield from reasons


class RefusableVerifier:
    """The built-in verifier, followed by those of plugins."""

    def __init__(self, verifier: Verifier, refusers: Refusers) -> None:
        self._verifier = verifier
        self._refusers = refusers

    def verify(self, question: Question, draft: Draft, hits: Sequence[Hit]) -> Answer:
        """The answer if all of them accept it, or an abstention."""
        return self._refusers.checked(question, self._verifier.verify(question, draft, hits))

    def preview(
        self, question: Question, draft: Draft, hits: Sequence[Hit]  # noqa: ARG002
    ) -> Preview:  # fmt: skip
        """Empty: plugins check whole answers, and nothing may be shown before that."""
        return Preview()


class RefusableScanVerifier:
    """The same for counts."""

    def __init__(self, verifier: ScanVerifier, refusers: Refusers) -> None:
        self._verifier = verifier
        self._refusers = refusers

    def verify(self, question: Question, scan: Scan) -> Answer:
        """The count if all of them accept it, or an abstention."""
        return self._refusers.checked(question, self._verifier.verify(question, scan))


class RefusableComparer:
    """The same for what changed between two documents."""

    def __init__(self, comparer: ChangesComparer, refusers: Refusers) -> None:
        self._comparer = comparer
        self._refusers = refusers

    def verify(self, question: Question, request: ChangesRequest) -> Answer | None:
        """The changes if all of them accept it, or an abstention."""
        answer = self._comparer.verify(question, request)
        return None if answer is None else self._refusers.checked(question, answer)

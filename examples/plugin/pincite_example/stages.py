"""A retriever, an answerer and a verifier, each set by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pincite.records.flow import Answer, Claim, Draft, Question, Ranking, Selection
from pincite.settings.loading import Settings
from pincite.stages import Answerer, Retriever, Sources


class LongEnough:
    """`retrieval.plugin = "long-enough"`: what is found, without passages of a few characters."""

    def __init__(self, found: Retriever, sources: Sources, settings: Settings) -> None:
        del sources, settings
        self._found = found

    def retrieve(self, question: Question) -> Ranking:
        """Candidates, best first."""
        ranking = self._found.retrieve(question)
        long = (hit for hit in ranking.hits if hit.passage.span.end - hit.passage.span.start >= 20)
        return replace(ranking, hits=tuple(long))


class OneQuote:
    """`generation.plugin = "one-quote"`: the sentence that answers best, alone."""

    def __init__(self, own: Answerer, sources: Sources, settings: Settings) -> None:
        del own, sources, settings

    def draft(
        self,
        question: Question,
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,
    ) -> Draft:
        """One claim; what it says is checked like everything else."""
        del question, grown
        best = selection.evidence[:1]
        claims = tuple(Claim(text=item.quote, evidence_ids=(item.id,)) for item in best)
        return Draft(claims=claims, evidence=best)


class NoDrafts:
    """`verification.plugins = ["no-drafts"]`: answers that quote a draft are refused."""

    def __init__(self, sources: Sources, settings: Settings) -> None:
        del sources, settings

    def refusals(self, question: Question, answer: Answer) -> Sequence[str]:
        """Why the answer may not be shown; nothing where it may."""
        del question
        drafts = {c.source for c in answer.citations if "draft" in c.source.lower()}
        return [f"{name} is a draft, and drafts are not quoted" for name in sorted(drafts)]

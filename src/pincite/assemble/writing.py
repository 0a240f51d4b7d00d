"""Builds the stages that select evidence and draft answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pincite.answer.extractive import ExtractiveAnswerer, NewestFirst
from pincite.answer.generated import Carriers, GeneratedAnswerer
from pincite.answer.model_text import Reading, Window
from pincite.answer.packing import PackingSelector
from pincite.answer.prompts import load_prompts
from pincite.answer.quoted import QuotedAnswerer
from pincite.answer.selection import MmrSelector
from pincite.answer.selectors import NewerSelector, RangedRowsSelector, SupportingSelector
from pincite.answer.tables import TableSelector
from pincite.assemble.plugins import with_added_answerer
from pincite.records.flow import Mode
from pincite.records.reasons import Reason, ReasonKind
from pincite.settings.groups import GenerationSettings
from pincite.settings.loading import Settings
from pincite.stages import Answerer, LanguageModel, Selector, Sources, TermWeights


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingStages:
    """The stages that select the evidence and draft the answer."""

    selector: Selector
    answerer: Answerer


def writing_stages(
    settings: Settings,
    sources: Sources,
    weights: TermWeights,
    model: LanguageModel | None,
    *,
    selector: Selector | None = None,
) -> WritingStages:
    """The stages of the configured mode, with the answerer of a plugin if one is set.

    `selector` selects what may be quoted; by default that of `quoting_selector`.
    """
    own = _own_stages(settings, sources, weights, model, selector=selector)
    quotes = ExtractiveAnswerer(sources, newest_first=NewestFirst(sources))
    return replace(own, answerer=with_added_answerer(own.answerer, quotes, settings, sources))


def _own_stages(
    settings: Settings,
    sources: Sources,
    weights: TermWeights,
    model: LanguageModel | None,
    *,
    selector: Selector | None = None,
) -> WritingStages:
    """The stages of the configured mode; quotes alone if there is no model for it."""
    chosen = settings.generation
    mode = Mode(chosen.mode)
    selector = selector or quoting_selector(settings, sources)
    newest_first = NewestFirst(sources)
    quotes = ExtractiveAnswerer(sources, newest_first=newest_first)
    if mode is Mode.EXTRACTIVE:
        return WritingStages(selector=selector, answerer=quotes)
    if model is None:
        quotes = ExtractiveAnswerer(sources, (_without(chosen),), newest_first=newest_first)
        return WritingStages(selector=selector, answerer=quotes)
    prompts = load_prompts(chosen.prompts)
    reading = Reading(prompts, mode, sources)
    answerer: Answerer
    if mode is Mode.GENERATED:
        answerer = GeneratedAnswerer(
            model,
            reading,
            prompts,
            Carriers(weights),
            quotes,
            max_tokens=chosen.max_tokens,
            temperature=chosen.temperature,
        )
    else:
        answerer = QuotedAnswerer(
            model,
            reading,
            quotes,
            max_sentences=settings.evidence.max_sentences,
            temperature=chosen.temperature,
        )
    packing = _packing(settings, selector, sources, model, reading)
    return WritingStages(selector=packing, answerer=answerer)


def _packing(
    settings: Settings, selector: Selector, sources: Sources, model: LanguageModel, reading: Reading
) -> PackingSelector:
    """Adds as much context to the evidence as the model has room for."""
    window = Window(
        model,
        reading,
        share=settings.packing.share,
        most_tokens=settings.packing.max_tokens,
        max_tokens=settings.generation.max_tokens,
    )
    return PackingSelector(
        selector,
        sources,
        room=window.room,
        count_tokens=model.count_tokens,
        max_passages=settings.packing.max_passages,
    )


def _without(chosen: GenerationSettings) -> str:
    """Why no model writes; why a configured model cannot be used is reported elsewhere."""
    if chosen.model != "none":
        cause = f"the model '{chosen.model}' cannot be used"
        return Reason.of(ReasonKind.QUOTES_ALONE, cause=cause)
    why = f"generation.mode is '{chosen.mode}' and generation.model is 'none'"
    cause = f"{why}; name a model, see docs/models.md"
    return Reason.of(ReasonKind.QUOTES_ALONE, cause=cause)


# The selector of sentences that may be quoted.


def quoting_selector(settings: Settings, sources: Sources) -> Selector:
    """Selects rows that a table finds exactly, else the best sentences with versions and support."""
    chosen = settings.evidence.model_dump(exclude={"parts"})
    best = NewerSelector(MmrSelector(sources, **chosen), sources)
    ranged = RangedRowsSelector(best, sources)
    supported = SupportingSelector(ranged, sources, least=settings.verification.min_support)
    return TableSelector(supported, sources)

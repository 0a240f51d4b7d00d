"""What chooses evidence and puts it into words under these settings?"""

from __future__ import annotations

from dataclasses import dataclass

from pincite.answer.carrying import Carriers
from pincite.answer.extractive import ExtractiveAnswerer
from pincite.answer.generated import GeneratedAnswerer
from pincite.answer.newest import NewestFirst
from pincite.answer.prompts import load_prompts
from pincite.answer.quoted import QuotedAnswerer
from pincite.answer.reading import Reading, Window
from pincite.evidence.asked_rows import AskedRowsSelector
from pincite.evidence.defined_terms import DefinedTermsSelector
from pincite.evidence.lists import ListsSelector
from pincite.evidence.margins import MarginsSelector
from pincite.evidence.newer import NewerSelector
from pincite.evidence.numbered_parts import NumberedPartsSelector
from pincite.evidence.packing import PackingSelector
from pincite.evidence.ranged_rows import RangedRowsSelector
from pincite.evidence.releases import ReleasesSelector
from pincite.evidence.replies import RepliesSelector
from pincite.evidence.select import MmrSelector
from pincite.records import Mode
from pincite.setting_groups import GenerationSettings
from pincite.settings import Settings
from pincite.stages import (
    Answerer,
    LanguageModel,
    Selector,
    Sources,
    TermWeights,
)
from pincite.verify.reasons import QUOTES_SHOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingStages:
    """What chooses the evidence and puts it into words."""

    selector: Selector
    answerer: Answerer


def quoting_selector(settings: Settings, sources: Sources) -> Selector:
    """What chooses the sentences that may be quoted."""
    best = MmrSelector(sources, **settings.evidence.model_dump(exclude={"parts"}))
    with_lists = ListsSelector(NewerSelector(best, sources), sources)
    with_rows = RangedRowsSelector(AskedRowsSelector(with_lists, sources), sources)
    by_form = NumberedPartsSelector(DefinedTermsSelector(with_rows, sources), sources)
    outermost = ReleasesSelector(RepliesSelector(by_form, sources), sources)
    return MarginsSelector(outermost, sources)


def writing_stages(
    settings: Settings,
    sources: Sources,
    weights: TermWeights,
    model: LanguageModel | None,
    *,
    selector: Selector | None = None,
) -> WritingStages:
    """The stages of the mode that is set; those of quotes alone where there is no model for it.

    `selector` chooses what may be quoted; without it, that of `quoting_selector`.
    """
    chosen = settings.generation
    mode = Mode(chosen.mode)
    selector = selector or quoting_selector(settings, sources)
    newest_first = NewestFirst(sources)
    quotes = ExtractiveAnswerer(newest_first=newest_first)
    if mode is Mode.EXTRACTIVE:
        return WritingStages(selector=selector, answerer=quotes)
    if model is None:
        quotes = ExtractiveAnswerer((_without(chosen),), newest_first=newest_first)
        return WritingStages(selector=selector, answerer=quotes)
    prompts = load_prompts(chosen.prompts)
    reading = Reading(prompts, mode, sources)
    answerer: Answerer = QuotedAnswerer(
        model,
        reading,
        quotes,
        max_sentences=settings.evidence.max_sentences,
        temperature=chosen.temperature,
    )
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
    packing = PackingSelector(
        selector,
        sources,
        room=Window(
            model,
            reading,
            share=settings.packing.share,
            most_tokens=settings.packing.max_tokens,
            max_tokens=chosen.max_tokens,
        ).room,
        count_tokens=model.count_tokens,
        max_passages=settings.packing.max_passages,
    )
    return WritingStages(selector=packing, answerer=answerer)


def _without(chosen: GenerationSettings) -> str:
    """Why no model writes; what keeps a model that is set from being used is told elsewhere."""
    if chosen.model != "none":
        return f"{QUOTES_SHOWN}: the model '{chosen.model}' cannot be used"
    why = f"generation.mode is '{chosen.mode}' and generation.model is 'none'"
    return f"{QUOTES_SHOWN}: {why}; name a model, see docs/models.md"

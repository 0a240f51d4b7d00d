"""A retriever for LangChain (extra `langchain`)."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from pincite.interfaces.integrations.found import found


class PinciteRetriever(BaseRetriever):
    """Passages of a library or, with `checked`, the quotes of its answer, none if it abstains.

    `library` is an open `pincite.Library`; the caller closes it.
    """

    library: Any
    limit: int = 5
    checked: bool = False

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return [
            Document(
                id=one.id, page_content=one.text, metadata={**one.metadata, "score": one.score}
            )
            for one in found(self.library, query, limit=self.limit, checked=self.checked)
        ]

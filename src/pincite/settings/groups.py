"""All settings with their defaults, one group for each stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from pincite.settings.toml_files import list_items

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
MULTILINGUAL_ENCODER = "multilingual-e5-small"
BUILT_IN_ENCODERS = (DEFAULT_ENCODER, MULTILINGUAL_ENCODER, "none")
RERANKER_KINDS = ("fastembed", "sentence-transformers", "rerank-server", "plugin")
BUILT_IN_RERANKERS = ("none", "llm")
REMOTE_ENCODERS = ("ollama", "openai")
ENCODER_KINDS = ("fastembed", "sentence-transformers", *REMOTE_ENCODERS, "plugin")
LANGUAGE_MODEL_KINDS = ("ollama", "ollama-generate", "openai")
_ENCODER_IDENTITY = ("model", "pooling", "query_prefix", "passage_prefix", "url", "max_chars")


class Group(BaseModel):
    """A group of settings: frozen, and unknown names are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class IngestSettings(Group):
    """Reading files (P1, P3, P9)."""

    workers: int = Field(default=2, ge=1, le=64, description="reader processes")
    max_file_mb: int = Field(default=512, ge=1, description="larger files are refused")
    max_memory_mb: int = Field(default=2048, ge=256, description="memory limit of a reader process")
    keep_versions: int = Field(
        default=10, ge=0, le=1000, description="old versions kept of each changed file"
    )
    max_seconds: float = Field(
        default=120, gt=0, description="time limit for one file, restarted after each page"
    )
    max_total_seconds: float = Field(
        default=3600, gt=0, description="time limit for one file, all pages together"
    )
    max_pages: int = Field(default=5000, ge=1, description="most pages read from one file")
    ocr: Literal["auto", "off"] = Field(
        default="auto", description="auto: recognise scanned pages if pincite[ocr] is installed"
    )


class ChunkingSettings(Group):
    """Splitting documents into passages (P5)."""

    max_chars: int = Field(default=1600, ge=100, le=20_000, description="largest size of a passage")
    overlap_chars: int = Field(
        default=100,
        ge=0,
        le=5_000,
        description="whole sentences repeated from the previous passage",
    )
    min_chars: int = Field(
        default=0,
        ge=0,
        le=20_000,
        description="a passage of at least this size ends with its paragraph; 0: only when full",
    )
    max_tokens: int = Field(
        default=0,
        ge=0,
        le=8_000,
        description="largest size in tokens of all-MiniLM-L6-v2 instead of characters; 0: characters",
    )
    overlap_tokens: int = Field(
        default=25, ge=0, le=2_000, description="as overlap_chars, when sizes are in tokens"
    )

    @model_validator(mode="after")
    def _sizes_go_together(self) -> Self:
        if self.min_chars and self.max_tokens:
            raise ValueError(
                f"min_chars = {self.min_chars} is in characters, but max_tokens = {self.max_tokens} "
                "measures all sizes in tokens; set one of them to 0"
            )
        if self.min_chars > self.max_chars:
            raise ValueError(
                f"min_chars = {self.min_chars} is more than max_chars = {self.max_chars}, so no "
                "passage could reach it; lower it"
            )
        return self


class EmbeddingSettings(Group):
    """The encoder (E1)."""

    model: str = Field(
        default=DEFAULT_ENCODER,
        description="docs/encoders.md lists the forms; none: lexical search only",
    )
    otherwise: Literal["", "all-MiniLM-L6-v2"] = Field(
        default="",
        description="used, with a notice, when the model is not available; empty: search by words only",
    )
    runtime: Literal["auto", "openvino", "onnxruntime"] = Field(
        default="auto", description="auto: the fastest that runs on this machine"
    )
    threads: int = Field(default=0, ge=0, le=256, description="0: all cores")
    pooling: Literal["auto", "mean", "cls", "last"] = Field(
        default="auto",
        description="how token states become one vector; auto: as the model specifies",
    )
    query_prefix: str | None = Field(
        default=None, description="put before a question; None: the model's own"
    )
    passage_prefix: str | None = Field(
        default=None, description="put before a passage; None: the model's own"
    )
    url: str = Field(default="", description="the server of ollama:NAME or openai:NAME")
    timeout_seconds: float = Field(default=60, gt=0, le=3600, description="for one request to it")
    retries: int = Field(default=3, ge=0, le=20, description="further tries of a failed request")
    batch_size: int = Field(default=32, ge=1, le=2048, description="texts in one request")
    max_chars: int = Field(
        default=2000, ge=50, le=100_000, description="longer texts are sent to the server in pieces"
    )

    @field_validator("model")
    @classmethod
    def _has_a_known_form(cls, model: str) -> str:
        kind, separator, name = model.partition(":")
        has_kind = separator and kind in ENCODER_KINDS and name.strip()
        if model in BUILT_IN_ENCODERS or has_kind or Path(model).expanduser().is_absolute():
            return model
        kinds = ", ".join(f"{kind}:NAME" for kind in ENCODER_KINDS)
        raise ValueError(
            f"is not an encoder; expected {', '.join(BUILT_IN_ENCODERS)}, the full path of a folder "
            f"with model.onnx, or {kinds}; a published model by its full name, such as "
            "fastembed:BAAI/bge-small-en-v1.5, sentence-transformers:intfloat/multilingual-e5-base "
            "or ollama:nomic-embed-text"
        )

    def identity(self) -> dict[str, Any]:
        """The values that are needed to open the same encoder again."""
        return self.model_dump(mode="json", include=set(_ENCODER_IDENTITY))


class RetrievalSettings(Group):
    """Finding candidates (R1, R2)."""

    dense_limit: int = Field(
        default=100, ge=1, le=1000, description="candidates from the dense index"
    )
    lexical_limit: int = Field(default=100, ge=1, le=1000, description="candidates from BM25")
    fusion: Literal["weighted", "rrf"] = Field(
        default="weighted",
        description="weighted: min-max scaled scores; rrf: reciprocal ranks",
    )
    rrf_k: int = Field(
        default=60, ge=1, le=10_000, description="rank constant of reciprocal rank fusion"
    )
    alpha: float = Field(default=0.5, ge=0, le=1, description="weight of BM25 in fusion")
    foreign_alpha: float = Field(
        default=0.8,
        ge=0,
        le=1,
        description="alpha for questions in a script that the encoder does not read",
    )
    keep: int = Field(default=100, ge=1, le=1000, description="candidates kept after fusion")
    limit: int = Field(default=10, ge=1, le=1000, description="hits that a search shows")
    plugin: str = Field(
        default="", description="plugin that finds candidates, or adds some (docs/plugins.md)"
    )

    @model_validator(mode="after")
    def _keeps_what_is_shown(self) -> Self:
        # A `keep` below the default limit is intended; a search reports it.
        if self.limit > max(self.keep, type(self).model_fields["limit"].default):
            raise ValueError(
                f"limit = {self.limit} is more than keep = {self.keep}, and only kept candidates can "
                "be shown; raise keep too"
            )
        return self


class LexicalSettings(Group):
    """Search by words (E4)."""

    engine: Literal["tantivy", "bm25s"] = Field(
        default="tantivy", description="bm25s: k1 and b can be set; kept in memory"
    )
    k1: float = Field(
        default=1.2, ge=0, le=10, description="weight of repeated words: term saturation (bm25s)"
    )
    b: float = Field(
        default=0.75,
        ge=0,
        le=1,
        description="penalty for long passages: length normalisation (bm25s)",
    )

    @model_validator(mode="after")
    def _fixed_in_tantivy(self) -> Self:
        if self.engine == "tantivy" and (self.k1, self.b) != (1.2, 0.75):
            raise ValueError(
                "tantivy has k1 = 1.2 and b = 0.75 built in; other values need engine = 'bm25s'"
            )
        return self


class UnderstandingSettings(Group):
    """Reading a question, without a language model (R9)."""

    phrases: bool = Field(
        default=False,
        description="find only passages that contain the quoted words; false: only for keywords; in a "
        "sentence, where quotes may mark a title, such passages are kept along with others",
    )
    abbreviations: bool = Field(
        default=True, description="expand abbreviations as the documents explain them"
    )
    spelling: bool = Field(
        default=True, description="correct words that no document contains, with a notice"
    )
    compounds: bool = Field(
        default=True, description="also find parts of compounds (German, Dutch, Scandinavian)"
    )
    parts: bool = Field(
        default=False, description="also search for each of several questions in one text alone"
    )
    entities: bool = Field(default=False, description="give names and numbers more weight")
    counts: bool = Field(
        default=True, description='answer "how many documents mention X" by counting over all'
    )
    changes: bool = Field(
        default=True, description='answer "what changed in X since 2022" by comparing two versions'
    )


class DenseSettings(Group):
    """The index of passage vectors (E3)."""

    engine: Literal["auto", "flat", "sq8", "ivf", "hnsw", "chroma", "pgvector", "qdrant"] = Field(
        default="auto",
        description="auto: flat, sq8 or ivf by size; pgvector: in PostgreSQL; qdrant: on a server",
    )
    url: str = Field(default="", description="the server of qdrant, such as https://HOST:6333")
    timeout_seconds: float = Field(default=60, gt=0, le=3600, description="for one request to it")
    flat_up_to: int = Field(
        default=10_000, ge=0, description="auto: most passages for exact search over all (flat)"
    )
    sq8_up_to: int = Field(
        default=300_000, ge=0, description="auto: most passages for search over all at 8 bits (sq8)"
    )
    nlist: int = Field(
        default=0,
        ge=0,
        le=65_536,
        description="clusters of ivf; 0: about 2 x square root of passages",
    )
    nprobe: int = Field(
        default=0, ge=0, le=65_536, description="clusters that ivf searches; 0: an eighth of them"
    )
    m: int = Field(default=16, ge=4, le=128, description="links per vector in the graph")
    ef_construction: int = Field(
        default=100, ge=8, le=2000, description="depth of a search while building the graph"
    )
    ef_search: int = Field(default=128, ge=8, le=2000, description="depth of a search in the graph")


class BoostsSettings(Group):
    """Boosts for candidates (R3, R4)."""

    documents: Literal["boost", "off"] = Field(
        default="boost", description="documents that a question names: boost prefers them"
    )
    documents_weight: float = Field(
        default=0.25, ge=0, le=1, description="boost for a document that is certainly named"
    )
    tag_set: str = Field(
        default="", description="crops, or the path of a TOML file; empty: no tags"
    )


class IntentsSettings(Group):
    """Kinds of questions (R4)."""

    rules: str = Field(
        default="", description="support, or the path of a TOML file; empty: no intents"
    )


class RerankSettings(Group):
    """Reranking candidates (R5, R6)."""

    method: Literal["late_interaction", "sentence_cosine", "term_coverage"] = Field(
        default="late_interaction", description="how candidates are compared with the question"
    )
    model: str = Field(
        default="none",
        description="model that reads candidates after that (docs/rerankers.md lists the forms); none: "
        "the method alone",
    )
    candidates: int = Field(default=20, ge=1, le=500, description="how many are reranked")
    weight: float = Field(
        default=0.8,
        ge=0,
        le=1,
        description="share of the reranker (the model, if there is one) in the score; 0: none",
    )
    foreign_weight: float = Field(
        default=0.4,
        ge=0,
        le=1,
        description="weight for questions in a script that the encoder does not read",
    )
    threshold: float = Field(default=0.2, ge=0, le=1, description="hits scored lower are dropped")
    stored_mb: int = Field(
        default=2048,
        ge=0,
        le=1_048_576,
        description="for token states stored in the library, about 13 kB a passage; those of further "
        "passages are computed when needed",
    )
    memory_mb: int = Field(
        default=256,
        ge=0,
        le=65_536,
        description="for caching computed token states of the passages compared last",
    )
    budget_ms: int = Field(
        default=0,
        ge=0,
        le=3_600_000,
        description="time after which no more passages are compared; 0: no limit",
    )
    max_tokens: int = Field(
        default=512,
        ge=16,
        le=32_768,
        description="most tokens of question and passage that a cross-encoder reads",
    )
    url: str = Field(default="", description="the server of rerank-server:NAME")
    timeout_seconds: float = Field(default=60, gt=0, le=3600, description="for one request to it")
    retries: int = Field(default=1, ge=0, le=20, description="further tries of a failed request")
    batch_size: int = Field(
        default=20,
        ge=1,
        le=500,
        description="passages in one request to a server, or in one prompt to a language model",
    )

    @field_validator("model")
    @classmethod
    def _has_a_known_form(cls, model: str) -> str:
        kind, separator, name = model.partition(":")
        has_kind = separator and kind in RERANKER_KINDS and name.strip()
        if model in BUILT_IN_RERANKERS or has_kind or Path(model).expanduser().is_absolute():
            return model
        kinds = ", ".join(f"{kind}:NAME" for kind in RERANKER_KINDS)
        raise ValueError(
            f"is not a reranker; expected {', '.join(BUILT_IN_RERANKERS)}, the full path of a folder "
            f"with model.onnx, or {kinds}; a published model by its full name, such as "
            "fastembed:Xenova/ms-marco-MiniLM-L-6-v2 or sentence-transformers:BAAI/bge-reranker-v2-m3"
        )


class EvidenceSettings(Group):
    """Selecting sentences (R7, A1)."""

    max_sentences: int = Field(default=6, ge=1, le=50, description="most sentences in an answer")
    mmr_lambda: float = Field(
        default=1.0, ge=0, le=1, description="relevance against novelty (MMR); 1: relevance alone"
    )
    max_similarity: float = Field(
        default=0.82,
        ge=0,
        le=1,
        description="a sentence more similar than this to a selected one is left out",
    )
    margin: float = Field(
        default=0.08, ge=0, le=1, description="how far below the best sentence another may score"
    )
    lead_margin: float = Field(
        default=0.01,
        ge=0,
        le=1,
        description="margin for a sentence that comes before the best one",
    )
    parts: bool = Field(
        default=True, description="select a best sentence for each of several questions in one text"
    )


class GenerationSettings(Group):
    """Answers written with a language model (A2)."""

    mode: Literal["extractive", "quoted", "generated"] = Field(
        default="extractive",
        description="extractive: the quotes alone; quoted: a model chooses among them; generated: "
        "a model writes, and statements that the quotes do not support are left out",
    )
    plugin: str = Field(
        default="", description="plugin that drafts answers; they are checked (docs/plugins.md)"
    )
    model: str = Field(
        default="none",
        description="docs/models.md lists the forms, such as smollm2, a GGUF file's full path, "
        "ollama:NAME or openai:NAME",
    )
    url: str = Field(default="", description="the server of ollama:NAME or openai:NAME")
    fallback_model: str = Field(
        default="", description="used when the model's server cannot be reached; same forms"
    )
    prompts: str = Field(
        default="default",
        description="prompts for the model: the name of a shipped file (default, sop, tiny, evidence, "
        "support, prospectus) or the path of a TOML file",
    )
    fallback_url: str = Field(default="", description="the server of the fallback model")
    temperature: float = Field(default=0, ge=0, le=2, description="0: always the likeliest token")
    seed: int = Field(
        default=0, ge=0, le=2**31 - 1, description="random seed at a higher temperature"
    )
    max_tokens: int = Field(default=400, ge=1, le=100_000, description="longest output, in tokens")
    context_tokens: int = Field(
        default=4096, ge=256, le=10_000_000, description="context window, for prompt and output"
    )
    threads: int = Field(default=0, ge=0, le=256, description="of a GGUF model; 0: all cores")
    prompt_cache: bool = Field(
        default=False,
        description="a GGUF model reads the common beginning of two prompts only once; its output may "
        "then depend on earlier questions",
    )
    timeout_seconds: float = Field(default=60, gt=0, le=3600, description="for one answer")
    retries: int = Field(default=1, ge=0, le=20, description="further tries of a failed request")

    @field_validator("model", "fallback_model")
    @classmethod
    def _has_a_known_form(cls, model: str, info: ValidationInfo) -> str:
        kind, separator, name = model.partition(":")
        has_kind = separator and kind in LANGUAGE_MODEL_KINDS and name.strip()
        is_path = Path(model).expanduser().is_absolute()
        is_name = not separator and not set(model) & set("/\\ ") and not model.startswith(".")
        empty_is_meant = model in ("", "none") and (model or info.field_name == "fallback_model")
        if has_kind or is_path or (model and is_name) or empty_is_meant:
            return model
        kinds = ", ".join(f"{kind}:NAME" for kind in LANGUAGE_MODEL_KINDS)
        raise ValueError(
            "is not a language model; expected none, smollm2, the full path of a GGUF file, the name "
            f"of a model that was added ('pincite models list'), or {kinds}"
        )


class PackingSettings(Group):
    """Evidence in the prompt of a language model (R8)."""

    share: float = Field(
        default=0.6, gt=0, le=1, description="share of the context window for evidence"
    )
    max_tokens: int = Field(
        default=1200,
        ge=0,
        description="most tokens of evidence, since reading takes time; 0: limited by share alone",
    )
    max_passages: int = Field(default=10, ge=1, le=1000, description="most passages in a prompt")


class VerificationSettings(Group):
    """Verification and abstention (A4, R6)."""

    stance: Literal["strict", "balanced", "eager"] = Field(
        default="balanced",
        description="how certain an answer must be: strict refuses more right answers and shows fewer "
        "wrong ones, eager the opposite; a calibrated threshold replaces it",
    )
    abstain_below: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="confidence needed to answer, instead of the stance's; unset: the stance's",
    )
    min_support: int = Field(
        default=0, ge=0, le=50, description="quotes needed to answer; 0: any number"
    )
    min_score: float = Field(
        default=0, ge=0, le=1, description="score of the best passage needed to answer; 0: any"
    )
    least_statements: int = Field(
        default=1,
        ge=1,
        le=50,
        description="if fewer of a model's statements are supported, the quotes are shown instead",
    )
    least_share: float = Field(
        default=0.5, ge=0, le=1, description="least_statements as a share of all its statements"
    )
    free_wording: bool = Field(
        default=True,
        description="show statements of a model that say a quote in other words, with a mark",
    )
    reader: Literal["small", "none"] = Field(
        default="small",
        description="the model that reads question and quoted passages together, for the confidence; "
        "none: words and scores alone",
    )
    nli_model: str = Field(
        default="none",
        description="entailment model that checks statements against their quotes: the full path of a "
        "folder with model.onnx; none: words and token states decide",
    )
    plugins: tuple[str, ...] = Field(
        default=(), description="plugins that may reject verified statements (docs/plugins.md)"
    )
    nli_threshold: float = Field(
        default=0.5, ge=0, le=1, description="least probability of entailment (nli_model)"
    )

    @field_validator("plugins", mode="before")
    @classmethod
    def _split_at_commas(cls, value: Any) -> Any:
        return list_items(value)

    @field_validator("nli_model")
    @classmethod
    def _is_none_or_a_path(cls, model: str) -> str:
        if model == "none" or Path(model).expanduser().is_absolute():
            return model
        raise ValueError(
            "is not an entailment model; expected none, or the full path of a folder with model.onnx, "
            "tokenizer.json and config.json"
        )


class ChatSettings(Group):
    """Follow-up questions (A11)."""

    reader: Literal["rules", "model", "none"] = Field(
        default="rules",
        description="how follow-ups are resolved: rules (English); model: by generation.model, and "
        "checked; none: questions are asked as written",
    )


class HistorySettings(Group):
    """Answers stored in the library."""

    keep: bool = Field(
        default=False, description="store every answer with its question ('pincite history')"
    )


class ServerSettings(Group):
    """`pincite serve`: who may use it, and how much (S1, S5, S6; docs/security.md)."""

    host: str = Field(
        default="127.0.0.1",
        description="address to listen on; any other than loopback (this machine) needs keys",
    )
    port: int = Field(default=8765, ge=0, le=65_535, description="port to listen on; 0: a free one")
    workers: int = Field(default=1, ge=1, le=64, description="processes that answer questions")
    folder: str = Field(
        default="",
        description="folder for the server's keys, logs and cached answers; empty: a folder for this "
        "library in ~/.local/state/pincite (or below XDG_STATE_HOME)",
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(), description="host names that browsers may use besides its address"
    )
    allowed_origins: tuple[str, ...] = Field(
        default=(), description="other web pages that may use it, such as https://chat.example.org"
    )
    public_url: str = Field(
        default="",
        description="base address for links to quotes, such as https://docs.example.org; empty: "
        "the one that the client used",
    )
    open_webui_events: bool = Field(
        default=False,
        description="send sources in streams of /v1/chat/completions in Open WebUI's format",
    )
    plugins: tuple[str, ...] = Field(
        default=(), description="plugins whose routes are served below /plugins (docs/plugins.md)"
    )
    trusted_proxies: tuple[str, ...] = Field(
        default=(),
        description="addresses of reverse proxies whose headers give the client's address",
    )
    ingest_folders: tuple[str, ...] = Field(
        default=(), description="folders of this machine from which clients may ingest files"
    )
    requests_per_minute: int = Field(
        default=240,
        ge=0,
        description="for one key, with bursts of up to six seconds' worth; 0: no limit",
    )
    address_requests_per_minute: int = Field(
        default=600, ge=0, description="for one address, whatever its keys; 0: no limit"
    )
    failed_keys_per_minute: int = Field(
        default=10, ge=1, description="wrong keys from one address before it is refused for a while"
    )
    max_body_kb: int = Field(default=256, ge=1, description="size of a request without files")
    max_upload_mb: int = Field(default=256, ge=1, description="size of a request with files")
    max_files: int = Field(default=100, ge=1, description="files in one request")
    max_question_chars: int = Field(default=2_000, ge=1, le=10_000, description="longest question")
    max_running: int = Field(
        default=4, ge=1, description="questions and uploads that run at once in a process"
    )
    max_waiting: int = Field(
        default=32, ge=0, description="requests that may wait for that; more are refused"
    )
    max_wait_seconds: float = Field(default=15, gt=0, description="longest wait of such a request")
    question_seconds: float = Field(
        default=120,
        gt=0,
        description="time limit for one question; a process that does not respond is ended",
    )
    client_seconds: float = Field(
        default=20, gt=0, description="how long a client may neither send nor receive anything"
    )
    audit_log: bool = Field(
        default=True, description="log who changed what, and refused keys (audit.jsonl)"
    )
    query_log: bool = Field(
        default=False,
        description="log questions, without names, numbers and addresses (queries.jsonl)",
    )
    cached_answers: int = Field(
        default=1_000, ge=0, description="answers cached in memory and on disk; 0: none"
    )
    cache_seconds: float = Field(default=3_600, gt=0, description="how long an answer is cached")
    cache_url: str = Field(
        default="",
        description="Redis server that caches answers for several servers: redis://host:6379/0",
    )

    @field_validator(
        "allowed_hosts",
        "allowed_origins",
        "trusted_proxies",
        "ingest_folders",
        "plugins",
        mode="before",
    )
    @classmethod
    def _split_at_commas(cls, value: Any) -> Any:
        return list_items(value)

    @field_validator("cache_url")
    @classmethod
    def _is_of_redis(cls, url: str) -> str:
        if not url or url.startswith(("redis://", "rediss://", "unix://")):
            return url
        raise ValueError(
            "is not the address of a Redis server; expected redis://host:6379/0, rediss:// or unix://"
        )

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import UsageError
from pincite.verify.receipts.signing import (
    DIGEST,
    SIGNATURE,
    SIGNER,
    canonical,
    make_keys,
    seal_problems,
    sealed,
    signer,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
# `signer` and its like, which the generator finds in the code, are the seal's own.
NAMES = st.text(max_size=6).filter(lambda name: name not in {SIGNER, SIGNATURE, DIGEST})
FORMS = st.dictionaries(NAMES, JSON, max_size=5)
FORM: dict[str, Any] = {"text": "Tighten to 54 N·m.", "citations": [{"page": 2}], "confidence": 0.9}


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "mine"
    make_keys(path)
    return path


def public(key: Path) -> Path:
    return key.with_name(f"{key.name}.pub")


@given(FORMS)
def test_a_sealed_form_holds_after_it_was_written_and_read(form: dict[str, Any]) -> None:
    assert list(seal_problems(json.loads(json.dumps(sealed(form))))) == []


@given(FORMS, FORMS)
def test_two_forms_have_one_digest_only_if_they_are_the_same(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    def written(form: dict[str, Any]) -> str:
        kept = {name: form[name] for name in form if name not in ("digest", "signature")}
        return json.dumps(kept, sort_keys=True)

    same = written(one) == written(other)
    assert (sealed(one)["digest"] == sealed(other)["digest"]) == same


def test_the_digest_does_not_depend_on_how_the_file_is_laid_out() -> None:
    turned = dict(reversed(FORM.items()))
    assert canonical(json.loads(json.dumps(turned, indent=4))) == canonical(FORM)


def test_a_changed_field_is_noticed() -> None:
    assert "was changed" in next(seal_problems({**sealed(FORM), "confidence": 0.95}))


def test_a_form_without_a_digest_is_not_taken() -> None:
    assert "no digest" in next(seal_problems(FORM))


def test_a_signature_proves_the_key(key: Path) -> None:
    signed = sealed(FORM, key)
    assert list(seal_problems(signed, public(key))) == []
    assert len(signer(signed)) == 16


def test_who_makes_the_digest_anew_cannot_make_the_signature_anew(key: Path) -> None:
    signed = sealed(FORM, key)
    changed = {**sealed({**FORM, "text": "Tighten by hand."}), "signature": signed["signature"]}
    assert list(seal_problems(changed)) == ["its signature does not match its content"]


def test_a_signature_that_was_cut_off_is_missed(key: Path) -> None:
    stripped = sealed(FORM, key)
    del stripped["signature"]
    (problem,) = seal_problems(stripped)
    assert "the signature was removed" in problem
    # The digest made anew does not hide it, as long as the name of the signer stands there.
    again = sealed({name: value for name, value in stripped.items() if name != "digest"})
    assert list(seal_problems(again)) == [problem]


def test_another_signature_in_its_place_is_noticed(key: Path, tmp_path: Path) -> None:
    make_keys(tmp_path / "other")
    ours, theirs = sealed(FORM, key), sealed(FORM, tmp_path / "other")
    assert "has the signature of another key" in next(
        seal_problems({**ours, "signature": theirs["signature"]})
    )


def test_without_a_trace_of_a_signature_one_is_missed_only_where_it_is_asked_for(
    key: Path,
) -> None:
    assert list(seal_problems(sealed(FORM))) == []
    assert list(seal_problems(sealed(FORM), public(key))) == ["it is not signed"]


def test_the_signature_of_someone_else_is_told_from_ours(key: Path, tmp_path: Path) -> None:
    make_keys(tmp_path / "other")
    problems = list(seal_problems(sealed(FORM, tmp_path / "other"), public(key)))
    assert len(problems) == 1
    assert "signed by another key" in problems[0]


@pytest.mark.parametrize(
    "change",
    [
        {"algorithm": "none"},
        {"public_key": ""},
        {"public_key": 3},
        {"value": ""},
        {"value": "????"},
        {"more": 1},
    ],
)
def test_a_signature_in_another_form_is_none(key: Path, change: dict[str, Any]) -> None:
    signed = sealed(FORM, key)
    signed["signature"] = {**signed["signature"], **change}
    assert list(seal_problems(signed))
    assert list(seal_problems({**signed, "signature": change}))
    assert list(seal_problems({**signed, "signature": None}))


def test_the_private_key_can_be_read_by_its_owner_alone_and_is_never_written_over(
    key: Path,
) -> None:
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    with pytest.raises(UsageError, match="already exists"):
        make_keys(key)


def test_a_file_that_holds_no_key_is_refused(key: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no key")
    with pytest.raises(UsageError, match="contains no readable private key"):
        sealed(FORM, tmp_path / "text")
    with pytest.raises(UsageError, match="contains no readable public key"):
        list(seal_problems(FORM, key))


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    private = generate_private_key(SECP256R1())
    (tmp_path / "ec").write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    with pytest.raises(UsageError, match="expected Ed25519"):
        sealed(FORM, tmp_path / "ec")

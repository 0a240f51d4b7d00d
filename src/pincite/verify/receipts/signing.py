"""Seals saved answers with a digest and a signature, and checks both.

The digest shows every change, unless whoever made it also computed the digest again. Only a signature
proves who wrote an answer.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.errors import UsageError
from pincite.records.files import read_regular

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

DIGEST, SIGNATURE = "digest", "signature"
SIGNER = "signer"
"""Covered by the digest, so that a form shows when its signature was removed."""
_ALGORITHM = "Ed25519"
_PURPOSE = b"pincite receipt 1\n"
"""Signed with every receipt, so that signatures of other content are not valid for a receipt."""
_KEY_BYTES = 32


def canonical(form: Mapping[str, Any]) -> bytes:
    """The bytes that are hashed and signed: all fields but digest and signature, in canonical JSON.

    Keys are sorted, without blanks, ASCII only, with numbers as Python's `json` writes them.
    """
    content = {name: value for name, value in form.items() if name not in (DIGEST, SIGNATURE)}
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")


def sealed(form: Mapping[str, Any], key: Path | None = None) -> dict[str, Any]:
    """A form with its digest, and with a signature by the private key in the file `key`, if given.

    Raises UsageError if the file does not contain such a key.
    """
    if key is None:
        return {**form, DIGEST: _digest(canonical(form))}
    private = _private_key(key)
    form = {**form, SIGNER: fingerprint(private.public_key().public_bytes_raw())}
    content = canonical(form)
    return {
        **form,
        DIGEST: _digest(content),
        SIGNATURE: {
            "algorithm": _ALGORITHM,
            "public_key": _text(private.public_key().public_bytes_raw()),
            "value": _text(private.sign(_PURPOSE + content)),
        },
    }


def seal_problems(form: Mapping[str, Any], public_key: Path | None = None) -> Iterator[str]:
    """Problems of digest and signature. With `public_key`, the signature must be by that key."""
    content = canonical(form)
    if DIGEST not in form:
        yield "it has no digest, so changes to its other fields cannot be detected"
    elif form[DIGEST] != _digest(content):
        yield f"it was changed after it was saved: its digest is {_digest(content)}"
    expected = None if public_key is None else _public_key(public_key)
    if SIGNER in form and SIGNATURE not in form:
        yield f"it was signed by the key {form[SIGNER]}, but the signature was removed"
    elif SIGNER in form and form[SIGNER] != signer(form):
        yield f"it names the signing key {form[SIGNER]}, but has the signature of another key"
    if SIGNATURE in form:
        yield from _signature_problems(form[SIGNATURE], content, expected)
    elif expected is not None:
        yield "it is not signed"


def signer(form: Mapping[str, Any]) -> str:
    """The fingerprint of the key in a form's signature; empty if it is not signed."""
    signature = form.get(SIGNATURE)
    key = signature.get("public_key") if isinstance(signature, Mapping) else None
    return fingerprint(_bytes(key)) if key else ""


def fingerprint(public_key: bytes) -> str:
    """The first 16 hexadecimal digits of a key's SHA-256, to compare by eye."""
    return hashlib.sha256(public_key).hexdigest()[:16]


def make_keys(path: Path) -> tuple[Path, str]:
    """Write a new key pair: the private key to `path`, the public one next to it as `.pub`.

    Returns the path of the public key and its fingerprint. Raises UsageError if either file exists.
    """
    _need_cryptography()
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    public_path = path.with_name(f"{path.name}.pub")
    for target in (path, public_path):
        if target.exists():
            raise UsageError(f"{target}: already exists; keys are never overwritten")
    private = Ed25519PrivateKey.generate()
    secret = private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    # Created with these permissions, so that no one else can ever read it.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secret)
    public = private.public_key()
    public_path.write_bytes(
        public.public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    )
    return public_path, fingerprint(public.public_bytes_raw())


def _signature_problems(
    signature: Any, content: bytes, expected: Ed25519PublicKey | None
) -> Iterator[str]:
    _need_cryptography()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    fields = {"algorithm", "public_key", "value"}
    if not isinstance(signature, dict) or signature.keys() != fields:
        yield f"its signature is not an object with {', '.join(sorted(fields))}"
        return
    if signature["algorithm"] != _ALGORITHM:
        yield f"its signature algorithm is {signature['algorithm']!r}; expected {_ALGORITHM}"
        return
    raw, value = _bytes(signature["public_key"]), _bytes(signature["value"])
    if len(raw) != _KEY_BYTES:
        yield "the public key of its signature is not valid"
        return
    if expected is not None and raw != expected.public_bytes_raw():
        yield (
            f"it is signed by another key: {fingerprint(raw)}, "
            f"expected {fingerprint(expected.public_bytes_raw())}"
        )
    try:
        Ed25519PublicKey.from_public_bytes(raw).verify(value, _PURPOSE + content)
    except InvalidSignature:
        yield "its signature does not match its content"


def _private_key(path: Path) -> Ed25519PrivateKey:
    _need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(read_regular(path), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(
            f"{path}: contains no readable private key ({error}); 'pincite keys' creates one"
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(f"{path}: is a key of another kind; expected {_ALGORITHM}")
    return key


def _public_key(path: Path) -> Ed25519PublicKey:
    _need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(read_regular(path))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: contains no readable public key ({error}); name the file that ends in .pub"
        ) from error
    if not isinstance(key, Ed25519PublicKey):
        raise UsageError(f"{path}: is a key of another kind; expected {_ALGORITHM}")
    return key


def _need_cryptography() -> None:
    if find_spec("cryptography") is None:
        raise UsageError("signatures need the package cryptography: pip install 'pincite[sign]'")


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _bytes(text: Any) -> bytes:
    """Decoded base64 text; empty for anything else."""
    try:
        return base64.b64decode(text, validate=True)
    except (TypeError, ValueError):
        return b""

"""The bill of materials of a bundle, in the CycloneDX 1.6 format."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pincite.interfaces.offline.archive import Entry
from pincite.interfaces.offline.wheels import Wheel


def sbom(
    version: str, made_at: int, wheels: Sequence[tuple[Wheel, str]], models: Sequence[Entry]
) -> str:
    """The list as JSON. It is reproducible: the serial number is derived from the checksums."""
    components = [_package(wheel, sha256) for wheel, sha256 in wheels]
    components += [_model(model) for model in models]
    seed = " ".join(one["hashes"][0]["content"] for one in components)
    form = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, seed)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(made_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "name": "pincite", "version": version},
        },
        "components": components,
    }
    return json.dumps(form, indent=1, sort_keys=True) + "\n"


def _package(wheel: Wheel, sha256: str) -> dict[str, Any]:
    address = f"pkg:pypi/{wheel.name.lower().replace('_', '-')}@{wheel.version}"
    return {
        "type": "library",
        "bom-ref": address,
        "name": wheel.name,
        "version": wheel.version,
        "purl": address,
        "hashes": [{"alg": "SHA-256", "content": sha256}],
        "licenses": [{"license": {"name": wheel.licence}}],
    }


def _model(model: Entry) -> dict[str, Any]:
    return {
        "type": "machine-learning-model",
        "bom-ref": f"model:{model.name}",
        "name": model.name,
        "hashes": [{"alg": "SHA-256", "content": model.sha256}],
        "licenses": [{"license": {"name": model.licence}}],
    }

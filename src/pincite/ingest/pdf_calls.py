"""Calls PDFium with plain addresses: a page needs thousands of calls that do next to nothing.

pypdfium2 wraps every pointer in an object, which costs more than most of the calls themselves.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NewType

Pointer = NewType("Pointer", object)
"""An address, ready to be passed on."""


def address_of(pointer: Any) -> int:
    """Where a pointer of pypdfium2 points."""
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def pointer_to(address: int) -> Pointer:
    """Make an address ready once for many calls, which would otherwise turn it anew each time."""
    return Pointer(ctypes.c_void_p.from_param(address))


def direct(function: Any, result: Any) -> Callable[..., Any]:
    """A function of PDFium that takes a `Pointer` for every address, and integers as they are.

    It keeps the interpreter's lock: these calls take less time than giving it up and getting it
    back. An address as a plain integer would be cut to 32 bits.
    """
    prototype: Callable[..., Any] = ctypes.PYFUNCTYPE(result)(address_of(function))
    return prototype


ADDRESS = ctypes.c_size_t
"""The result of functions that give an address; 0 where there is none."""

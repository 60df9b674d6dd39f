"""Replaces what names people and things in a fixture document."""

from hashlib import shake_256
from typing import Any

TEXTS = {"name", "intro", "title", "customTitle", "tags", "tag", "value", "q", "a"}
IDS = {"tmbId", "externalFileId", "fileId"}
LINKS = {"avatar", "rawLink"}
CONSONANTS = "bdfgklmnprstvwz"
VOWELS = "aeiou"


def anonymous(value: Any, name: str = "") -> Any:
    """A document without its texts, members and links; equal ones stay equal."""
    if isinstance(value, dict):
        return {key: anonymous(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [anonymous(item, name) for item in value]
    if not value or not isinstance(value, str):
        return value
    if name in TEXTS:
        return pseudonym(value)
    id = shake_256(value.encode()).hexdigest(12)
    if name in LINKS:
        return f"https://example.com/{id}"
    return id if name in IDS else value


def pseudonym(text: str) -> str:
    """Words of three syllables, as many as a text of this length has."""
    count = min(max(2, len(text) // 8), 60)
    digest = shake_256(text.encode()).digest(3 * count)
    words = []
    for start in range(0, len(digest), 3):
        words.append("".join(map(syllable, digest[start : start + 3])))
    return " ".join(words)


def syllable(number: int) -> str:
    consonant, vowel = divmod(number, len(VOWELS))
    return CONSONANTS[consonant % len(CONSONANTS)] + VOWELS[vowel]

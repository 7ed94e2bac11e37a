"""Names of parameters that Python's grammar does not take for names: `lambda`, `in`, `wing.span`.

A keyword gets a first letter that Python reads as the same letter (names are normalised, keywords are not), and a dot
between letters becomes a character that names may have. Every replacement is one character long, so that columns stay
what they are.
"""

import ast
import re
from keyword import iskeyword

_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)*")
_DOT = "\u00b7"
_WIDE = 0xFEE0
"""From a letter to its wide twin, which Python reads as the letter."""
_CONSTANTS = ("True", "False", "None")


def dotted(line: str) -> str:
    """The text with the dots of names as a character that Python takes for a part of a name."""
    return _WORD.sub(lambda found: found.group().replace(".", _DOT), line)


def renamed(line: str) -> str:
    """The text with keywords as names."""
    return _WORD.sub(lambda found: _wide(found.group()), line)


def _wide(word: str) -> str:
    return chr(ord(word[0]) + _WIDE) + word[1:] if iskeyword(word) and word not in _CONSTANTS else word


def as_written(tree: ast.expr) -> ast.expr:
    """The tree of such a text with the names that the user wrote; in place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = node.id.replace(_DOT, ".")
    return tree

"""Text that others wrote (programs, file names, the operating system), made fit for a terminal or a table.

Raw, it could set the title of the window, fill the clipboard, or hide and rewrite what was printed before.
"""

import unicodedata


def printable(text: str) -> str:
    """The text with every character that is none to look at written as an escape, such as \\x1b.

    Kept are the ends of lines (but not a return to their beginning), tabulators and all kinds of spaces.
    """
    if text.isprintable():
        return text
    return "".join(each if _harmless(each) else each.encode("unicode_escape").decode() for each in text)


def _harmless(character: str) -> bool:
    return character.isprintable() or character in "\n\t" or unicodedata.category(character) == "Zs"

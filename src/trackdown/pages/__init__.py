"""What self-contained pages are made of: markup that escapes by construction, and files that are whole or not there."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.pages.markup import Markup, breakable, clean, element, joined, script_data
    from trackdown.pages.saving import place_to_save, save
else:
    __getattr__ = door(__name__)

"""Talking to servers that we don't trust."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.network.addresses import is_this_machine
    from trackdown.network.http_line import HttpLine, HttpReply, ReplyCompressed, ReplyTooLarge, ReplyTooSlow
else:
    __getattr__ = door(__name__)

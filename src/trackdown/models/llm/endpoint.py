"""An OpenAI-compatible endpoint: POST /chat/completions, without streaming."""

from __future__ import annotations

import json
import queue
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from trackdown.errors import LlmError, NoAnswer, UsageError
from trackdown.models.llm.chat import PromptTooLong, TryAgain, chat_messages
from trackdown.models.llm.completion import read_completion
from trackdown.models.llm.prompt import Completion, Prompt
from trackdown.network import HttpLine, HttpReply, ReplyCompressed, ReplyTooLarge, ReplyTooSlow, is_this_machine

CONTEXT = 8192
"""The assumed context window where the user doesn't set one: small models have at least this."""
_PATH = "/chat/completions"
_MAX_WAIT_SECONDS = 60.0
_CONNECT_SECONDS = 10.0
_MIN_BODY_LIMIT, _BYTES_PER_TOKEN = 64 << 10, 64
_MODELS_LIMIT, _MODELS_SECONDS = 4 << 20, 10.0
_MAX_QUOTED_CHARS = 200
_MAX_MODELS_LISTED = 8
_KEY_HINT = "set TRACKDOWN_LLM_KEY"


class Endpoint:
    """A model behind a URL. Nothing is sent before the first question.

    The key is only ever sent in a header, and is removed from server messages before they are shown. Raises UsageError
    for settings that cannot work.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        insecure: bool = False,
        timeout_s: float = 60.0,
        concurrency: int = 4,
        context: int = 0,
    ) -> None:
        self._url, address, self._is_local = _checked(url)
        if not model:
            raise UsageError(f"which model of {self._url}? name it with --llm-model or TRACKDOWN_LLM_MODEL")
        if key and not (key.isascii() and key.isprintable()):
            raise UsageError("the language model's key has invalid characters: set TRACKDOWN_LLM_KEY again")
        if key and not (url.startswith("https://") or self._is_local or insecure):
            raise UsageError(
                f"{self._url} is not encrypted, so others could read the key: use https, or set llm_insecure"
            )
        if not timeout_s:
            raise UsageError("llm_timeout_s is 0: an endpoint needs some time to answer")
        self.name = f"{model}@{address}"
        self.context = context or CONTEXT
        self.concurrency = max(1, concurrency)
        self._model = model
        self._key = key
        self._timeout_s = timeout_s
        self._connect_s = min(_CONNECT_SECONDS, timeout_s)
        headers = {"Content-Type": "application/json", "User-Agent": "trackdown"}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        self._lines: queue.LifoQueue[HttpLine] = queue.LifoQueue()
        for _ in range(self.concurrency):  # requests to this machine bypass proxies
            self._lines.put(HttpLine(headers, connect_s=self._connect_s, trust_env=not self._is_local))
        self._limit_field = "max_tokens"
        self._takes_temperature = True

    def answer(self, prompt: Prompt) -> Completion:
        """Ask once. Waiting for a free connection doesn't count towards the timeout."""
        question = json.dumps(self._question(prompt), ensure_ascii=True).encode("ascii")
        limit = _MIN_BODY_LIMIT + _BYTES_PER_TOKEN * prompt.max_tokens
        reply = self._exchange("POST", _PATH, question, limit=limit, seconds=self._timeout_s)
        if reply.status != 200:
            raise self._refusal(reply)
        value = _json(reply.body)
        if value is None:
            raise NoAnswer(f"{self._url} did not send JSON: is it an OpenAI-compatible endpoint?", charged=True)
        if isinstance(value, dict) and value.get("error") and not value.get("choices"):
            raise TryAgain(f"{self._url} reports an error: {self._error_text(reply.body)}")
        return read_completion(value, prompt, reply.seconds, self._url)

    def _question(self, prompt: Prompt) -> dict[str, Any]:
        messages = [{"role": role, "content": text} for role, text in chat_messages(prompt)]
        asked = {"model": self._model, "messages": messages, self._limit_field: prompt.max_tokens, "stream": False}
        return asked | ({"temperature": prompt.temperature} if self._takes_temperature else {})

    def _exchange(self, method: str, path: str, content: bytes = b"", *, limit: int, seconds: float) -> HttpReply:
        """Send a request over a free connection. Raises LlmError."""
        import httpx

        line = self._lines.get()
        try:
            return line.exchange(method, self._url + path, content, limit=limit, seconds=seconds)
        except ReplyTooSlow:
            raise NoAnswer(
                f"{self._url} did not answer within {seconds:g} seconds: try again, or raise llm_timeout_s",
                charged=True,
            ) from None
        except ReplyTooLarge:
            raise NoAnswer(
                f"{self._url} sent more than {limit:,} bytes, too many for an answer", charged=True
            ) from None
        except ReplyCompressed:
            raise NoAnswer(f"{self._url} compresses its answers: switch that off in the server", charged=True) from None
        except httpx.ConnectTimeout:
            raise LlmError(f"cannot reach {self._url} within {self._connect_s:g} seconds: check the URL") from None
        except (httpx.ConnectError, httpx.InvalidURL, UnicodeError) as error:  # or the host cannot be a name
            raise LlmError(f"cannot reach {self._url} ({self._clean(str(error))}): check the URL") from None
        except httpx.HTTPError as error:
            reason = self._clean(str(error)) or type(error).__name__
            raise TryAgain(f"the connection to {self._url} broke ({reason})", charged=True) from None
        finally:
            self._lines.put(line)

    def _refusal(self, reply: HttpReply) -> LlmError:
        """The error for a status other than 200."""
        status, headers, said = reply.status, reply.headers, self._error_text(reply.body)
        if status in (401, 403):
            hint = f"the key was refused: {_KEY_HINT} to a valid one" if self._key else f"it needs a key: {_KEY_HINT}"
            return LlmError(f"{self._url} answered {status}, {hint}")
        if status == 429 and "insufficient_quota" not in said:
            return self._busy(headers, said)
        if status in (408, 409, 425) or status >= 500:
            return TryAgain(f"{self._url} failed with {status}{_suffix(said)}", wait_s=_wait(headers))
        if status == 404:
            return LlmError(f"{self._url} answered 404{_suffix(said)}: {self._hint_for_404()}")
        if 300 <= status < 400:
            return LlmError(f"{self._url} redirects ({status}): use the URL that it moved to")
        if status == 400 and self._adapts(said):
            return TryAgain(f"{self._url} expects other arguments", wait_s=0.0)
        if status in (400, 413) and "context" in said:
            return PromptTooLong(f"a prompt is too long for {self.name} ({status}{_suffix(said)})")
        if status in (400, 413, 422):
            return NoAnswer(f"{self._url} rejected the question ({status}{_suffix(said)})")
        return LlmError(f"{self._url} answered {status}{_suffix(said)}")

    def _busy(self, headers: Mapping[str, str], said: str) -> LlmError:
        wait = _wait(headers)
        if wait is not None and wait > _MAX_WAIT_SECONDS:
            return LlmError(f"{self._url} accepts no questions for {wait:,.0f} seconds (429): try again later")
        return TryAgain(f"{self._url} gets too many requests (429{_suffix(said)})", wait_s=wait)

    def _adapts(self, said: str) -> bool:
        """Whether the next request can avoid the argument that this endpoint rejects; from now on requests do."""
        if "max_completion_tokens" in said and self._limit_field == "max_tokens":
            self._limit_field = "max_completion_tokens"
            return True
        if "temperature" in said and self._takes_temperature:
            self._takes_temperature = False
            return True
        return False

    def _hint_for_404(self) -> str:
        """What to do about a 404: the endpoint's models, or a hint about the URL."""
        try:
            seconds = min(_MODELS_SECONDS, self._timeout_s)
            reply = self._exchange("GET", "/models", limit=_MODELS_LIMIT, seconds=seconds)
            value = _json(reply.body) if reply.status == 200 else None
        except LlmError:
            value = None
        listed = value.get("data") if isinstance(value, dict) else None
        rows = listed if isinstance(listed, list) else []
        names = [row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]
        if self._model in names or not names:
            return f"check the URL, which should end in /v1 or similar, and the model name {self._model!r}"
        more = ", …" if len(names) > _MAX_MODELS_LISTED else ""
        return f"it has no model {self._model!r}; it has {self._clean(', '.join(names[:_MAX_MODELS_LISTED]))}{more}"

    def _error_text(self, body: bytes) -> str:
        """The server's error message, shortened and without the key."""
        value = _json(body)
        error = value.get("error", value.get("message")) if isinstance(value, dict) else None
        if isinstance(error, dict):
            parts = [error.get(part) for part in ("message", "code")]
            error = " ".join(str(part) for part in parts if part and isinstance(part, str | int))
        return self._clean(error) if isinstance(error, str) else ""

    def _clean(self, text: str) -> str:
        text = text.replace(self._key, "…") if self._key else text
        return " ".join(text.split())[:_MAX_QUOTED_CHARS]


def _checked(url: str) -> tuple[str, str, bool]:
    """The URL up to `/v1`, the same without its scheme, and whether it is on this machine. Raises UsageError."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(
            f"{_shown(url)} is not the URL of a language model: give it up to /v1, e.g. http://localhost:8080/v1"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            f"the URL of the language model at {host} has credentials, a query or a fragment: "
            "put the key into TRACKDOWN_LLM_KEY"
        )
    named = f"[{host}]" if ":" in host else host
    address = f"{named}:{port}" if port else named
    path = parts.path.rstrip("/").removesuffix(_PATH)
    return f"{parts.scheme}://{address}{path}", f"{address}{path}", is_this_machine(host)


def _shown(url: str) -> str:
    """A URL for messages, without what is before an @, which may be a secret."""
    return repr(url.rpartition("@")[2])


def _wait(headers: Mapping[str, str]) -> float | None:
    """The seconds of Retry-After; None where it is missing or a date."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < 1e9 else None


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _suffix(said: str) -> str:
    return f": {said}" if said else ""

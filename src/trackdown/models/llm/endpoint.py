"""An OpenAI-compatible endpoint: POST /chat/completions, one whole answer each."""

from __future__ import annotations

import ipaddress
import json
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from trackdown.errors import LlmError, NoAnswer, UsageError
from trackdown.models.llm.chat import PromptTooLong, TryAgain, chat_messages
from trackdown.models.llm.completion import read_completion
from trackdown.models.llm.prompt import Completion, Prompt

if TYPE_CHECKING:
    import httpx

CONTEXT = 8192
"""What is taken for granted where the user does not say: small models have at least that."""
_PATH = "/chat/completions"
_LONGEST_WAIT = 60.0
_CONNECT_SECONDS = 10.0
_SMALLEST_LIMIT, _BYTES_A_TOKEN = 64 << 10, 64
_TOLD = 200
_NAMED_MODELS = 8
_KEY_HINT = "set TRACKDOWN_LLM_KEY"


class Endpoint:
    """A model behind a URL. Nothing is sent before the first question.

    The key is sent in a header and nowhere else: messages of the server are printed without it. Raises UsageError for
    settings that cannot work.
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
        self._url, place, self._is_here = _checked(url)
        if not model:
            raise UsageError(f"which model of {self._url}? name it with --llm-model or TRACKDOWN_LLM_MODEL")
        if key and not (key.isascii() and key.isprintable()):
            raise UsageError(
                "the key of the language model holds characters that no key has: set TRACKDOWN_LLM_KEY again"
            )
        if key and not (url.startswith("https://") or self._is_here or insecure):
            raise UsageError(
                f"{self._url} is not encrypted, so the key would travel in the open: use https, or set llm_insecure"
            )
        if not timeout_s:
            raise UsageError("llm_timeout_s is 0: an endpoint needs some time to answer")
        self.name = f"{model}@{place}"
        self.context = context or CONTEXT
        self.concurrency = max(1, concurrency)
        self._model = model
        self._key = key
        self._timeout_s = timeout_s
        self._connect_s = min(_CONNECT_SECONDS, timeout_s)
        self._client: httpx.Client | None = None
        self._opening = threading.Lock()
        self._places = threading.BoundedSemaphore(self.concurrency)
        self._limit_field = "max_tokens"
        self._takes_temperature = True

    def answer(self, prompt: Prompt) -> Completion:
        """Ask once. Who waits for a connection has not asked yet: that time is not the endpoint's."""
        with self._places:
            return self._answered(prompt)

    def _answered(self, prompt: Prompt) -> Completion:
        started = time.monotonic()
        status, headers, body = self._post(self._question(prompt), _SMALLEST_LIMIT + _BYTES_A_TOKEN * prompt.max_tokens)
        if status == 200:
            value = _json(body)
            if value is None:
                raise NoAnswer(f"{self._url} sent something that is no JSON: is it an OpenAI-compatible endpoint?",
                               charged=True)  # fmt: skip
            if isinstance(value, dict) and value.get("error") and not value.get("choices"):
                raise TryAgain(f"{self._url} reports an error: {self._told(body)}")
            return read_completion(value, prompt, time.monotonic() - started, self._url)
        raise self._refusal(status, headers, body)

    def _question(self, prompt: Prompt) -> dict[str, Any]:
        messages = [{"role": role, "content": text} for role, text in chat_messages(prompt)]
        asked = {"model": self._model, "messages": messages, self._limit_field: prompt.max_tokens, "stream": False}
        return asked | ({"temperature": prompt.temperature} if self._takes_temperature else {})

    def _post(self, question: dict[str, Any], limit: int) -> tuple[int, httpx.Headers, bytes]:
        """Status, headers and body. The whole may take `timeout_s`, however slowly it trickles in."""
        import httpx

        until = time.monotonic() + self._timeout_s
        data = json.dumps(question, ensure_ascii=True).encode("ascii")
        try:
            with self._open().stream("POST", self._url + _PATH, content=data) as reply:
                body = bytearray()
                for piece in reply.iter_bytes():
                    body += piece
                    if len(body) > limit:
                        raise NoAnswer(f"{self._url} sent more than {limit:,} bytes, which is no answer",
                                       charged=True)  # fmt: skip
                    if time.monotonic() > until:
                        raise self._too_slow()
                return reply.status_code, reply.headers, bytes(body)
        except httpx.ConnectTimeout:
            raise LlmError(f"cannot reach {self._url} within {self._connect_s:g} seconds: check the URL") from None
        except httpx.TimeoutException:
            raise self._too_slow() from None
        except httpx.ConnectError as error:
            raise LlmError(f"cannot reach {self._url} ({self._clean(str(error))}): check the URL") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = self._clean(str(error)) or type(error).__name__
            raise TryAgain(f"the connection to {self._url} broke ({reason})", charged=True) from None

    def _too_slow(self) -> NoAnswer:
        return NoAnswer(
            f"{self._url} did not answer within {self._timeout_s:g} seconds: try again, or raise llm_timeout_s",
            charged=True,
        )

    def _open(self) -> httpx.Client:
        import httpx

        with self._opening:
            if self._client is None:
                headers = {"Content-Type": "application/json", "User-Agent": "trackdown"}
                if self._key:
                    headers["Authorization"] = f"Bearer {self._key}"
                self._client = httpx.Client(
                    headers=headers,
                    timeout=httpx.Timeout(self._timeout_s, connect=self._connect_s, pool=None),
                    limits=httpx.Limits(max_connections=self.concurrency),
                    trust_env=not self._is_here,  # a proxy has no business between us and this machine
                )
            return self._client

    def _refusal(self, status: int, headers: httpx.Headers, body: bytes) -> LlmError:
        """What a status other than 200 means."""
        said = self._told(body)
        if status in (401, 403):
            hint = f"it refuses the key: {_KEY_HINT} to a valid one" if self._key else f"it wants a key: {_KEY_HINT}"
            return LlmError(f"{self._url} answered {status}, {hint}")
        if status == 429 and "insufficient_quota" not in said:
            return self._busy(headers, said)
        if status in (408, 409, 425) or status >= 500:
            return TryAgain(f"{self._url} failed with {status}{_behind(said)}", wait_s=_wait(headers))
        if status == 404:
            return LlmError(f"{self._url} answered 404{_behind(said)}: {self._what_there_is()}")
        if 300 <= status < 400:
            return LlmError(f"{self._url} sends elsewhere ({status}): name the URL that it moved to")
        if status == 400 and self._adapts(said):
            return TryAgain(f"{self._url} takes other arguments", wait_s=0.0)
        if status in (400, 413) and "context" in said:
            return PromptTooLong(f"a prompt is too long for {self.name} ({status}{_behind(said)})")
        if status in (400, 413, 422):
            return NoAnswer(f"{self._url} refuses the question ({status}{_behind(said)})")
        return LlmError(f"{self._url} answered {status}{_behind(said)}")

    def _busy(self, headers: httpx.Headers, said: str) -> LlmError:
        wait = _wait(headers)
        if wait is not None and wait > _LONGEST_WAIT:
            return LlmError(f"{self._url} takes no more questions for {wait:,.0f} seconds (429): go on later")
        return TryAgain(f"{self._url} is asked too often (429{_behind(said)})", wait_s=wait)

    def _adapts(self, said: str) -> bool:
        """Whether the next question will leave out or name differently what this endpoint does not take."""
        if "max_completion_tokens" in said and self._limit_field == "max_tokens":
            self._limit_field = "max_completion_tokens"
            return True
        if "temperature" in said and self._takes_temperature:
            self._takes_temperature = False
            return True
        return False

    def _what_there_is(self) -> str:
        """What to do about a 404: the models that the endpoint has, or a hint about the URL."""
        import httpx

        names: list[str] = []
        try:
            reply = self._open().get(f"{self._url}/models")
            value = _json(reply.content) if reply.status_code == 200 else None
            listed = value.get("data") if isinstance(value, dict) else None
            rows = listed if isinstance(listed, list) else []
            names = [row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]
        except httpx.HTTPError:
            pass
        if self._model in names or not names:
            return f"check the URL (it should end in /v1 or the like) and the model's name {self._model!r}"
        more = ", …" if len(names) > _NAMED_MODELS else ""
        return f"it has no model {self._model!r}, but {self._clean(', '.join(names[:_NAMED_MODELS]))}{more}"

    def _told(self, body: bytes) -> str:
        """The server's own words, short and without the key."""
        value = _json(body)
        error = value.get("error", value.get("message")) if isinstance(value, dict) else None
        if isinstance(error, dict):
            error = " ".join(str(error[part]) for part in ("message", "code") if error.get(part))
        return self._clean(error) if isinstance(error, str) else ""

    def _clean(self, text: str) -> str:
        text = text.replace(self._key, "…") if self._key else text
        return " ".join(text.split())[:_TOLD]


def _checked(url: str) -> tuple[str, str, bool]:
    """The URL up to `/v1`, the same without its scheme, and whether it is on this machine."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(
            f"{_shown(url)} is no URL of a language model: write it up to /v1, e.g. http://localhost:8080/v1"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            f"the URL of the language model at {host} holds more than a place: the key goes into TRACKDOWN_LLM_KEY"
        )
    named = f"[{host}]" if ":" in host else host
    place = f"{named}:{port}" if port else named
    path = parts.path.rstrip("/").removesuffix(_PATH)
    return f"{parts.scheme}://{place}{path}", f"{place}{path}", _is_here(host)


def _shown(url: str) -> str:
    """A URL as it may be printed: what stands before an @ may be a secret."""
    return repr(url.rpartition("@")[2])


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _wait(headers: httpx.Headers) -> float | None:
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


def _behind(said: str) -> str:
    return f": {said}" if said else ""

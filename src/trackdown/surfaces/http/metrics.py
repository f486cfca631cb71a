"""Metrics for Prometheus: requests, searches and their stages, the queue, the indexes, and the process itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from trackdown.surfaces.http.problems import HttpProblem

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Metrics of one server. None of them holds text from a query or a file."""

    def __init__(self, *, of_process: bool = True) -> None:
        """`of_process`: also memory and time of the process. They tell what other clients are doing."""
        self.registry = CollectorRegistry()
        if of_process:
            ProcessCollector(registry=self.registry)
        self.requests = Counter(
            "trackdown_http_requests",
            "Requests by route, method and status.",
            ("route", "method", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "trackdown_http_request_seconds",
            "How long requests took.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.searches = Counter(
            "trackdown_searches",
            "Searches by level, effort and whether the index was incomplete.",
            ("level", "effort", "partial"),
            registry=self.registry,
        )
        self.stages = Histogram(
            "trackdown_search_stage_seconds",
            "How long the stages of searches took.",
            ("stage",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.shed = Counter("trackdown_http_shed", "Requests refused by a limit.", ("reason",), registry=self.registry)
        self.cancelled = Counter(
            "trackdown_http_cancelled", "Requests whose client went away before the answer.", registry=self.registry
        )
        self.running = Gauge("trackdown_work_running", "Requests that the engine works on.", registry=self.registry)
        self.waiting = Gauge("trackdown_work_waiting", "Requests that wait for their turn.", registry=self.registry)
        self.ready = Gauge(
            "trackdown_index_ready",
            "Whether a repository's index is up to date.",
            ("repository",),
            registry=self.registry,
        )

    def searched(self, level: str, effort: str, partial: bool, timings_ms: Mapping[str, float]) -> None:
        """Count a search."""
        self.searches.labels(level, effort, str(partial).lower()).inc()
        for stage, milliseconds in timings_ms.items():
            self.stages.labels(stage).observe(milliseconds / 1000)

    def counted(self, problem: HttpProblem) -> HttpProblem:
        """Count a problem if the request was refused because the server was full."""
        if problem.kind == "overloaded":
            self.shed.labels("queue").inc()
        return problem

    def watch_queue(self, running: Callable[[], float], waiting: Callable[[], float]) -> None:
        """Read the queue whenever the metrics are read."""
        self.running.set_function(running)
        self.waiting.set_function(waiting)

    def page(self) -> bytes:
        """All metrics in Prometheus's text format."""
        return generate_latest(self.registry)

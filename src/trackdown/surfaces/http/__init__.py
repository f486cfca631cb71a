"""The HTTP API and the page: one process serves some repositories. Needs the extra `serve`."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.surfaces.http.access import AccessRules
    from trackdown.surfaces.http.connections import ServerConfig
    from trackdown.surfaces.http.group_views import GroupDispatcher, GroupView, views_of
    from trackdown.surfaces.http.request_checks import ClientGone, Refusal, RequestChecks
    from trackdown.surfaces.http.server import GroupServer, Server, Service
    from trackdown.surfaces.http.uvicorn_server import UvicornServer, bound, url_of
else:
    __getattr__ = door(__name__)

"""JavaScript and TypeScript: references → links, along imports, declarations and classes."""

from trackdown.graph.ecmascript.resolver import EcmascriptResolver

__all__ = ["EcmascriptResolver"]

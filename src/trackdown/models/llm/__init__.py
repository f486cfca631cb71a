"""Language models that write and choose: always optional, every answer cached, every token counted."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.models.llm.budget import Budget, Prices
    from trackdown.models.llm.cache import COMPLETIONS
    from trackdown.models.llm.chat import ChatModel
    from trackdown.models.llm.client import LlmClient
    from trackdown.models.llm.code_generation import (
        PROMPTS_VERSION,
        SUMMARY_TOKENS,
        CodeExample,
        code_prompt,
        extract_code,
        extract_summary,
        summary_prompt,
    )
    from trackdown.models.llm.completion import strip_reasoning
    from trackdown.models.llm.context_window import shortened
    from trackdown.models.llm.embedded import Embedded, packaged_file
    from trackdown.models.llm.endpoint import Endpoint
    from trackdown.models.llm.ledger import UsageLedger, cost_table, merge_cost_tables
    from trackdown.models.llm.listwise import DATA_ONLY, ListwiseTask, listwise_prompt, max_passages, parse_numbers
    from trackdown.models.llm.pregenerated import read_pregenerated
    from trackdown.models.llm.prompt import Completion, LanguageModel, Prompt
    from trackdown.models.llm.replay import Recorder, ReplayFile, ReplayOnlyModel, read_replay
    from trackdown.models.llm.untrusted_text import quote
else:
    __getattr__ = door(__name__)

"""Public benchmarks → tasks, one adapter per file."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.lab.benches.cmu import QUERY, oracle, read_cmu
    from trackdown.lab.benches.records import read_parquet
    from trackdown.lab.benches.semble import read_semble
    from trackdown.lab.benches.swe import read_swe
    from trackdown.lab.benches.text2code import read_text2code
else:
    __getattr__ = door(__name__)

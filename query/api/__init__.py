"""What can be asked of StillTrue and what comes back, as types. The HTTP service and the commands both speak them.

Instants are microseconds UTC here; the edge turns them into RFC 3339. Read ``statements`` first, then ``questions``,
``relations``, ``spaces``.
"""

from .questions import Answer, ContextItem, Mode, Path, QueryRequest, QueryResult, Seed, Shape, Step, Trace, TracedPath
from .relations import (
    AliasEntry,
    EdgeEntry,
    EdgesResult,
    ParticipantEntry,
    ParticipantsResult,
    ProducersResult,
    RulingEntry,
    RulingsResult,
    StageProducers,
)
from .spaces import DeltaPage, SpacesResult, StatusResult, Told
from .statements import (
    ChainLink,
    ChangeEntry,
    ChangesResult,
    Citation,
    HistoryResult,
    PlanStatus,
    ReplacedBy,
    StateEntry,
    StateRequest,
    StateResult,
)

__all__ = [
    "AliasEntry",
    "Answer",
    "ChainLink",
    "ChangeEntry",
    "ChangesResult",
    "Citation",
    "ContextItem",
    "DeltaPage",
    "EdgeEntry",
    "EdgesResult",
    "HistoryResult",
    "Mode",
    "ParticipantEntry",
    "ParticipantsResult",
    "Path",
    "PlanStatus",
    "ProducersResult",
    "QueryRequest",
    "QueryResult",
    "ReplacedBy",
    "RulingEntry",
    "RulingsResult",
    "Seed",
    "Shape",
    "SpacesResult",
    "StageProducers",
    "StateEntry",
    "StateRequest",
    "StateResult",
    "StatusResult",
    "Step",
    "Told",
    "Trace",
    "TracedPath",
]

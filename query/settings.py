"""Every weight and limit of the query engine, in one frozen struct hashed into published results with all settings."""

from __future__ import annotations

from typing import Literal

import msgspec

from schemas.edges import Relation

Hierarchy = Literal["session", "theme"]
"""Vertices of Eq. 8 that a path runs through from event to event."""

Family = Literal["note", "entity", "update", "hierarchy"]
"""What brought a seed: V0 (Eq. 13), V_ent, V_upd or V_hier (Eq. 14)."""


class Relevance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Weights of the ranking of notes. What each counts is a share of its best, from 0 to 1; ADR 0042 tells how chosen.

    Attributes:
        dense, sparse: weights of the scores by meaning and by words; 0 leaves one out.
        nearby: share of the score of notes one and two places before and after, in the same run.
        events: weight of the best event that rests on a note.
        runs: weight of the run a note stands in.
        run_notes: notes of a run that tell how good it is.
        speaker: what it adds that a note was said by a person the question names.
        statements: of a question for several things, what it adds that a note states anything.
        recency: of a question about a change, how much more the last of the found notes counts than the first.
        places_from: of a question about the present or a change, after how many notes what the asked person states
            takes turns by meaning alone (``places``); None: it does not.
    """

    dense: float = 0.5
    sparse: float = 0.5
    nearby: tuple[float, ...] = (0.3, 0.15)
    events: float = 0.3
    runs: float = 0.4
    run_notes: int = 3
    speaker: float = 0.4
    statements: float = 0.1
    recency: float = 0.4
    places_from: int | None = 20


class Discounts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """d(l) of Eq. 18: how much a relation of each label tells. The paper gives the idea, not the numbers.

    ``causes``, ``prevents`` and ``updates`` state the dependency itself: nothing is taken off. ``enables`` is a
    necessary condition, not a reason: 0.9. ``contradicts`` joins two statements of which one is wrong: 0.8, before the
    penalty Eq. 18 adds for it. ``before`` says only that one came first, which most pairs of events satisfy: 0.6.
    That two events were told in one session says less (0.4), that their sessions share a theme hardly anything (0.2).
    """

    causes: float = 1.0
    prevents: float = 1.0
    updates: float = 1.0
    enables: float = 0.9
    contradicts: float = 0.8
    before: float = 0.6
    session: float = 0.4
    theme: float = 0.2

    def of(self, relation: Relation | Hierarchy) -> float:
        """d(l)."""
        match relation:
            case "causes":
                return self.causes
            case "prevents":
                return self.prevents
            case "updates":
                return self.updates
            case "enables":
                return self.enables
            case "contradicts":
                return self.contradicts
            case "before":
                return self.before
            case "session":
                return self.session
            case "theme":
                return self.theme
            case "possibly_updates":
                return 0.0  # no path crosses it


class QuerySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Weights and limits.

    Attributes:
        alpha, beta, gamma, delta: weights of NS, PC, TC and UV in Eq. 16; the paper's defaults.
        discounts: d(l) of Eq. 18.
        contradiction_penalty: what a path with a contradiction loses of PC (Eq. 18: one half).
        relevance: how notes are ranked; the paper's R_k(q) is the plain cosine.
        families: of the seeds, those that are used.
        path_order: of the context. ``score``: by S, as the paper has it; ``relevance``: by the notes' fused ranking,
            since S ranks by cosine alone; the paths of the reply are always by S.
        newest_first: of a question about the present or about a change, the most relevant items are ordered newest
            first, and older ones point at what was said later on the same.
        newest_notes: how many notes these are.
        same_topic: cosine from which two notes of one speaker are on the same.
        seed_notes: k of R_k(q) in Eq. 13. The paper's baseline takes 10; two dozen notes still make a small graph.
        entity_seeds, update_seeds, hierarchy_seeds: caps of V_ent, V_upd and V_hier.
        event_hits: how deep the ranking of events is kept; V_ent and V_hier are cut from it.
        max_hops: relations of a path at most.
        beam: relations followed at one event, the strongest first.
        hierarchy_fan: events that one event leads to through each of its sessions, and through each theme.
        neighbourhood: events looked at around the seeds at most.
        max_expansions: paths of one length that are grown at most, the best bounds first; bounds the time of a query
            whatever the graph.
        max_paths: paths kept.
        note_share: B_note as a share of B_total (the evaluated split is 6,000 of 10,000); the rest is B_path.
        note_tokens_min: tokens of a short rendered note; notes searched = B_total over this.
        notes_max: notes searched at most.
        full_text_tokens_max: a message up to this long is shown whole in a path, a longer one by its cited span.
        quote_words_max: words of a quote inside a marker.
        known_support: similarity plus weighted coverage below which a statement is not about the question. Measured
            with MiniLM on three public conversations of 370-660 messages: at 0.55 the best message passes for 84 % of
            281 questions asked of their own conversation, and for 19 % of 562 asked of another one. Cosine alone
            separates them worse (83 % and 27 % at 0.40).
        coverage_weight: what shared content words add to similarity when statements are ranked for the answer: words
            decide between statements of one subject that lie close together as vectors.
        subject_weight: what it adds that the statement is about the person asked, not merely said by them.
        attribute_weight: what it adds that it is on an attribute the question's words point at.
        period_weight: what it adds that it is about a time within the period the question names.
        answer_margin: how far below the best a further statement may rank and still be listed.
        answer_statements: statements listed at most for a question that asks for several.
        trace_answer, trace_question, trace_confidence, trace_time: weights of AS, QS, PC and TC of the evidence trace
            (section II-G; the paper names the terms and no numbers): what was said counts most, then what was asked.
        trace_bonus: b of the same, for a path whose statements hold all names and numbers of the answer; else a share.
        trace_paths: paths of a trace at most.
        chain_max: statements of one history at most.
    """

    alpha: float = 0.4
    beta: float = 0.3
    gamma: float = 0.15
    delta: float = 0.15
    discounts: Discounts = Discounts()
    contradiction_penalty: float = 0.5
    relevance: Relevance = Relevance()
    families: tuple[Family, ...] = ("note", "entity", "update", "hierarchy")
    path_order: Literal["relevance", "score"] = "relevance"
    newest_first: bool = True
    newest_notes: int = 90
    same_topic: float = 0.5
    seed_notes: int = 24
    entity_seeds: int = 16
    update_seeds: int = 48
    hierarchy_seeds: int = 12
    event_hits: int = 100
    max_hops: int = 3
    beam: int = 8
    hierarchy_fan: int = 1
    neighbourhood: int = 120
    max_expansions: int = 2_000
    max_paths: int = 48
    note_share: float = 0.6
    note_tokens_min: int = 15
    notes_max: int = 400
    full_text_tokens_max: int = 80
    quote_words_max: int = 12
    known_support: float = 0.55
    coverage_weight: float = 0.45
    subject_weight: float = 0.1
    attribute_weight: float = 0.15
    period_weight: float = 0.1
    answer_margin: float = 0.12
    answer_statements: int = 5
    trace_answer: float = 0.4
    trace_question: float = 0.2
    trace_confidence: float = 0.2
    trace_time: float = 0.1
    trace_bonus: float = 0.1
    trace_paths: int = 5
    chain_max: int = 200

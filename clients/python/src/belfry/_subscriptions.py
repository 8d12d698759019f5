"""All subscriptions of a client; dispatches messages and gaps to them. Owner: the engine.

A pattern resumes from the position that the server gave. The messages that it missed precede its confirmation, and some
of them are repeated, which the trackers of its subjects drop.

Without such a position (a server without history, patterns of an HTTP stream that have different positions) the
subjects received through the pattern are resumed one by one. They are subscribed first, each from its position, and
then the pattern. Such a temporary subscription is called a *bridge*. It ends when the missed messages have arrived and
the pattern is confirmed. Messages published on subjects that this client never received remain unknown, and are
announced as one gap of the pattern.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from . import _subjects
from ._delta import DeltaBases
from ._errors import BelfryError, SubscribeError
from ._events import GapEvent, MessageEvent, PositionEvent, SubscribedEvent
from ._model import NOT_RECOVERED, Gap, MessageType, Position, Recovery
from ._origin import OwnOrigin
from ._status import GapFound, Status, Subscribed, SubscribeRefused
from ._subscription import PatternPositions, SubscriptionState, Wanted
from ._tracker import Missing

AnySubscription: TypeAlias = SubscriptionState[Any]

_LOG_CUT = "log-cut"
_ROUTES_MAX = 100_000


def _turn(state: AnySubscription) -> tuple[bool, int]:
    """Sorts the requests of patterns. The server reads for one pattern after the other, and omits what another one has.

    The pattern that lacks most is therefore the first, and live messages of a new one follow what the others missed.
    """
    return not state.resumes, state.at_order


def _are_unordered(one: AnySubscription, other: AnySubscription) -> bool:
    """Whether nothing shows which of two positions is the earlier one, because the program gave both."""
    return one.at_order == other.at_order and one.at != other.at


class Subscriptions:
    """The subscriptions by subject, and the bridges of patterns."""

    def __init__(
        self,
        report: Callable[[Status], None],
        gap_delivered: Callable[[AnySubscription], None],
        bridges_max: int,
        origin: OwnOrigin,
    ) -> None:
        self._report = report
        self._origin = origin
        self._gap_delivered = gap_delivered
        self._bridges_max = bridges_max
        self._plain: dict[str, AnySubscription] = {}
        self._patterns: dict[str, AnySubscription] = {}
        self._bridges: dict[str, Position | None] = {}
        """The position that each bridge must reach; None until the bridge is confirmed."""
        self._finished_bridges: list[str] = []
        self._leaving: Counter[str] = Counter()
        """Number of ends without an answer by pattern, on the current connection."""
        self._kind = PatternPositions.OF_SESSION
        self._positions = 0
        """Number of positions of patterns that the server gave."""
        self._routes: dict[str, tuple[AnySubscription, ...]] = {}
        self._deltas = DeltaBases()
        self._has_deltas = False
        """Whether any subscription had deltas so far."""
        self.touched: set[AnySubscription] = set()
        """The subscriptions that received items or ended since the engine last cleared this set."""

    def __iter__(self) -> Iterator[AnySubscription]:
        return iter([*self._plain.values(), *self._patterns.values()])

    def find(self, subject: str) -> AnySubscription | None:
        return self._plain.get(subject) or self._patterns.get(subject)

    def add(self, state: AnySubscription) -> None:
        (self._patterns if state.is_pattern else self._plain)[state.subject] = state
        self._routes.clear()
        self._has_deltas |= state.options.deltas

    def end(self, state: AnySubscription, error: BelfryError | None) -> bool:
        """Removes and ends a subscription; returns False if it was removed before."""
        if not self._remove(state):
            return False
        state.end(error)
        self.touched.add(state)
        return True

    def _remove(self, state: AnySubscription) -> bool:
        among = self._patterns if state.is_pattern else self._plain
        if among.get(state.subject) is not state:
            return False
        del among[state.subject]
        self._routes.clear()
        return True

    def wanted(self, positions: PatternPositions) -> list[Wanted]:
        """Returns what a new connection must request, in this order. Earlier confirmations are void."""
        self._bridges.clear()
        self._finished_bridges.clear()
        for state in self:
            state.unrequest()
        wanted: list[Wanted] = []
        for state in self._plain.values():
            if not state.holds:
                state.requested = True
                wanted.append(state.wanted())
        return wanted + self.wanted_patterns(positions)

    def wanted_patterns(self, positions: PatternPositions) -> list[Wanted]:
        """Returns the patterns that a connection must request after all subjects, in this order, and their bridges."""
        self._kind = positions
        self._deltas.clear()
        self._leaving.clear()
        for state in self._patterns.values():
            state.unrequest()
        active = [state for state in self if not state.holds]
        patterns = [state for state in active if state.is_pattern]
        wanted: list[Wanted] = []
        resumable = positions is not PatternPositions.OF_STREAM or len({state.at for state in patterns}) == 1
        for state in patterns:
            self._resume(state, resumable)
        patterns.sort(key=_turn)
        for state in patterns:
            if state.resumes:
                alone = positions is PatternPositions.OF_PATTERN
                state.is_unproven = not alone and any(self._is_ahead(other, state) for other in active)
            else:
                wanted += self._new_bridges(state)
        for state in patterns:
            state.requested = True
            wanted.append(state.wanted())
        return wanted

    def _is_ahead(self, other: AnySubscription, pattern: AnySubscription) -> bool:
        """Whether a subscription that is requested together with a pattern may receive messages instead of it."""
        if other.resumes:
            ahead = _are_unordered(other, pattern)
        elif other.is_pattern:
            # Its bridges are subjects by their names.
            ahead = pattern.is_behind and bool(other.trackers)
        else:
            # A subject without a position begins with its next message, for the pattern too.
            ahead = pattern.is_behind or other.tracker.resume_from() is None
        return ahead and _subjects.overlap(pattern.subject, other.subject)

    def overtaken(self, state: AnySubscription) -> list[AnySubscription]:
        """Returns the patterns that must end, and be requested again after a pattern that is behind them.

        Otherwise the server omits what they have received.
        """
        if not state.is_pattern or state.at is None or not state.is_behind:
            return []
        others = (one for one in self._patterns.values() if one.requested and one.at is not None and one is not state)
        return [one for one in others if _subjects.overlap(state.subject, one.subject)]

    def request(
        self, state: AnySubscription, positions: PatternPositions, overtaken: Sequence[AnySubscription] = ()
    ) -> list[Wanted]:
        """Returns what the current connection must request for one more subscription."""
        wanted: list[Wanted] = []
        states = sorted([state, *overtaken], key=_turn)
        if not state.is_pattern:
            self._disprove(state.subject)
        elif not self._resume(state, positions is not PatternPositions.OF_STREAM):
            wanted += self._new_bridges(state)
        elif state.is_behind:
            state.stale.update(one.subject for one in overtaken)
            others = [one for one in self if one.requested and one not in states]
            state.is_unproven = any(_subjects.overlap(state.subject, one.subject) for one in others)
            for one in overtaken:
                if _are_unordered(one, state):
                    one.is_unproven = state.is_unproven = True
        for one in states:
            if one is not state:
                # It missed nothing, so everything that arrives is new, also before the answer.
                one.confirmed = False
                one.resumes = True
            one.requested = True
            wanted.append(one.wanted())
        return wanted

    def _resume(self, pattern: AnySubscription, resumable: bool) -> bool:
        """Decides whether a pattern is requested from its position."""
        pattern.resumes = resumable and pattern.at is not None
        pattern.after_bridges = None
        pattern.is_unproven = False
        # Without a position, what is late cannot be told from what is new.
        late = pattern.resumes and self._leaving[pattern.subject]
        pattern.stale = {pattern.subject} if late else set()
        return pattern.resumes

    def _disprove(self, subject: str) -> None:
        """The server omits recovered messages of a subject that has a subscription of its own."""
        if self._kind is PatternPositions.OF_PATTERN:
            return
        for pattern in self._patterns.values():
            if pattern.resumes and pattern.requested and not pattern.confirmed:
                pattern.is_unproven |= _subjects.matches(pattern.subject, subject)

    def leaving(self, subject: str) -> None:
        """An end of a subscription was requested, and will be answered."""
        if _subjects.is_pattern(subject):
            self._leaving[subject] += 1

    def left(self, subject: str) -> None:
        """The end of a subscription was answered."""
        self._deltas.ended(subject)
        if self._leaving[subject] > 1:
            self._leaving[subject] -= 1
        elif self._leaving[subject]:
            del self._leaving[subject]
            for pattern in self._patterns.values():
                pattern.stale.discard(subject)

    def restart(self, subject: str) -> AnySubscription | None:
        """Forgets the position of a pattern that the server did not take; returns None if it has none."""
        pattern = self._patterns.get(subject)
        if pattern is None or not pattern.resumes or pattern.confirmed:
            return None
        pattern.reached(None, 0)
        pattern.unrequest()
        return pattern

    def _new_bridges(self, pattern: AnySubscription) -> list[Wanted]:
        wanted: list[Wanted] = []
        for subject, tracker in pattern.trackers.items():
            after = tracker.resume_from()
            free = subject not in self._plain and subject not in self._bridges
            if after is not None and free and len(self._bridges) < self._bridges_max:
                self._bridges[subject] = None
                wanted.append(Wanted(subject, after, temporary=True))
        return wanted

    def message(self, event: MessageEvent, only: str | None = None) -> None:
        """Offers a message to the subscriptions that match it, or to ``only`` one, whose session received it.

        Raises EventError for a delta that does not fit.
        """
        subject = event.subject
        if event.delta or self._has_deltas:
            plain = self._plain.get(subject)
            event = self._deltas.whole(event, plain is not None and plain.options.deltas)
        for state in self._routes.get(subject) or self._route(subject):
            if only is not None and state.subject != only:
                continue
            if state.takes and (not state.is_pattern or self._is_for_pattern(event)):
                tracker = state.tracker_of(subject)
                if tracker.message(event):
                    self._deliver(state, event, tracker.missing)
        if self._bridges:
            self._check_bridge(subject)

    def _route(self, subject: str) -> tuple[AnySubscription, ...]:
        plain = self._plain.get(subject)
        found = [plain] if plain else []
        found += [state for state in self._patterns.values() if _subjects.matches(state.subject, subject)]
        if len(self._routes) >= _ROUTES_MAX:
            self._routes.clear()
        route = self._routes[subject] = tuple(found)
        return route

    def _is_for_pattern(self, event: MessageEvent) -> bool:
        """History was requested by a plain subject. A message before the bridge's answer would seem to follow a gap."""
        if event.type is MessageType.HISTORY:
            return False
        return not self._bridges or self._bridges.get(event.subject, ()) is not None

    def _deliver(self, state: AnySubscription, event: MessageEvent, missing: Missing | None) -> None:
        if missing is not None:
            self._missing(state, event.subject, missing)
            if not state.takes:
                return
        # The position has moved on, so an echo does not return after a lost connection.
        if not self._origin.is_echo(event):
            state.deliver(event)
            self.touched.add(state)

    def _missing(self, state: AnySubscription, subject: str, missing: Missing) -> None:
        reason = "epoch-changed" if missing.other_epoch else NOT_RECOVERED
        self._gap(state, Gap(subject, missing.after, missing.to, reason))

    def _gap(self, state: AnySubscription, gap: Gap) -> None:
        state.deliver_gap(gap)
        self.touched.add(state)
        self._report(GapFound(gap))
        self._gap_delivered(state)

    def subscribed(self, event: SubscribedEvent) -> None:
        pattern = self._patterns.get(event.subject)
        if pattern is not None:
            if pattern.takes:
                self._pattern_confirmed(pattern, event)
            return
        plain = self._plain.get(event.subject)
        if event.at is None:
            return
        if plain is not None and plain.requested:
            self._plain_confirmed(plain, event, event.at)
        elif event.subject in self._bridges:
            self._bridges[event.subject] = event.at
            self._check_bridge(event.subject)

    def _plain_confirmed(self, state: AnySubscription, event: SubscribedEvent, at: Position) -> None:
        missing = state.tracker.subscribed(at, event.recovery, state.options.history > 0)
        self._confirm(state, Subscribed(event.subject, event.recovery, at))
        if missing is not None:
            self._missing(state, event.subject, missing)

    def _pattern_confirmed(self, pattern: AnySubscription, event: SubscribedEvent) -> None:
        missing = event.recovery is Recovery.COMPLETE and pattern.is_unproven
        if event.recovery is Recovery.NONE:
            missing = pattern.ever_confirmed or pattern.options.pattern_start is not None
        pattern.is_behind = False
        self._confirm(pattern, Subscribed(pattern.subject, event.recovery, None))
        for subject in list(self._bridges):
            self._check_bridge(subject)
        if missing:
            self._gap(pattern, Gap(pattern.subject, None, None, NOT_RECOVERED))
        if self._kind is PatternPositions.OF_STREAM and event.pattern_at is not None:
            self.position(PositionEvent(event.pattern_at))
        elif self._kind is not PatternPositions.OF_STREAM or not pattern.resumes:
            self._positions += 1
            self._reached(pattern, event.pattern_at, self._positions)

    def _reached(self, pattern: AnySubscription, at: str | None, order: int) -> None:
        """Records a position of a pattern; it counts only after messages that bridges still bring."""
        if at is not None and not pattern.resumes and self._is_bridged(pattern):
            pattern.after_bridges = (at, order)
            return
        pattern.after_bridges = None
        pattern.reached(at, order)
        self.touched.add(pattern)

    def _is_bridged(self, pattern: AnySubscription) -> bool:
        return any(_subjects.matches(pattern.subject, subject) for subject in self._bridges)

    def position(self, event: PositionEvent) -> None:
        """Handles the position that a pattern has reached, or all confirmed patterns.

        A conflated pattern has none. In a stream the confirmation of the last pattern has the position of all.
        """
        self._positions += 1
        of_stream = self._kind is PatternPositions.OF_STREAM
        for pattern in self._patterns.values():
            if pattern.at is None and not of_stream:
                continue
            if pattern.confirmed if event.pattern is None else self._is_progress(pattern, event.pattern):
                self._reached(pattern, event.at, self._positions)

    def _is_progress(self, pattern: AnySubscription, subject: str) -> bool:
        """Whether the server has sent everything up to the position of such an event for a pattern that recovers.

        A session omits what another pattern has delivered, so the position counts only without one that overlaps.
        A poll has a session of its own, and a position after each answer.
        """
        if pattern.subject != subject:
            return False
        if self._kind is PatternPositions.OF_PATTERN:
            return pattern.confirmed
        recovers = pattern.resumes and pattern.takes and not pattern.confirmed
        if not recovers or pattern.is_unproven or pattern.stale:
            return False
        others = (one for one in self._patterns.values() if one is not pattern)
        return not any(_subjects.overlap(subject, one.subject) for one in others)

    def _confirm(self, state: AnySubscription, status: Subscribed) -> None:
        state.confirmed = True
        state.ever_confirmed = True
        state.confirmation = state.confirmation or (status.recovery, status.position)
        self._report(status)
        self.touched.add(state)

    def gap(self, event: GapEvent, only: str | None = None) -> None:
        if _subjects.is_pattern(event.subject):
            self._pattern_gap(event)
            return
        truncated = event.reason == _LOG_CUT
        for state in self._routes.get(event.subject) or self._route(event.subject):
            if only is not None and state.subject != only:
                continue
            if state.takes and state.tracker_of(event.subject).gap(event.to, truncated):
                self._gap(state, Gap(event.subject, event.after, event.to, event.reason))
        self._check_bridge(event.subject)

    def _pattern_gap(self, event: GapEvent) -> None:
        """Messages are missing on any of the subjects, so no tracker can find another gap before its next message."""
        pattern = self._patterns.get(event.subject)
        if pattern is not None and pattern.takes:
            for tracker in pattern.trackers.values():
                tracker.lose()
            self._gap(pattern, Gap(pattern.subject, None, None, event.reason))

    def refused(self, subject: str, code: str, reason: str) -> None:
        """Handles a refused subject: a subscription of the program ends, a bridge becomes a gap."""
        state = self.find(subject)
        if state is None:
            self._bridge_refused(subject)
            return
        self._report(SubscribeRefused(subject, code, reason))
        self.end(state, SubscribeError(code, reason))

    def _bridge_refused(self, subject: str) -> None:
        """Announces the gap at once, because a silent subject would never show how much is missing."""
        if subject not in self._bridges:
            return
        for state in self._route(subject):
            self._gap(state, Gap(subject, state.tracker_of(subject).resume_from(), None, NOT_RECOVERED))
        self._end_bridge(subject)

    def _check_bridge(self, subject: str) -> None:
        to = self._bridges.get(subject)
        if to is None:
            return
        for state in self._route(subject):
            if state.requested and not (state.confirmed and state.tracker_of(subject).reached(to)):
                return
        self._end_bridge(subject)
        self._finished_bridges.append(subject)

    def _end_bridge(self, subject: str) -> None:
        """Forgets a bridge. Patterns without another one have the positions that waited for it."""
        self._bridges.pop(subject, None)
        for pattern in self._patterns.values():
            if pattern.after_bridges is not None and pattern.confirmed:
                self._reached(pattern, *pattern.after_bridges)

    @property
    def has_finished_bridges(self) -> bool:
        return bool(self._finished_bridges)

    def take_finished_bridges(self) -> list[str]:
        """Takes the bridges to unsubscribe now; over HTTP they remain until the next stream."""
        done = [subject for subject in self._finished_bridges if subject not in self._plain]
        self._finished_bridges.clear()
        return done

    def is_bridge(self, subject: str) -> bool:
        return subject in self._bridges

    def drop_bridge(self, subject: str) -> bool:
        """Forgets a bridge; returns whether there was one, which must be unsubscribed first."""
        if subject not in self._bridges:
            return False
        self._end_bridge(subject)
        return True

package io.belfry.benchkit.measure;

import java.util.Set;

/** The counters of a load generator; each counts events of one kind. */
@SuppressWarnings("ImmutableEnumChecker") // The set of traits is never modified.
public enum Count {
    /** Messages received and measured. */
    MESSAGES,
    /** Messages received during the warm-up: verified, but not measured. */
    WARM_UP_MESSAGES,
    /** Messages without a stamp: not published by benchpub, so without a latency. */
    UNSTAMPED(Trait.INCIDENT),
    /** Messages of type snapshot or history: older than the subscription, so without a latency. */
    REPLAYED(Trait.INCIDENT),
    /** Messages of a subject that the client had not subscribed to. */
    MISDELIVERED(Trait.INCIDENT, Trait.FAULT),
    /** Numbers missing between two messages of one stream. */
    LOST(Trait.VERIFIED, Trait.FAULT),
    /** Messages received a second time. */
    DUPLICATED(Trait.VERIFIED, Trait.FAULT),
    /** Messages received after a later message of the same stream. */
    REORDERED(Trait.VERIFIED, Trait.FAULT),
    /** Positions that the server skipped without a gap event, after the subscription. */
    POSITIONS_MISSING(Trait.VERIFIED, Trait.FAULT),
    /** Messages whose position was not above the previous one. */
    POSITIONS_REPEATED(Trait.INCIDENT),
    /** Changes of a subject's epoch. */
    EPOCH_CHANGES(Trait.INCIDENT),
    /** Gap events of the server. */
    GAPS_ANNOUNCED(Trait.VERIFIED, Trait.FAULT),
    /** Numbers below the first one received: sent before the subscription, or lost. */
    BEFORE_FIRST(Trait.VERIFIED),
    /** Requests of the server to reconnect. */
    RECONNECT_NOTICES(Trait.INCIDENT),
    /** Error events of the server. */
    ERRORS(Trait.INCIDENT),
    /** Connections that ended before the client closed them. */
    DISCONNECTIONS(Trait.INCIDENT, Trait.FAULT),
    /** End marks: the last message of a stream, by which a loss at the end is detected. */
    END_MARKS,
    /** Streams without an end mark although their publisher has sent others: the end mark was lost. */
    END_MARKS_MISSING(Trait.VERIFIED, Trait.FAULT),
    /** Messages to be expected according to the end marks. */
    EXPECTED,
    /** Readers that were stopped (StalledReaders). */
    STALLED(Trait.INCIDENT),
    /** Stalled readers that the server disconnected. */
    STALLED_DISCONNECTED(Trait.INCIDENT),
    /** Messages that stalled readers received after their first stall. */
    STALLED_MESSAGES(Trait.INCIDENT),
    /** Messages that a gap event announced to a stalled reader as dropped. */
    STALLED_DROPPED(Trait.INCIDENT),
    /** Messages that a gap event announced to a stalled reader as conflated. */
    STALLED_CONFLATED(Trait.INCIDENT),
    /** Messages that a stalled reader did not receive and no gap event announced. */
    STALLED_SKIPPED(Trait.INCIDENT, Trait.FAULT),
    /** Messages that a stalled reader received a second time. */
    STALLED_REPEATED(Trait.INCIDENT, Trait.FAULT),
    /** Messages that other readers had received at the end, but stalled readers had not. */
    STALLED_BEHIND(Trait.INCIDENT, Trait.FAULT),
    /** Clients that connected and became ready. */
    CONNECTS,
    /** Clients that did not become ready while the run continued (HoldTime). */
    CONNECTS_FAILED(Trait.INCIDENT, Trait.FAULT),
    /** Bytes read from sockets. */
    BYTES_READ,
    /** Messages written to the socket while measuring. */
    PUBLISHED,
    /** Messages written to the socket during the warm-up. */
    WARM_UP_PUBLISHED,
    /** Publishes that the server acknowledged. */
    ACKNOWLEDGED,
    /** Times at which publishing waited for a full socket; the wait is measured as latency and lag. */
    STALLS(Trait.INCIDENT);

    /** The meanings of a count that is not zero. */
    public enum Trait {
        /** The count is printed as an incident of the run. */
        INCIDENT,
        /** The count is part of the line of the delivery check. */
        VERIFIED,
        /** The count makes a run of subscribers fail. */
        FAULT
    }

    private final Set<Trait> traits;

    Count(Trait... traits) {
        this.traits = Set.of(traits);
    }

    /** Whether the count has this meaning. */
    public boolean is(Trait trait) {
        return traits.contains(trait);
    }

    /** The name of the count in the JSON report: {@code gapsAnnounced}. */
    public String key() {
        return Texts.camelCase(name());
    }

    /** The name of the count in report lines: {@code Gaps announced}. */
    public String label() {
        return Texts.capitalized(name());
    }
}

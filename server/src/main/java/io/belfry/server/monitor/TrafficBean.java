package io.belfry.server.monitor;

import io.belfry.server.counter.Counter;

/** The attributes that the beans of the server and of a workgroup share, each from its own loops. Immutable. */
abstract sealed class TrafficBean extends DescribedBean permits ServerBean, WorkgroupBean {
    TrafficBean(Class<?> type, String sentence) {
        super(type, sentence);
    }

    abstract Tally tally();

    abstract Rates rates();

    final long count(Counter counter) {
        return tally().value(counter);
    }

    public final long getConnectedSessions() {
        return tally().connectedSessions();
    }

    public final double getSessionConnectionsPerSecond() {
        return rates().sessionsOpened();
    }

    public final double getSessionDisconnectionsPerSecond() {
        return rates().sessionsClosed();
    }

    public final double getInPublishMessagesPerSecond() {
        return rates().publishesIn();
    }

    public final double getOutPublishMessagesPerSecond() {
        return rates().messagesOut();
    }

    public final double getInBytesPerSecond() {
        return rates().bytesIn();
    }

    public final double getOutBytesPerSecond() {
        return rates().bytesOut();
    }

    public final long getNumberOfSubjects() {
        return count(Counter.SUBJECTS);
    }

    public final long getQueuedBytes() {
        return count(Counter.QUEUED_BYTES);
    }

    public final long getSlowSessions() {
        return count(Counter.SLOW_SESSIONS);
    }
}

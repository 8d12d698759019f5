package io.belfry.server.monitor;

import io.belfry.server.counter.Counter;

/** Shows one workgroup of the sampler's latest snapshot as a bean. Immutable. */
final class WorkgroupBean extends DescribedBean implements WorkgroupMXBean {
    private final Sampler sampler;
    private final int index;

    WorkgroupBean(Sampler sampler, int index) {
        super(WorkgroupMXBean.class, "Figures of one workgroup.");
        this.sampler = sampler;
        this.index = index;
    }

    @Override
    public int getLoops() {
        return now().loops();
    }

    @Override
    public long getConnectedSessions() {
        return now().tally().connectedSessions();
    }

    @Override
    public double getSessionConnectionsPerSecond() {
        return now().rates().sessionsOpened();
    }

    @Override
    public double getSessionDisconnectionsPerSecond() {
        return now().rates().sessionsClosed();
    }

    @Override
    public double getInPublishMessagesPerSecond() {
        return now().rates().publishesIn();
    }

    @Override
    public double getOutPublishMessagesPerSecond() {
        return now().rates().messagesOut();
    }

    @Override
    public double getInBytesPerSecond() {
        return now().rates().bytesIn();
    }

    @Override
    public double getOutBytesPerSecond() {
        return now().rates().bytesOut();
    }

    @Override
    public long getNumberOfSubjects() {
        return count(Counter.SUBJECTS);
    }

    @Override
    public long getInboxBytes() {
        return count(Counter.INBOX_BYTES);
    }

    @Override
    public long getQueuedBytes() {
        return count(Counter.QUEUED_BYTES);
    }

    @Override
    public long getSlowSessions() {
        return count(Counter.SLOW_SESSIONS);
    }

    @Override
    public long getEventLoopLagP50Micros() {
        return now().lag().p50Micros();
    }

    @Override
    public long getEventLoopLagP99Micros() {
        return now().lag().p99Micros();
    }

    @Override
    public long getEventLoopLagMaxMicros() {
        return now().lag().maxMicros();
    }

    private WorkgroupFigures now() {
        return sampler.latest().workgroups().get(index);
    }

    private long count(Counter counter) {
        return now().tally().value(counter);
    }
}

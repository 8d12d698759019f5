package io.belfry.server.monitor;

import io.belfry.server.counter.Counter;

/** A workgroup's bean, which shows the sampler's latest snapshot. Immutable. */
final class WorkgroupBean extends TrafficBean implements WorkgroupMXBean {
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
    public long getInboxBytes() {
        return count(Counter.INBOX_BYTES);
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

    @Override
    Tally tally() {
        return now().tally();
    }

    @Override
    Rates rates() {
        return now().rates();
    }

    private WorkgroupFigures now() {
        return sampler.latest().workgroups().get(index);
    }
}

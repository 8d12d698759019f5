package io.belfry.benchkit.measure;

/**
 * The figures of an interval, of one loop or of all loops together. Owner: one loop, or the thread that the loop has passed
 * them to.
 *
 * @param latencies from the intended send time to the reception, or to the acknowledgement at a publisher
 * @param connects from the connect call to the server's last answer that makes the client ready
 * @param lags from the intended send time to the write to the socket
 * @param loopLags how late the event loop ran its timers, which is the generator's own part of a latency
 */
public record Figures(Latencies latencies, Latencies connects, Latencies lags, Latencies loopLags, Counts counts) {
    /** Makes empty figures. */
    public Figures() {
        this(new Latencies(), new Latencies(), new Latencies(), new Latencies(), new Counts());
    }

    /** Adds the other figures to these. */
    public void add(Figures other) {
        latencies.add(other.latencies);
        connects.add(other.connects);
        lags.add(other.lags);
        loopLags.add(other.loopLags);
        counts.add(other.counts);
    }
}

package io.belfry.benchkit.measure;

/**
 * What one loop, or all of them together, measured in some time: latencies of messages or acknowledgements, times to
 * connect, how late the generator itself was, and counts. Owner: one loop; others get them by {@link #moveInto}.
 */
public final class Figures {
    private final Latencies latencies = new Latencies();
    private final Latencies connects = new Latencies();
    private final Latencies lags = new Latencies();
    private final Latencies loopLags = new Latencies();
    private final Counts counts = new Counts();

    /** From intended send to reception, or to the acknowledgement at a publisher. */
    public Latencies latencies() {
        return latencies;
    }

    /** From the connect call to the server's last answer that makes the connection ready. */
    public Latencies connects() {
        return connects;
    }

    /** From intended send to the hand-over to the socket. */
    public Latencies lags() {
        return lags;
    }

    /** How late the loops came round to what was due: what the generator itself adds to a latency. */
    public Latencies loopLags() {
        return loopLags;
    }

    public Counts counts() {
        return counts;
    }

    public void add(Figures other) {
        latencies.add(other.latencies);
        connects.add(other.connects);
        lags.add(other.lags);
        loopLags.add(other.loopLags);
        counts.add(other.counts);
    }

    /** Moves everything into {@code empty}, which was just made, and begins anew in what that had. */
    public void moveInto(Figures empty) {
        latencies.moveInto(empty.latencies);
        connects.moveInto(empty.connects);
        lags.moveInto(empty.lags);
        loopLags.moveInto(empty.loopLags);
        empty.counts.add(counts);
        counts.clear();
    }

    public void clear() {
        latencies.clear();
        connects.clear();
        lags.clear();
        loopLags.clear();
        counts.clear();
    }
}

package io.belfry.client.connection;

/** A fast random generator for masks and picks: xorshift64*, without locks and allocation. Owner: one loop. */
public final class Random32 {
    private long state;

    public Random32(long seed) {
        this.state = seed == 0 ? 0x9E3779B97F4A7C15L : seed;
    }

    /** Returns a random int. */
    public int next() {
        state ^= state >>> 12;
        state ^= state << 25;
        state ^= state >>> 27;
        return (int) ((state * 0x2545F4914F6CDD1DL) >>> 32);
    }

    /** Returns a random number from 0 to {@code bound - 1}, evenly distributed. */
    public int below(int bound) {
        return (int) (((next() & 0xffff_ffffL) * bound) >>> 32);
    }
}

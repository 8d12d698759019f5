package io.belfry.server.turn;

/** Number of the ticks of a lane so far, which is the clock of silence. Owner: the lane's loop. */
public final class Ticks {
    public static final long MILLIS = 100;

    private int count;

    public int count() {
        return count;
    }

    public void advance() {
        count++;
    }
}

package io.belfry.benchkit.measure;

/**
 * Running mean and standard deviation without a sum that overflows or cancels (Welford's update, Chan's merge). The
 * update uses the new mean beside the old one: squaring the distance to the old mean alone overstates the deviation.
 * Owner: one loop, or whoever holds a merged copy.
 */
public final class Welford {
    private long count;
    private double mean;
    private double squares;

    public void add(double value) {
        count++;
        double fromOldMean = value - mean;
        mean += fromOldMean / count;
        squares += fromOldMean * (value - mean);
    }

    public void add(Welford other) {
        if (other.count == 0) {
            return;
        }
        long together = count + other.count;
        double apart = other.mean - mean;
        squares += other.squares + apart * apart * ((double) count * other.count / together);
        mean += apart * other.count / together;
        count = together;
    }

    public void clear() {
        count = 0;
        mean = 0;
        squares = 0;
    }

    public long count() {
        return count;
    }

    public double mean() {
        return mean;
    }

    /** Of the values as a sample: divided by n - 1; 0 for fewer than two values. */
    public double standardDeviation() {
        return count < 2 ? 0 : Math.sqrt(squares / (count - 1));
    }
}

package io.belfry.benchkit.measure;

/**
 * Computes a running mean and standard deviation by Welford's update and Chan's merge, which avoid the overflow and
 * cancellation of sums of squares. The update multiplies the distances to the old and the new mean; squaring the distance
 * to the old mean would overstate the deviation. Owner: one loop, or the reporting thread.
 */
public final class Welford {
    private long count;
    private double mean;
    private double squares;

    /** Adds one value. */
    public void add(double value) {
        count++;
        double fromOldMean = value - mean;
        mean += fromOldMean / count;
        squares += fromOldMean * (value - mean);
    }

    /** Adds all values of the other. */
    public void add(Welford other) {
        if (other.count == 0) {
            return;
        }
        long together = count + other.count;
        double distance = other.mean - mean;
        squares += other.squares + distance * distance * ((double) count * other.count / together);
        mean += distance * other.count / together;
        count = together;
    }

    /** Number of values. */
    public long count() {
        return count;
    }

    /** The mean of the values. */
    public double mean() {
        return mean;
    }

    /** The standard deviation of a sample, which divides by n - 1; 0 for fewer than two values. */
    public double standardDeviation() {
        return count < 2 ? 0 : Math.sqrt(squares / (count - 1));
    }
}

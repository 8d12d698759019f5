package io.belfry.benchkit.load;

/**
 * The streams of a loop, which are pairs of a publisher and a subject, with the number of the last message of each. A
 * subject keeps its publishers, so that each stream has an order. With fewer subjects than publishers, every subject has
 * the same number of publishers, so that a random stream is a random subject too. Owner: one loop.
 */
final class Streams {
    private final int publishers;
    private final int subjects;
    private final long[] sequences;
    private int used;

    Streams(int publishers, int subjects) {
        this.publishers = publishers;
        this.subjects = subjects;
        this.sequences = new long[subjects * ((publishers + subjects - 1) / subjects)];
    }

    int count() {
        return sequences.length;
    }

    int publisher(int stream) {
        return stream % publishers;
    }

    int subject(int stream) {
        return stream % subjects;
    }

    /** Counts and returns the number of the stream's next message, beginning at 1. */
    long nextSequence(int stream) {
        used += sequences[stream] == 0 ? 1 : 0;
        return ++sequences[stream];
    }

    /** The number of the stream's last message, or 0 if there was none. */
    long lastSequence(int stream) {
        return sequences[stream];
    }

    /** Number of streams with at least one message. */
    int used() {
        return used;
    }
}

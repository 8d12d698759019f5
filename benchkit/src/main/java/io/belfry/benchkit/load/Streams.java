package io.belfry.benchkit.load;

/**
 * Which publisher publishes to which subject, and the number of the last message of each such stream. A subject keeps to
 * its publishers, so each stream has an order; with fewer subjects than publishers every subject has the same number of
 * them, so that a stream picked evenly is a subject picked evenly. Owner: one loop.
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

    /** The number of the stream's next message, beginning at 1. */
    long nextSequence(int stream) {
        used += sequences[stream] == 0 ? 1 : 0;
        return ++sequences[stream];
    }

    /** The number of the stream's last message, 0 if there was none. */
    long lastSequence(int stream) {
        return sequences[stream];
    }

    /** How many streams have messages. */
    int used() {
        return used;
    }
}

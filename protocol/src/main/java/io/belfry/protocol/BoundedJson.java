package io.belfry.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;

/** Creates JSON readers whose memory use is bounded by the size of the frame. Pure. */
final class BoundedJson {
    /** Sign and sixteen digits: a longer number is outside ±2^53. */
    static final int WHOLE_MAX_CHARS = 17;

    private static final int DEPTH_MAX = 16;
    private static final int NUMBER_MAX_CHARS = 64;
    private static final int NAME_MAX_CHARS = 128;

    private BoundedJson() {}

    /**
     * Returns the factory for commands. Names are neither shared nor interned, because those tables outlive the
     * connection and would fill with names that clients choose.
     */
    static JsonFactory forCommands() {
        return bounded()
                .configure(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES, false)
                .configure(JsonFactory.Feature.INTERN_FIELD_NAMES, false)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
    }

    /** Returns the factory for events of a server that the client chose: the same few names occur in each event. */
    static JsonFactory forEvents() {
        return bounded().build();
    }

    /** Limits depth, numbers and names; the length of strings is limited by the frame. */
    private static JsonFactoryBuilder bounded() {
        return new JsonFactoryBuilder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(DEPTH_MAX)
                        .maxNumberLength(NUMBER_MAX_CHARS)
                        .maxNameLength(NAME_MAX_CHARS)
                        .maxStringLength(Integer.MAX_VALUE)
                        .build());
    }
}

package io.belfry.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;

/** The settings of the JSON reader: nothing in it grows beyond the frame. Pure. */
final class BoundedJson {
    /** Sign and sixteen digits: more cannot lie within 2^53. */
    static final int WHOLE_MAX_CHARS = 17;

    private static final int DEPTH_MAX = 16;
    private static final int NUMBER_MAX_CHARS = 64;
    private static final int NAME_MAX_CHARS = 128;

    private BoundedJson() {}

    /**
     * For commands. Names are neither shared nor interned: the tables for that outlive the connection and would fill with
     * whatever names clients make up.
     */
    static JsonFactory forStrangers() {
        return bounded()
                .configure(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES, false)
                .configure(JsonFactory.Feature.INTERN_FIELD_NAMES, false)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
    }

    /** For the events of a server that the client chose: few names, again and again. */
    static JsonFactory forEvents() {
        return bounded().build();
    }

    /** Strings are bounded by the frame alone. */
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

package io.belfry.server.config;

import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * One line {@code Subjects.N}: options of the subjects that match a pattern. Immutable.
 *
 * @param key the name of the line, such as {@code Subjects.10}
 * @param set the options that the line sets
 * @param options the effective options
 */
public record SubjectRule(
        String key, int number, String pattern, Map<SubjectOption, Object> set, SubjectOptions options) {
    public SubjectRule {
        set = Map.copyOf(set);
    }

    byte[] bytes() {
        return pattern.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether every subject of the other rule matches this one too. */
    boolean covers(SubjectRule other) {
        byte[] wanted = other.bytes();
        return Subjects.covers(bytes(), wanted, wanted.length);
    }
}

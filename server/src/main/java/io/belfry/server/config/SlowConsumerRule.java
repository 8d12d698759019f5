package io.belfry.server.config;

import io.belfry.protocol.Subjects;
import io.belfry.settings.InvalidSetting;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Policy for slow sessions in the subjects that match a pattern; the pattern may be a single subject. Immutable. */
public record SlowConsumerRule(String pattern, SlowConsumerConfig.Policy policy) {
    private static final String WORDS = Arrays.stream(SlowConsumerConfig.Policy.values())
            .map(policy -> policy.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));

    /** Parses a rule such as {@code /prices/** conflate}; errors name the key {@code keyName}. */
    static SlowConsumerRule parse(String keyName, String text) {
        // Search from the end, because a subject may contain spaces.
        int space = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\t'));
        if (space < 0) {
            throw new InvalidSetting(keyName, text + " must be a pattern, a space, and one of " + WORDS);
        }
        String pattern = text.substring(0, space).strip();
        String word = text.substring(space + 1);
        byte[] bytes = pattern.getBytes(StandardCharsets.UTF_8);
        @Nullable String problem = Subjects.problem(bytes, 0, bytes.length, true);
        if (problem != null) {
            throw new InvalidSetting(keyName, "the pattern " + pattern + " is not valid: " + problem);
        }
        return new SlowConsumerRule(pattern, policy(keyName, word));
    }

    private static SlowConsumerConfig.Policy policy(String keyName, String word) {
        return Arrays.stream(SlowConsumerConfig.Policy.values())
                .filter(policy -> policy.name().equalsIgnoreCase(word))
                .findFirst()
                .orElseThrow(() -> new InvalidSetting(keyName, word + " must be one of " + WORDS));
    }

    boolean matches(byte[] subject) {
        return Subjects.matches(pattern.getBytes(StandardCharsets.UTF_8), subject);
    }
}

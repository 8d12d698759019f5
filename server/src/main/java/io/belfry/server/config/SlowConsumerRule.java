package io.belfry.server.config;

import io.belfry.protocol.Subjects;
import io.belfry.settings.InvalidSetting;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What happens to a session that lags behind in the subjects of a pattern; a plain subject is a pattern of one. Immutable. */
public record SlowConsumerRule(String pattern, SlowConsumerConfig.Policy policy) {
    private static final String WORDS = Arrays.stream(SlowConsumerConfig.Policy.values())
            .map(policy -> policy.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));

    /** Parses {@code /prices/** conflate}; {@code keyName} is the key to blame. */
    static SlowConsumerRule parse(String keyName, String text) {
        // From the end, since a subject may have spaces in it.
        int space = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\t'));
        if (space < 0) {
            throw new InvalidSetting(keyName, text + " must be a pattern, a space, and one of " + WORDS);
        }
        String pattern = text.substring(0, space).strip();
        String word = text.substring(space + 1);
        byte[] bytes = pattern.getBytes(StandardCharsets.UTF_8);
        @Nullable String problem = Subjects.problem(bytes, 0, bytes.length, true);
        if (problem != null) {
            throw new InvalidSetting(keyName, "the pattern " + pattern + " is none: " + problem);
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

package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that docs/security.md lists each security-relevant default with its actual value and a reason. */
class SecurityDocTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\| (?:`([^`]*)`|not set) \\| (\\S.+) \\|$");
    private static final Set<ConfigTopic> TOPICS = EnumSet.of(
            ConfigTopic.LISTENING,
            ConfigTopic.TLS,
            ConfigTopic.SLOW_CONSUMERS,
            ConfigTopic.ENTITLEMENT,
            ConfigTopic.LIMITS,
            ConfigTopic.SERVER_API,
            ConfigTopic.MONITORING,
            ConfigTopic.TRIAL);
    private static final Set<String> ELSEWHERE = Set.of(
            "MaxMessageSize",
            "Compression",
            "Compression.MinBytes",
            "Delta",
            "CacheMemory",
            "History.DiskBytes",
            "Presence.MaxMembers",
            "Presence.LeaveTime");

    private static Map<String, String> rows() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        ROW.matcher(Files.readString(GeneratedFiles.repository("docs/security.md")))
                .results()
                .forEach(row -> rows.put(row.group(1), defaultIn(row)));
        return rows;
    }

    private static String defaultIn(MatchResult row) {
        return row.group(2) == null ? "not set" : row.group(2);
    }

    private static Map<String, String> defaults() {
        Map<String, String> defaults = new TreeMap<>();
        Arrays.stream(ConfigKey.values())
                .filter(key -> TOPICS.contains(key.topic()) || ELSEWHERE.contains(key.keyName()))
                .forEach(key -> defaults.put(key.keyName(), key.defaultText().orElse("not set")));
        return defaults;
    }

    @Test
    void everyDefaultIsDocumentedWithItsValue() throws IOException {
        assertThat(rows()).containsExactlyInAnyOrderEntriesOf(defaults());
    }
}

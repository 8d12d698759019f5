package io.belfry.server.subject;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WildcardIndexTest {
    private static final String[] SEGMENTS = {"a", "b", "c", "$sys", "*"};

    private final WildcardIndex<String> index = new WildcardIndex<>();

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<String> matching(String subject) {
        List<String> found = new ArrayList<>();
        index.match(utf8(subject), utf8(subject).length, found::add);
        return found;
    }

    @Test
    void everyMatchingPatternIsFound() {
        for (String pattern : List.of("/a/*", "/**", "/a/**", "/*/b", "/a/b/*", "/c/**")) {
            index.add(utf8(pattern), pattern);
        }
        assertThat(matching("/a/b")).containsExactlyInAnyOrder("/a/*", "/**", "/a/**", "/*/b");
        assertThat(matching("/a")).containsExactly("/**");
    }

    @Test
    void wildcardsDoNotMatchReservedSegments() {
        for (String pattern : List.of("/*", "/**", "/$sys/*", "/a/**")) {
            index.add(utf8(pattern), pattern);
        }
        assertThat(matching("/$sys/x")).containsExactly("/$sys/*");
        assertThat(matching("/$sys")).isEmpty();
        assertThat(matching("/a/$x")).isEmpty();
    }

    @Test
    void removingAValueKeepsTheOthers() {
        index.add(utf8("/a/*"), "one");
        index.add(utf8("/a/*"), "two");
        assertThat(index.remove(utf8("/a/*"), "one")).isTrue();
        assertThat(index.remove(utf8("/a/*"), "one")).isFalse();
        assertThat(index.remove(utf8("/b/*"), "two")).isFalse();
        assertThat(matching("/a/x")).containsExactly("two");
        assertThat(index.remove(utf8("/a/*"), "two")).isTrue();
        assertThat(index.isEmpty()).isTrue();
    }

    @Test
    void theIndexAgreesWithMatchingEachPattern() {
        Random random = new Random(5);
        List<String> patterns = new ArrayList<>();
        for (int round = 0; round < 20_000; round++) {
            if (random.nextInt(3) > 0 || patterns.isEmpty()) {
                String pattern = path(random, SEGMENTS.length) + (random.nextInt(4) == 0 ? "/**" : "");
                patterns.add(pattern);
                index.add(utf8(pattern), pattern);
            } else {
                String gone = patterns.remove(random.nextInt(patterns.size()));
                assertThat(index.remove(utf8(gone), gone)).isTrue();
            }
            if (patterns.size() > 40) {
                patterns.forEach(pattern -> index.remove(utf8(pattern), pattern));
                patterns.clear();
            }
            String subject = path(random, SEGMENTS.length - 1);
            assertThat(matching(subject))
                    .containsExactlyInAnyOrderElementsOf(patterns.stream()
                            .filter(pattern -> Subjects.matches(utf8(pattern), utf8(subject)))
                            .toList());
            assertThat(index.size()).isEqualTo(patterns.size());
        }
    }

    private static String path(Random random, int segments) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i <= random.nextInt(4); i++) {
            path.append('/').append(SEGMENTS[random.nextInt(segments)]);
        }
        return path.toString();
    }

    @Test
    void patternsThatRemainMatchAfterManyWereRemoved() {
        index.add(utf8("/kept/*"), "kept");
        for (int i = 0; i < 5000; i++) {
            index.add(utf8("/" + i + "/*"), "passing");
        }
        for (int i = 0; i < 5000; i++) {
            assertThat(index.remove(utf8("/" + i + "/*"), "passing")).isTrue();
        }
        assertThat(index.size()).isEqualTo(1);
        assertThat(matching("/kept/a")).containsExactly("kept");
        assertThat(matching("/4999/a")).isEmpty();
    }
}

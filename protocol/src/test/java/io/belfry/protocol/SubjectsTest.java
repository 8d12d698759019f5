package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Compares with the rules as regular expressions; single cases are in the test vectors. */
class SubjectsTest {
    private static final String SEGMENT = "[^/*$\\p{Cc}][^/*\\p{Cc}]*";
    private static final Pattern SUBJECT = Pattern.compile("(/" + SEGMENT + ")+");
    private static final Pattern PATTERN = Pattern.compile("(/(" + SEGMENT + "|\\*))*/(" + SEGMENT + "|\\*\\*?)");
    private static final String[] PIECES = {"/", "/", "/", "*", "**", "$", "a", "b", "é", "\n"};

    private final Random random = new Random(11);

    @Test
    void validationMatchesTheRegularExpression() {
        for (int i = 0; i < 200_000; i++) {
            String text = text();
            byte[] bytes = Vectors.utf8(text);
            ByteBuf buffer = Unpooled.wrappedBuffer(new byte[] {'x'}, bytes);
            assertThat(Subjects.problem(buffer, 1, bytes.length) == null)
                    .as(text)
                    .isEqualTo(SUBJECT.matcher(text).matches());
            assertThat(Subjects.problem(bytes, 0, bytes.length, true) == null)
                    .as(text)
                    .isEqualTo(PATTERN.matcher(text).matches());
        }
    }

    @Test
    void patternsMatchLikeRegularExpressions() {
        int matched = 0;
        for (int i = 0; i < 200_000; i++) {
            String pattern = text();
            String subject = text();
            if (!PATTERN.matcher(pattern).matches() || !SUBJECT.matcher(subject).matches()) {
                continue;
            }
            String regex =
                    pattern.replace("$", "\\$").replace("/**", "(/[^/]+)+").replace("/*", "/[^/]+");
            boolean matches = subject.matches(regex);
            matched += matches ? 1 : 0;
            assertThat(Subjects.matches(Vectors.utf8(pattern), Vectors.utf8(subject)))
                    .as("%s on %s", pattern, subject)
                    .isEqualTo(matches);
        }
        assertThat(matched).isGreaterThan(500);
    }

    /**
     * Compares with the definition of covering: a wildcard is replaced by any name, a rest by one and by several
     * segments.
     */
    @Test
    void aPermissionCoversAPatternIfItMatchesAllItsSubjects() {
        int covered = 0;
        for (int i = 0; i < 400_000; i++) {
            String permission = text();
            String wanted = text();
            if (!PATTERN.matcher(permission).matches()
                    || !PATTERN.matcher(wanted).matches()) {
                continue;
            }
            boolean all = true;
            for (String name : new String[] {"x", "a", "b", "é"}) {
                for (String rest : new String[] {"/x", "/a", "/b", "/x/a", "/x/x/b", "/b/x/x/x/a"}) {
                    String subject = wanted.replace("/**", rest).replace("*", name);
                    all &= Subjects.matches(Vectors.utf8(permission), Vectors.utf8(subject));
                }
            }
            covered += all ? 1 : 0;
            byte[] bytes = Vectors.utf8(wanted + "/beyond");
            assertThat(Subjects.covers(Vectors.utf8(permission), bytes, bytes.length - "/beyond".length()))
                    .as("%s over %s", permission, wanted)
                    .isEqualTo(all);
        }
        assertThat(covered).isGreaterThan(500);
    }

    private String text() {
        StringBuilder text = new StringBuilder("/");
        for (int pieces = random.nextInt(6); pieces > 0; pieces--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    @Test
    void theServerMayUseReservedSegments() {
        byte[] reserved = Vectors.utf8("/$sys/a");
        assertThat(Subjects.problem(reserved, 0, reserved.length, false)).contains("reserved");
        assertThat(Subjects.problem(reserved, 0, reserved.length, false, true)).isNull();
    }

    /** Compares overlap with a search for a subject that both match, over all short patterns of few names. */
    @Test
    void patternsOverlapIfBothMatchSomeSubject() {
        List<String> patterns = all(List.of("a", "*", "**")).stream()
                .filter(each -> Subjects.problem(Vectors.utf8(each), 0, Vectors.utf8(each).length, true) == null)
                .toList();
        List<String> subjects = all(List.of("a", "b"));
        for (String one : patterns) {
            for (String other : patterns) {
                boolean common = subjects.stream()
                        .map(Vectors::utf8)
                        .anyMatch(each -> Subjects.matches(Vectors.utf8(one), each)
                                && Subjects.matches(Vectors.utf8(other), each));
                assertThat(Subjects.overlap(Vectors.utf8(one), Vectors.utf8(other)))
                        .as(one + " " + other)
                        .isEqualTo(common);
            }
        }
    }

    private static List<String> all(List<String> names) {
        List<String> found = new ArrayList<>();
        for (String first : names) {
            found.add("/" + first);
            for (String second : names) {
                found.add("/" + first + "/" + second);
                for (String third : names) {
                    found.add("/" + first + "/" + second + "/" + third);
                }
            }
        }
        return found;
    }
}

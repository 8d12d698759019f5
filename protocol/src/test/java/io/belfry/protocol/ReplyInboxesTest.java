package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReplyInboxesTest {
    private static final String KEY = "0123456789012345678901";
    private static final String INBOX = ReplyInboxes.of(KEY);

    @Test
    void aSubscriptionNeedsTheKeyOfTheInbox() {
        for (JsonNode vector : Vectors.of("inboxes.json")) {
            byte[] follow = Vectors.utf8(vector.path("follow").asText());
            String problem = Subjects.followProblem(follow, true);
            if (vector.path("code").isNull()) {
                String inbox = vector.path("inbox").asText();
                assertThat(problem).as("%s", vector).isNull();
                assertThat(ReplyInboxes.of(vector.path("key").asText())).isEqualTo(inbox);
                assertThat(Subjects.followed(follow)).isEqualTo(Vectors.utf8(inbox));
            } else {
                assertThat(Subjects.code(Objects.requireNonNull(problem, () -> "valid: " + vector))
                                .text())
                        .as("%s", vector)
                        .isEqualTo(vector.path("code").asText());
            }
        }
    }

    @Test
    void onlyTheInboxItselfIsASubjectOfPublishes() {
        assertThat(publishProblem(INBOX)).isNull();
        for (String other :
                List.of(INBOX + "/" + KEY, INBOX + "x", "/$inbox", "/$inbox/a", "/$node/a/stats", "/a/$b")) {
            assertThat(publishProblem(other)).as(other).isNotNull();
        }
        // A subject that is no inbox keeps its own rule.
        assertThat(publishProblem("/a")).isNull();
        assertThat(publishProblem("/a/*")).isEqualTo(Subjects.WILDCARD);
    }

    private static @Nullable String publishProblem(String subject) {
        byte[] bytes = Vectors.utf8(subject);
        return Subjects.publishProblem(Unpooled.wrappedBuffer(new byte[] {'x'}, bytes), 1, bytes.length);
    }

    @Test
    void noPatternMatchesAnInbox() {
        for (String pattern : List.of("/**", "/*/*", "/*/**")) {
            assertThat(Subjects.matches(Vectors.utf8(pattern), Vectors.utf8(INBOX)))
                    .isFalse();
            assertThat(Subjects.covers(Vectors.utf8(pattern), Vectors.utf8(INBOX), INBOX.length()))
                    .isFalse();
        }
        assertThat(Subjects.followProblem(Vectors.utf8("/$inbox/*"), true)).isEqualTo(Subjects.WILDCARD);
    }

    @Test
    void aKeyIsLongEnoughThatNobodyGuessesIt() {
        for (String key : List.of("", "short", KEY.substring(1), "k".repeat(65), "0123456789 0123456789 0")) {
            assertThatThrownBy(() -> ReplyInboxes.of(key)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void anEndedSubscriptionIsNamedWithoutTheKey() {
        assertThat(Subjects.subscriptionProblem(Vectors.utf8(INBOX), true)).isNull();
    }
}

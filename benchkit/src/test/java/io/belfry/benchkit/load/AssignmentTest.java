package io.belfry.benchkit.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.settings.BadValue;
import io.belfry.settings.Ranges;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AssignmentTest {
    @Test
    void oneToOneGivesEachClientItsOwnSubjects() {
        Assignment one = new Assignment(100, 1, true, 1);
        assertThat(one.of(0)).containsExactly(0);
        assertThat(one.of(99)).containsExactly(99);
        assertThat(new Assignment(100, 5, true, 1).of(3)).containsExactly(15, 16, 17, 18, 19);
    }

    @Test
    void oneToOneNeedsEnoughSubjects() {
        Assignment one = new Assignment(100, 2, true, 1);
        one.mustReach(50);
        assertThatThrownBy(() -> one.mustReach(51)).hasMessageContaining("102 Subjects for 51 Clients, there are 100");
    }

    @Test
    void randomSubjectsOfAClientAreDifferent() {
        Assignment random = new Assignment(10, 9, false, 7);
        for (int client = 0; client < 200; client++) {
            assertThat(Arrays.stream(random.of(client)).distinct().count()).isEqualTo(9);
        }
        assertThat(new Assignment(10, 10, false, 7).of(1)).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void randomSubjectsAreUniformlyDistributed() {
        Assignment random = new Assignment(10, 1, false, 7);
        int[] hits = new int[10];
        IntStream.range(0, 10_000).forEach(client -> hits[random.of(client)[0]]++);
        assertThat(Arrays.stream(hits).boxed()).allMatch(count -> count > 850 && count < 1150);
    }

    @Test
    void aClientKeepsItsSubjects() {
        Assignment random = new Assignment(1000, 3, false, 7);
        assertThat(random.of(5)).isEqualTo(random.of(5));
    }

    @Test
    void subjectsAreFoundByTheirBytes() throws BadValue {
        SubjectList subjects = SubjectList.of("/p", Ranges.parse("/s{1..5000}/-"));
        assertThat(subjects.size()).isEqualTo(5000);
        assertThat(subjects.text(0)).isEqualTo("/p/s1/-");
        assertThat(subjects.text(4999)).isEqualTo("/p/s5000/-");
        for (int i = 0; i < 5000; i++) {
            byte[] bytes = ("xx/p/s" + (i + 1) + "/-").getBytes(StandardCharsets.UTF_8);
            assertThat(subjects.indexOf(Unpooled.wrappedBuffer(bytes), 2, bytes.length - 2))
                    .isEqualTo(i);
        }
        byte[] other = "/p/s5001/-".getBytes(StandardCharsets.UTF_8);
        assertThat(subjects.indexOf(Unpooled.wrappedBuffer(other), 0, other.length))
                .isEqualTo(-1);
    }

    @Test
    void anInvalidOrRepeatedSubjectIsRejected() {
        assertThatThrownBy(() -> SubjectList.of("", List.of("s1"))).hasMessageContaining("s1: ");
        assertThatThrownBy(() -> SubjectList.of("", List.of("/a", "/b", "/a"))).hasMessageContaining("/a is repeated");
    }

    @Test
    void everySubjectHasTheSameNumberOfPublishers() {
        Streams few = new Streams(4, 3);
        int[] ofSubject = new int[3];
        IntStream.range(0, few.count()).forEach(stream -> ofSubject[few.subject(stream)]++);
        assertThat(ofSubject).containsOnly(2);
        assertThat(IntStream.range(0, few.count())
                        .mapToObj(s -> few.subject(s) + "/" + few.publisher(s))
                        .distinct())
                .hasSize(few.count());
        assertThat(new Streams(2, 100).count()).isEqualTo(100);
    }

    @Test
    void theRampKeepsItsRateAndItsBound() {
        ConnectRamp.Schedule ramp = new ConnectRamp.Schedule(1000, 100, 50);
        assertThat(ramp.due(0, 0, 0)).isEqualTo(1);
        assertThat(ramp.due(1_000_000_000, 1, 0)).isEqualTo(50);
        assertThat(ramp.due(1_000_000_000, 90, 10)).isEqualTo(11);
        assertThat(ramp.due(1_000_000_000, 90, 50)).isZero();
        assertThat(ramp.due(60_000_000_000L, 990, 0)).isEqualTo(10);
    }

    @Test
    void answersAreMatchedToPublishesInAnyOrder() {
        AckWindow window = new AckWindow(4);
        for (int i = 1; i <= 100; i++) {
            assertThat(window.open(1000 + i, i)).isEqualTo(i);
        }
        for (int i = 100; i >= 1; i -= 2) {
            assertThat(window.intendedNanos(i)).isEqualTo(1000 + i);
            assertThat(window.subject(i)).isEqualTo(i);
            window.close(i);
        }
        assertThat(window.open()).isEqualTo(50);
        assertThat(window.isOpen(100)).isFalse();
        assertThat(window.isOpen(99)).isTrue();
        assertThat(window.isOpen(101)).isFalse();
    }
}

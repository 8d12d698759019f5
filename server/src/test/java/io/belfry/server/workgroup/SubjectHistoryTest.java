package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.entitlement.OpenEntitlement;
import io.belfry.server.handoff.LaneOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests histories whose length, age and bytes are options of their subjects. */
class SubjectHistoryTest {
    private static final List<String> KINDS = List.of("memory", "disk");

    private static final String[] RULES = {
        "CacheSize=10",
        "Subjects.1=/short history=2",
        "Subjects.2=/long history=50",
        "Subjects.3=/none history=0",
        "Subjects.4=/young history-age=2s",
        "Subjects.5=/old history-age=1h",
        "Subjects.6=/small history-bytes=10",
    };

    private static Lanes lanes(String kind) {
        String[] settings = java.util.Arrays.copyOf(RULES, RULES.length + 1);
        settings[RULES.length] = "History=" + kind;
        return new Lanes(2, 1, settings);
    }

    private static void publish(Lanes lanes, String subject, int count) {
        LaneClient publisher = lanes.connect();
        for (int i = 1; i <= count; i++) {
            publisher.publish(subject, "m" + i);
            lanes.settle();
        }
    }

    private static List<Long> history(Lanes lanes, String subject) {
        LaneClient reader = lanes.connect();
        reader.subscribeWithHistory(subject, 1000);
        lanes.settle();
        return reader.seqs(subject);
    }

    @Test
    void eachSubjectHasItsOwnLength() {
        for (String kind : KINDS) {
            try (Lanes lanes = lanes(kind)) {
                for (String subject : List.of("/short", "/long", "/none", "/other")) {
                    publish(lanes, subject, 60);
                }
                assertThat(history(lanes, "/short")).containsExactly(59L, 60L);
                assertThat(history(lanes, "/long")).hasSize(50).startsWith(11L);
                assertThat(history(lanes, "/none")).isEmpty();
                assertThat(history(lanes, "/other")).hasSize(10);
            }
        }
    }

    @Test
    void whatIsBeyondTheLengthIsAGap() {
        for (String kind : KINDS) {
            try (Lanes lanes = lanes(kind)) {
                publish(lanes, "/short", 5);
                publish(lanes, "/none", 5);
                LaneClient reader = lanes.connect();
                reader.resume("/short", Lanes.EPOCH, 1);
                reader.resume("/none", Lanes.EPOCH, 1);
                lanes.settle();
                assertThat(reader.received(event -> event.is("gap", "/short")))
                        .singleElement()
                        .satisfies(gap -> assertThat(gap.toString()).contains(Code.HISTORY_GONE.text()));
                assertThat(reader.seqs("/short")).containsExactly(4L, 5L);
                assertThat(reader.received(event -> event.is("gap", "/none"))).hasSize(1);
                assertThat(reader.seqs("/none")).isEmpty();
            }
        }
    }

    @Test
    void eachSubjectHasItsOwnAge() {
        for (String kind : KINDS) {
            try (Lanes lanes = lanes(kind)) {
                publish(lanes, "/young", 3);
                publish(lanes, "/old", 3);
                lanes.pass(3_000);
                assertThat(history(lanes, "/young")).isEmpty();
                publish(lanes, "/young", 1);
                assertThat(history(lanes, "/young")).containsExactly(4L);
                lanes.pass(200_000);
                assertThat(history(lanes, "/old")).containsExactly(1L, 2L, 3L);
            }
        }
    }

    @Test
    void aHistoryHasABoundInBytes() {
        for (String kind : KINDS) {
            try (Lanes lanes = lanes(kind)) {
                publish(lanes, "/small", 9);
                assertThat(history(lanes, "/small")).containsExactly(5L, 6L, 7L, 8L, 9L);
                LaneClient publisher = lanes.connect();
                publisher.publish("/small", "more than ten bytes");
                lanes.settle();
                assertThat(history(lanes, "/small")).isEmpty();
            }
        }
    }

    @Test
    void aReloadAppliesToKnownSubjects() {
        try (Lanes lanes = lanes("memory")) {
            publish(lanes, "/short", 5);
            assertThat(history(lanes, "/short")).hasSize(2);
            for (int i = 0; i < lanes.count(); i++) {
                lanes.lane(i)
                        .reconfigure(
                                Lanes.config(2, "CacheSize=10", "Subjects.1=/short history=4"), new OpenEntitlement());
            }
            lanes.settle();
            assertThat(history(lanes, "/short")).hasSize(4);
        }
    }

    @Test
    void anIdOfAnotherSubjectHasItsOwnOptions() {
        try (Lanes lanes = lanes("memory")) {
            String first = lanes.subject(0, 1);
            LaneClient client = lanes.connect(0);
            client.subscribe("/short");
            lanes.settle();
            LaneOptions options = lanes.lane(0).parts().options;
            int before = lanes.lane(0).parts().subjects.find(key("/short"));
            assertThat(options.of(before).historySize()).isEqualTo(2);
            client.unsubscribe("/short");
            lanes.settle();
            client.subscribe(first);
            lanes.settle();
            int after = lanes.lane(0).parts().subjects.find(key(first));
            assertThat(after).isEqualTo(before);
            assertThat(options.of(after).historySize()).isEqualTo(10);
        }
    }

    @Test
    void nothingIsStoredForSubjectsWithoutLines() {
        try (Lanes lanes = new Lanes(1, 1)) {
            publish(lanes, "/a", 2);
            int id = lanes.lane(0).parts().subjects.find(key("/a"));
            assertThat(lanes.lane(0).parts().options.of(id).historySize()).isEqualTo(1000);
            assertThat(lanes.lane(0).parts().subjects.options(id)).isZero();
        }
    }

    private static io.belfry.server.subject.SubjectKey key(String subject) {
        return new io.belfry.server.subject.SubjectKey(Lanes.HASH_SEED)
                .set(subject.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}

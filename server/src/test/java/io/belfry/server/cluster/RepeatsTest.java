package io.belfry.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RepeatsTest {
    private static final long REPEAT_MILLIS = 100;
    private final Repeats repeats = new Repeats(2, REPEAT_MILLIS);

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static long record(Repeats to, String subject, String id, long seq, long time) {
        return to.onRecord(0, utf8(subject), utf8(id), seq, time);
    }

    @Test
    void aRepeatedIdIsFoundWithinTheRepeatTime() {
        assertThat(record(repeats, "/a", "1", 5, 1000)).isEqualTo(5);
        assertThat(record(repeats, "/a", "1", 6, 1100)).isEqualTo(5);
        assertThat(record(repeats, "/a", "1", 7, 1150)).isEqualTo(5);
        assertThat(record(repeats, "/a", "1", 8, 1251)).isEqualTo(8);
    }

    @Test
    void idsArePerSubject() {
        record(repeats, "/a", "1", 5, 1000);
        assertThat(record(repeats, "/b", "1", 6, 1000)).isEqualTo(6);
        assertThat(record(repeats, "/a1", "", 7, 1000)).isEqualTo(7);
        assertThat(repeats.find(0, utf8("/a"), utf8("1"))).isEqualTo(5);
        assertThat(repeats.find(1, utf8("/a"), utf8("1"))).isEqualTo(-1);
    }

    /** Nodes must decide alike even if one has forgotten an id, or never read it, and the other has not. */
    @Test
    void aNodeThatStartsLaterSkipsTheSameMessages() {
        Random random = new Random(7);
        List<Boolean> wholeDelivered = new ArrayList<>();
        List<Boolean> laterDelivered = new ArrayList<>();
        Repeats later = new Repeats(1, REPEAT_MILLIS);
        long time = 1000;
        long laterFrom = time;
        for (long seq = 1; seq <= 5000; seq++) {
            time += random.nextInt(3);
            String id = Integer.toString(random.nextInt(150));
            long whole = record(repeats, "/a", id, seq, time);
            // The later node begins one repeat time before the first record that it must judge correctly.
            laterFrom = seq < 2000 ? time : laterFrom;
            long late = seq < 2000 ? -1 : record(later, "/a", id, seq, time);
            if (time > laterFrom + REPEAT_MILLIS) {
                wholeDelivered.add(whole == seq);
                laterDelivered.add(late == seq);
            }
        }
        assertThat(laterDelivered).isEqualTo(wholeDelivered).contains(true, false);
    }
}

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

    private static long tell(Repeats to, String subject, String id, long seq, long time) {
        return to.onRecord(0, utf8(subject), utf8(id), seq, time);
    }

    @Test
    void aRepetitionIsKnownWithinTheTime() {
        assertThat(tell(repeats, "/a", "1", 5, 1000)).isEqualTo(5);
        assertThat(tell(repeats, "/a", "1", 6, 1100)).isEqualTo(5);
        assertThat(tell(repeats, "/a", "1", 7, 1150)).isEqualTo(5);
        assertThat(tell(repeats, "/a", "1", 8, 1251)).isEqualTo(8);
    }

    @Test
    void idsAreOfTheirSubject() {
        tell(repeats, "/a", "1", 5, 1000);
        assertThat(tell(repeats, "/b", "1", 6, 1000)).isEqualTo(6);
        assertThat(tell(repeats, "/a1", "", 7, 1000)).isEqualTo(7);
        assertThat(repeats.find(0, utf8("/a"), utf8("1"))).isEqualTo(5);
        assertThat(repeats.find(1, utf8("/a"), utf8("1"))).isEqualTo(-1);
    }

    /** What one has forgotten and another has not, or never read, must not tell them apart. */
    @Test
    void aNodeThatStartsLaterPassesOverTheSame() {
        Random random = new Random(7);
        List<Boolean> wholeTold = new ArrayList<>();
        List<Boolean> laterTold = new ArrayList<>();
        Repeats later = new Repeats(1, REPEAT_MILLIS);
        long time = 1000;
        long laterFrom = time;
        for (long seq = 1; seq <= 5000; seq++) {
            time += random.nextInt(3);
            String id = Integer.toString(random.nextInt(150));
            long whole = tell(repeats, "/a", id, seq, time);
            // The one that starts later begins one repeat time before what it has to tell right.
            laterFrom = seq < 2000 ? time : laterFrom;
            long late = seq < 2000 ? -1 : tell(later, "/a", id, seq, time);
            if (time > laterFrom + REPEAT_MILLIS) {
                wholeTold.add(whole == seq);
                laterTold.add(late == seq);
            }
        }
        assertThat(laterTold).isEqualTo(wholeTold).contains(true, false);
    }
}

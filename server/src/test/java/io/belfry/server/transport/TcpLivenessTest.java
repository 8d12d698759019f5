package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.transport.TcpLiveness.Sample;
import org.junit.jupiter.api.Test;

/** Tests with samples that Linux 6.18 reported in each of these situations. */
class TcpLivenessTest {
    private static final int SILENT_MILLIS = 6000;
    private static final int LIMIT_MILLIS = 10_000;

    private static int acknowledged(Sample sample) {
        return sample.acknowledgedMillis(SILENT_MILLIS, LIMIT_MILLIS);
    }

    @Test
    void aRecentAcknowledgementIsActivity() {
        assertThat(acknowledged(new Sample(1200, 1240, 0, 0, 0))).isEqualTo(1200);
        assertThat(acknowledged(new Sample(4, 0, 3, 0, 0))).isEqualTo(4);
    }

    @Test
    void unacknowledgedBytesAreNoActivity() {
        assertThat(acknowledged(new Sample(7308, 1684, 1, 0, 4))).isEqualTo(SILENT_MILLIS);
        assertThat(new Sample(11_000, 1684, 1, 0, 5).acknowledgedMillis(10_500, LIMIT_MILLIS))
                .isEqualTo(10_500);
    }

    @Test
    void answeredProbesOfAClosedWindowAreActivity() {
        assertThat(acknowledged(new Sample(6384, 13_020, 0, 0, 5))).isZero();
    }

    @Test
    void anUnansweredProbeOfAClosedWindowIsNoActivity() {
        assertThat(acknowledged(new Sample(6772, 10_036, 0, 1, 5))).isEqualTo(SILENT_MILLIS);
    }

    @Test
    void dataBeyondAShrunkWindowIsAnsweredButNotAccepted() {
        assertThat(acknowledged(new Sample(40_000, 40_000, 1, 0, 8))).isZero();
    }

    @Test
    void anIdleConnectionIsProbedBeforeItIsClosed() {
        assertThat(acknowledged(new Sample(6000, 6000, 0, 0, 0))).isEqualTo(SILENT_MILLIS);
        assertThat(new Sample(11_000, 11_000, 0, 0, 0).acknowledgedMillis(10_500, LIMIT_MILLIS))
                .isZero();
    }
}

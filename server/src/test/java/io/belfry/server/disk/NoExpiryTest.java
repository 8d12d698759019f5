package io.belfry.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.config.HistoryConfig;
import io.belfry.server.config.HistoryConfig.Sync;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a history on disk with the default expiry: none. */
class NoExpiryTest implements PlayedLane.Listener {
    private static final int SIZE = 5;
    private static final long BUDGET = 20L * PlayedLane.SEGMENT;
    private static final long START = 1_700_000_000_000L;
    private static final long YEAR = 365L * 86_400_000;

    @TempDir
    private Path folder;

    private PlayedLane open(long now) throws IOException {
        PlayedLane.Settings settings = new PlayedLane.Settings(SIZE, HistoryConfig.NO_EXPIRY, BUDGET, Sync.GROUP);
        return new PlayedLane(folder.resolve("lane"), false, settings, new Random(1), now, this);
    }

    private static void publish(PlayedLane lane, String subject, int count) {
        for (int i = 0; i < count; i++) {
            lane.publish(i, subject, "id-" + i, "data " + i, false);
            lane.settle();
            lane.clean();
        }
    }

    @Test
    void messagesOnDiskArePresentAfterAYearAndARestart() throws IOException {
        PlayedLane lane = open(START);
        publish(lane, "/a", 3);
        lane.now(START + YEAR);
        lane.clean();
        lane.settle();
        assertThat(lane.messages("/a")).hasSize(3);
        lane.close();
        lane = open(START + 2 * YEAR);
        lane.clean();
        assertThat(lane.messages("/a")).hasSize(3);
        lane.close();
    }

    @Test
    void diskBoundAndSizeApplyWithoutAnExpiry() throws IOException {
        PlayedLane lane = open(START);
        publish(lane, "/quiet", 1);
        publish(lane, "/busy", 2000);
        lane.now(START + 1000);
        assertThat(lane.messages("/busy")).hasSize(SIZE).last().asString().endsWith("data 1999");
        assertThat(lane.broker.history().bytes()).isLessThan(BUDGET + 2 * PlayedLane.SEGMENT);
        assertThat(lane.messages("/quiet"))
                .as("the oldest messages are evicted first")
                .isEmpty();
        assertThat(lane.broker.history().early()).isEqualTo(1);
        lane.close();
    }

    @Override
    public void message(String subject, long seq, String data, boolean retained, long time) {}

    @Override
    public void accepted(long command, long seq) {}

    @Override
    public void refused(long command, String subject, Code code) {
        throw new AssertionError(code);
    }
}

package io.belfry.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.config.HistoryConfig.Sync;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskWriterTest implements PlayedLane.Listener {
    private static final PlayedLane.Settings SETTINGS =
            new PlayedLane.Settings(1000, 1_000_000_000, 1 << 20, Sync.GROUP);
    private static final String LARGE = "x".repeat(PlayedLane.SEGMENT / 2);

    @TempDir
    private Path root;

    private final List<String> events = new ArrayList<>();

    @Override
    public void message(String subject, long seq, String data, boolean retained, long time) {
        events.add("message " + seq + " " + data.charAt(0));
    }

    @Override
    public void accepted(long command, long seq) {
        events.add("accepted " + command);
    }

    @Override
    public void refused(long command, String subject, Code code) {
        events.add("refused " + command + " " + code);
    }

    /** Removes the folder as an unmounted volume does: the open file stays writable, but no other can be created. */
    @Test
    void withoutTheFolderPublishesAreRefusedAndReadsWork() throws IOException {
        Path folder = root.resolve("lane");
        Path away = root.resolve("away");
        try (PlayedLane lane = new PlayedLane(folder, false, SETTINGS, new Random(0), 1000, this)) {
            lane.publish(1, "/s", "", "a" + LARGE, false);
            lane.settle();
            Files.move(folder, away);
            lane.publish(2, "/s", "", "b" + LARGE, false);
            lane.settle();
            lane.publish(3, "/s", "", "c", false);
            assertThat(events)
                    .containsExactly(
                            "accepted 1", "message 1 a", "refused 2 HISTORY_FAILED", "refused 3 HISTORY_FAILED");
            assertThat(lane.messages("/s")).hasSize(1);
            Files.move(away, folder);
            lane.now(3000);
            lane.settle();
            lane.publish(4, "/s", "", "d", false);
            lane.settle();
            assertThat(events.subList(4, events.size())).containsExactly("accepted 4", "message 2 d");
        }
        try (PlayedLane again = new PlayedLane(folder, true, SETTINGS, new Random(0), 4000, this)) {
            assertThat(again.found.damages()).isEmpty();
            assertThat(again.messages("/s")).containsExactly("1 a" + LARGE, "2 d");
        }
    }
}

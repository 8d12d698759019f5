package io.belfry.twin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The run that kills finds what is lost, and finds nothing where nothing is. */
class KillRunTest {
    private static final Workload WORKLOAD = new Workload(10);

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MEMORY")
    @Tag("slow")
    void whatWasAcknowledgedIsThereAfterAKill(StoreKind kind) throws Exception {
        assertThat(new KillRun(kind, folder.resolve("store"), WORKLOAD, 5).run(2))
                .isTrue();
    }

    @Test
    void aStoreThatForgetsIsFoundOut() throws IOException {
        Forgetful store = new Forgetful();
        long next = WORKLOAD.appendGroup(store, 0);
        assertThat(Kept.in(store, WORKLOAD, next)).isEqualTo(new Kept(next, 0, 0));
        store.messages.remove(120);
        Kept kept = Kept.in(store, WORKLOAD, next);
        assertThat(kept.messages()).isEqualTo(120);
        assertThat(kept.lost()).isEqualTo(1);
        assertThat(kept.wrong()).isPositive();
    }

    @Test
    void messagesThatCameLastMayBeMissingWhereNobodyWasToldOfThem() throws IOException {
        Forgetful store = new Forgetful();
        long next = WORKLOAD.appendGroup(store, 0);
        store.messages.removeLast();
        assertThat(Kept.in(store, WORKLOAD, next - 1)).isEqualTo(new Kept(next - 1, 0, 0));
    }

    /** A list of messages to take some out of. */
    private static final class Forgetful implements Store {
        private record Message(int subject, long seq, List<Byte> data) {}

        final List<Message> messages = new ArrayList<>();

        @Override
        public void append(int subject, long seq, byte[] data) {
            List<Byte> bytes = new ArrayList<>();
            for (byte each : data) {
                bytes.add(each);
            }
            messages.add(new Message(subject, seq, bytes));
        }

        @Override
        public void sync() {}

        @Override
        public void read(int subject, long afterSeq, int most, Reader reader) {
            for (Message each : messages) {
                if (each.subject == subject && each.seq > afterSeq) {
                    byte[] data = new byte[each.data.size()];
                    for (int i = 0; i < data.length; i++) {
                        data[i] = each.data.get(i);
                    }
                    reader.onMessage(each.seq, data);
                }
            }
        }

        @Override
        public void close() {}
    }
}

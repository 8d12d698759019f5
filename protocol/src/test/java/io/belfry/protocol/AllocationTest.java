package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.belfry.testsupport.TestScope;
import io.netty.buffer.ByteBuf;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks that the hot path allocates nothing, interpreted or compiled. */
class AllocationTest {
    private static final int ROUNDS = TestScope.length(20_000, 5_000);
    /** Allocation by the measurement itself and by class loading; far below one object per round. */
    private static final long NOISE_BYTES = 8L * ROUNDS;

    private final ByteBuf out = Vectors.UNTRACKED.directBuffer(4096);
    private final ByteBuf subject = Vectors.UNTRACKED.directBuffer().writeBytes(Vectors.utf8("/prices/équity/1"));
    private final ByteBuf frame = Vectors.UNTRACKED.directBuffer();
    private final ByteBuf data =
            Vectors.UNTRACKED.directBuffer().writeBytes(Vectors.utf8("text \"quoted\" é".repeat(30)));
    private final ByteBuf headers = headers();
    private final ByteBuf binaryData = Vectors.UNTRACKED.directBuffer().writeBytes(new byte[] {(byte) 0xff, 1, 2, 3});

    @AfterEach
    void release() {
        out.release();
        subject.release();
        data.release();
        binaryData.release();
        frame.release();
        headers.release();
    }

    private static ByteBuf headers() {
        ByteBuf block = Vectors.UNTRACKED.directBuffer();
        MessageHeaders.write(block, Map.of("type", "order", "größe", "text \"quoted\""));
        return block;
    }

    @Test
    void aMessageIsWrittenWithoutAllocation() {
        for (BelfryFormat format : BelfryFormat.values()) {
            MessageView message = new MessageView()
                    .subject(subject, 0, subject.readableBytes())
                    .position(7, 0, 42)
                    .prev(40)
                    .time(1_700_000_000_000L);
            for (ByteBuf each : new ByteBuf[] {data, binaryData}) {
                message.data(each, 0, each.readableBytes());
                assertAllocatesNothing(format.name(), () -> format.message(out.clear(), message));
                message.headers(headers, 0, headers.readableBytes());
                assertAllocatesNothing(format + " with headers", () -> format.message(out.clear(), message));
            }
        }
    }

    @Test
    void aBinaryPublishIsDecodedWithoutAllocation() {
        PublishTerms terms = new PublishTerms(true, "m-1", Map.of("type", "order", "k", "v"));
        new BinaryClientEncoding().publish(frame, 4, Vectors.utf8("/prices/équity/1"), data, terms);
        BinaryCommands decoder = new BinaryCommands();
        Counting counting = new Counting();
        assertAllocatesNothing("publish", () -> decoder.decode(frame, 0, frame.readableBytes(), counting));
        assertThat(counting.publishes).isGreaterThanOrEqualTo(ROUNDS);
    }

    @Test
    void aBinaryMessageIsDecodedWithoutAllocation() {
        BinaryServerEvents decoder =
                EventVectors.decoderKnowing(Vectors.JSON.createArrayNode().add(7));
        MessageView message = new MessageView()
                .subject(subject, 0, subject.readableBytes())
                .data(data, 0, data.readableBytes())
                .position(7, 0, 42);
        new BinaryEncoding().message(frame, message);
        Counting counting = new Counting();
        assertAllocatesNothing("message", () -> decoder.decode(frame, 0, frame.readableBytes(), counting));
        assertThat(counting.messages).isGreaterThanOrEqualTo(ROUNDS);
    }

    private static void assertAllocatesNothing(String what, Runnable step) {
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        step.run();
        long before = thread.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            step.run();
        }
        assertThat(thread.getCurrentThreadAllocatedBytes() - before).as(what).isLessThan(NOISE_BYTES);
    }

    private static final class Counting implements CommandHandler, ServerEventHandler {
        private int publishes;
        private int messages;

        @Override
        public void onPublish(PublishRequest request) {
            publishes++;
        }

        @Override
        public void onMessage(MessageView message) {
            messages++;
        }

        @Override
        public void onConnect(long id, ConnectRequest request) {}

        @Override
        public void onSubscribe(long id, SubscribeRequest request) {}

        @Override
        public void onUnsubscribe(long id, List<byte[]> subjects) {}

        @Override
        public void onPing(long id) {}

        @Override
        public void onWatch(long id, byte[] subject) {}

        @Override
        public void onUnwatch(long id, byte[] subject) {}

        @Override
        public void onBadCommand(long id, Code code, String reason) {}

        @Override
        public void onError(long id, String code, String reason, byte @Nullable [] subject) {}

        @Override
        public void onBadEvent(String reason) {}
    }
}

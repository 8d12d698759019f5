package io.belfry.client.connection;

import io.belfry.fuzz.SplitInput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** HTTP responses in the Java client: head and body do not depend on how the bytes are split. */
@NullMarked
public final class ClientHttpTarget {
    private ClientHttpTarget() {}

    /** Called by Jazzer and by the replay of the corpus for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        SplitInput.of(input).readInAllSplits(Reader::new);
    }

    private static final class Reader implements SplitInput.Reader {
        private final ByteBuf held = Unpooled.buffer();
        private final ClientHttpBody body = new ClientHttpBody();
        private final StringBuilder result = new StringBuilder();
        private @Nullable AnswerHead head;

        @Override
        public String result() {
            return result + (body.problem() == null ? "" : body.problem());
        }

        @Override
        public void accept(byte[] bytes) {
            held.writeBytes(bytes);
            if (head == null) {
                int end = AnswerHead.end(held);
                if (end < 0) {
                    return;
                }
                head = AnswerHead.of(held, end);
                result.append(head.status()).append(head.contentLength()).append(head.keptAlive());
                result.append(head.header("location")).append('\n');
                held.readerIndex(end);
                body.begin(head);
            }
            body.read(held, (in, length) -> {
                result.append(in.toString(in.readerIndex(), length, StandardCharsets.ISO_8859_1));
                return true;
            });
        }
    }
}

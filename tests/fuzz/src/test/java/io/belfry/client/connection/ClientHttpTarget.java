package io.belfry.client.connection;

import io.belfry.fuzz.Pieces;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** What the Java client reads of an answer: the same head and body however the bytes come. */
@NullMarked
public final class ClientHttpTarget {
    private ClientHttpTarget() {}

    public static void fuzzerTestOneInput(byte[] input) {
        Pieces.of(input).readEveryWay(Reader::new);
    }

    private static final class Reader implements Pieces.Reader {
        private final ByteBuf held = Unpooled.buffer();
        private final HttpBody body = new HttpBody();
        private final StringBuilder told = new StringBuilder();
        private @Nullable AnswerHead head;

        @Override
        public String told() {
            return told + (body.problem() == null ? "" : body.problem());
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
                told.append(head.status()).append(head.contentLength()).append(head.keptAlive());
                told.append(head.header("location")).append('\n');
                held.readerIndex(end);
                body.begin(head);
            }
            body.read(held, (in, length) -> {
                told.append(in.toString(in.readerIndex(), length, StandardCharsets.ISO_8859_1));
                return true;
            });
        }
    }
}

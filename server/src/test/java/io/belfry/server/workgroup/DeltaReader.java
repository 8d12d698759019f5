package io.belfry.server.workgroup;

import io.belfry.protocol.FossilDelta;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Applies the deltas that a client receives, as docs/protocol.md describes. Owner: the test's thread. */
final class DeltaReader {
    @SuppressWarnings("ArrayRecordComponent") // Bases are not compared.
    private record Base(Position at, byte[] data) {}

    private final Map<String, Base> bases = new HashMap<>();

    /** Number of deltas so far. */
    int applied;

    /** Returns the data of the message. */
    String data(MessageView m) {
        String subject = m.subject().toString(m.subjectOffset(), m.subjectLength(), StandardCharsets.UTF_8);
        byte[] data = new byte[m.dataLength()];
        m.data().getBytes(m.dataOffset(), data);
        if (m.isDelta()) {
            data = apply(bases.get(subject), m, data);
            applied++;
        }
        bases.put(subject, new Base(new Position(m.epoch(), m.seq()), data));
        return new String(data, StandardCharsets.UTF_8);
    }

    private static byte[] apply(@Nullable Base base, MessageView m, byte[] delta) {
        if (base == null || !base.at.equals(new Position(m.epoch(), m.baseSeq()))) {
            throw new AssertionError("delta of " + m.seq() + " without its base; the client has " + base);
        }
        byte[] data = FossilDelta.apply(base.data, delta, 1 << 20);
        if (data == null) {
            throw new AssertionError("bad delta of " + m.seq());
        }
        return data;
    }
}

package io.belfry.server.cluster;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the reports of {@link MemberExchange}, divided into records. Owner: one thread.
 *
 * <pre>
 *  a record's value:  flags 1  rank 8  sent 8   entry entry ...
 *  a subject:         SUBJECT 1  length 1  subject               applies to the users after it
 *  a user:            USER 1  sessions 4  length 4  user  length 4  info
 * </pre>
 *
 * <p>{@code rank} is the offset of the node's first record, or -1; {@code sent} is the node's own clock in nanoseconds.
 */
final class MemberRecords {
    /** The others report all their users. */
    static final int HELLO = 1;

    /** All users of the node follow. */
    static final int BEGIN = 2;

    /** All users of the node precede. */
    static final int END = 4;

    /** The node stops. */
    static final int BYE = 8;

    static final int SUBJECT = 1;
    private static final int USER = 2;

    private static final int RECORD_BYTES = 128 << 10;

    /** Maximum length of a name in a record that is read. */
    private static final int TEXT_MAX = 1 << 20;

    private final Consumer<byte[]> records;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final long rank;
    private final long sentNanos;
    private int flags;
    private @Nullable ByteBuffer subject;

    MemberRecords(Consumer<byte[]> records, long rank, long sentNanos, int flags) {
        this.records = records;
        this.rank = rank;
        this.sentNanos = sentNanos;
        this.flags = flags;
        begin();
    }

    private void begin() {
        out.reset();
        out.write(0);
        out.writeBytes(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(rank)
                .putLong(sentNanos)
                .array());
        subject = null;
    }

    void user(ByteBuffer of, String user, int sessions, @Nullable String info) {
        if (!of.equals(subject)) {
            subject = of;
            out.write(SUBJECT);
            out.write(of.remaining());
            out.writeBytes(Presence.bytes(of));
        }
        out.write(USER);
        number(sessions);
        text(user);
        text(info == null ? "" : info);
        if (out.size() > RECORD_BYTES) {
            end(0);
            begin();
        }
    }

    private void number(int value) {
        out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(value).array());
    }

    private void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(bytes.length);
        out.writeBytes(bytes);
    }

    /** Writes the record. */
    void end(int last) {
        byte[] record = out.toByteArray();
        record[0] = (byte) (flags | last);
        records.accept(record);
        flags = 0;
    }

    /** Reads a text as this class writes it. */
    static String text(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > TEXT_MAX) {
            throw new IOException("length " + length);
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

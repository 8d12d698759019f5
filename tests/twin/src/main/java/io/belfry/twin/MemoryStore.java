package io.belfry.twin;

import io.belfry.protocol.MessageView;
import io.belfry.server.history.History;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The server's history in memory. */
final class MemoryStore implements Store {
    private static final int SEGMENT_BYTES = 4 << 20;
    private static final long BUDGET_BYTES = 64 << 20;

    private final History history = new History(1, Integer.MAX_VALUE, Long.MAX_VALUE / 4, SEGMENT_BYTES, BUDGET_BYTES);
    private final MessageView view = new MessageView();

    @Override
    public void append(int subject, long seq, byte[] data) {
        ByteBuf wrapped = Unpooled.wrappedBuffer(data);
        history.append(subject, seq, 0, false, Unpooled.EMPTY_BUFFER, 0, 0, wrapped, 0, data.length);
    }

    @Override
    public void sync() {
        if (history.isCleaningDue(0)) {
            history.clean(0, subject -> {});
        }
    }

    @Override
    public void read(int subject, long afterSeq, int most, Reader reader) {
        history.read(subject, afterSeq, most, view, 0, message -> {
            byte[] data = new byte[message.dataLength()];
            message.data().getBytes(message.dataOffset(), data);
            reader.onMessage(message.seq(), data);
            return true;
        });
    }

    @Override
    public void close() {
        history.close();
    }
}

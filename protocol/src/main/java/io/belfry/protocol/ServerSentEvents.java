package io.belfry.protocol;

import static io.belfry.protocol.JsonText.ascii;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/** Writes the fields of a {@code text/event-stream} event that precede its JSON object. Pure. */
final class ServerSentEvents {
    private static final byte[] EVENT = ascii("event: ");
    private static final byte[] ID = ascii("id: ");
    private static final byte[] DATA = ascii("data: ");

    private ServerSentEvents() {}

    static void event(ByteBuf out, String name) {
        out.writeBytes(EVENT);
        ByteBufUtil.writeAscii(out, name);
        out.writeByte('\n');
    }

    static void id(ByteBuf out, long epoch, long seq) {
        out.writeBytes(ID);
        JsonText.number(out, epoch);
        out.writeByte(':');
        JsonText.number(out, seq);
        out.writeByte('\n');
    }

    static void id(ByteBuf out, CharSequence id) {
        out.writeBytes(ID);
        ByteBufUtil.writeAscii(out, id);
        out.writeByte('\n');
    }

    static void data(ByteBuf out) {
        out.writeBytes(DATA);
    }
}

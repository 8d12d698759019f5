package io.belfry.server.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.WireFormat;
import io.belfry.server.codec.WebSocketFrames;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** The events of {@link LineProtocolTest}: {@code MSG /a text}, {@code OK /a}, {@code ERR code}; others are not sent. */
record LineFormat(int id, boolean framed) implements WireFormat {
    private void line(ByteBuf out, String text) {
        byte[] bytes = (text + "\n").getBytes(UTF_8);
        if (framed) {
            WebSocketFrames.writeHeader(out, WebSocketFrames.TEXT, bytes.length);
        }
        out.writeBytes(bytes);
    }

    @Override
    public String text() {
        return framed ? "lines-websocket" : "lines-tcp";
    }

    @Override
    public void message(ByteBuf out, MessageView m) {
        String subject = m.subject().toString(m.subjectOffset(), m.subjectLength(), UTF_8);
        line(out, "MSG " + subject + " " + m.data().toString(m.dataOffset(), m.dataLength(), UTF_8));
    }

    @Override
    public void subscribed(
            ByteBuf out, long id, byte[] subject, @Nullable Position at, int epochIndex, Recovery how, int conflate) {
        line(out, "OK " + new String(subject, UTF_8));
    }

    @Override
    public void error(ByteBuf out, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        line(out, "ERR " + code.text());
    }

    @Override
    public void keepAlive(ByteBuf out) {
        line(out, "");
    }

    @Override
    public void close(ByteBuf out, Code code) {}

    @Override
    public boolean isStream() {
        return false;
    }

    @Override
    public boolean isDeflated() {
        return false;
    }

    @Override
    public boolean binary() {
        return false;
    }

    @Override
    public void connected(ByteBuf out, long id, ConnectedEvent event) {}

    @Override
    public void unsubscribed(ByteBuf out, long id, byte[] subject, @Nullable Code reason) {}

    @Override
    public void published(ByteBuf out, long id, long epoch, long seq) {}

    @Override
    public void gap(ByteBuf out, byte[] subject, @Nullable Position from, Position to, Code reason) {}

    @Override
    public void pong(ByteBuf out, long id, long clockMicros) {}

    @Override
    public void reconnect(ByteBuf out, long afterMillis, Code reason) {}

    @Override
    public void tokenToExpire(ByteBuf out, long afterMillis) {}

    @Override
    public void stale(ByteBuf out, boolean stale) {}

    @Override
    public void watched(ByteBuf out, long id, byte[] subject, boolean subscribers) {}

    @Override
    public void unwatched(ByteBuf out, long id, byte[] subject, @Nullable Code reason) {}

    @Override
    public void interest(ByteBuf out, byte[] subject, boolean subscribers) {}

    @Override
    public void epoch(ByteBuf out, int index, long epoch) {}
}

package io.belfry.client.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Frames over an embedded channel: the messages do not depend on how the bytes are split into reads. */
class WebSocketClientConnectionTest {
    private final List<String> received = new ArrayList<>();
    private final Upgrade upgrade = Upgrade.to("host:1", "belfry.json.v1", null);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private ClientLoop loop = new ClientLoop("test", 1 << 16, () -> 42);

    @BeforeEach
    void connect() {
        channel.pipeline().addLast(new WebSocketClientConnection(loop, upgrade, new Recorder(), channel));
        channel.pipeline().fireChannelActive();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
        loop.close();
    }

    @Test
    void framesAreCompleteHoweverTheyAreSplit() {
        byte[] stream = bytes(
                answer(), text("a"), text("x".repeat(125)), text("y".repeat(126)), text("z".repeat(66_000)), text(""));
        for (int seed = 0; seed < 40; seed++) {
            received.clear();
            EmbeddedChannel one = new EmbeddedChannel();
            one.pipeline().addLast(new WebSocketClientConnection(loop, upgrade, new Recorder(), one));
            one.pipeline().fireChannelActive();
            Random random = new Random(seed);
            int most = 1 << (8 + random.nextInt(9));
            for (int at = 0; at < stream.length; ) {
                // Byte by byte at the headers, in larger parts through the long message.
                int length = at < 600 && seed % 2 == 0 ? 1 : Math.min(stream.length - at, 1 + random.nextInt(most));
                one.writeInbound(Unpooled.copiedBuffer(stream, at, length));
                at += length;
            }
            assertThat(received).containsExactly("open", "1", "125", "126", "66000", "0");
            one.finishAndReleaseAll();
        }
    }

    @Test
    void fragmentsAreJoinedAroundControlFrames() {
        read(bytes(
                answer(),
                frame(0x01, "one"),
                frame(0x89, "ping"),
                frame(0x00, ""),
                frame(0x00, "x".repeat(70_000)),
                frame(0x80, "end"),
                text("whole")));
        assertThat(received).containsExactly("open", "70006", "5");
    }

    @Test
    void onlyAFinishedConnectionSendsACloseFrame() {
        for (boolean finished : List.of(true, false)) {
            EmbeddedChannel one = new EmbeddedChannel();
            WebSocketClientConnection connection = new WebSocketClientConnection(loop, upgrade, new Recorder(), one);
            one.pipeline().addLast(connection);
            one.pipeline().fireChannelActive();
            one.writeInbound(Unpooled.wrappedBuffer(answer()));
            one.releaseOutbound();
            CompletableFuture<Void> ended = new CompletableFuture<>();
            loop.run(() -> {
                if (finished) {
                    connection.finish();
                } else {
                    connection.drop();
                }
                ended.complete(null);
            });
            ended.orTimeout(10, TimeUnit.SECONDS).join();
            assertThat(one.outboundMessages()).hasSize(finished ? 1 : 0);
            assertThat(one.isOpen()).isFalse();
            one.finishAndReleaseAll();
        }
    }

    @Test
    void aPingIsAnsweredWithItsOwnBytes() {
        read(bytes(answer(), frame(0x89, "hello")));
        channel.releaseOutbound();
        read(frame(0x89, "hello"));
        ByteBuf pong = channel.readOutbound();
        assertThat(pong.readUnsignedByte()).isEqualTo((short) 0x8a);
        assertThat(pong.readUnsignedByte()).isEqualTo((short) (0x80 | 5));
        int mask = pong.readInt();
        byte[] payload = new byte[5];
        pong.readBytes(payload);
        for (int i = 0; i < 5; i++) {
            payload[i] ^= (byte) (mask >>> (24 - 8 * i));
        }
        assertThat(new String(payload, StandardCharsets.US_ASCII)).isEqualTo("hello");
        pong.release();
    }

    @Test
    void aCloseFrameIsReportedWithCodeAndReason() {
        read(bytes(answer(), frame(0x88, "\u0003\u00e9bye")));
        assertThat(received).containsExactly("open", "CLOSED_BY_SERVER the server closed the connection: 1001 bye");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aProtocolViolationEndsTheConnection() {
        for (byte[] bad : List.of(
                frame(0xc1, "x"),
                frame(0x83, "x"),
                frame(0x80, "x"),
                frame(0x09, "x"),
                frame(0x89, "x".repeat(126)),
                bytes(frame(0x01, "x"), frame(0x81, "x")),
                bytes(frame(0x01, "x"), frame(0xc0, "x")),
                new byte[] {(byte) 0x81, (byte) 0x81, 0, 0, 0, 0, 0})) {
            received.clear();
            EmbeddedChannel one = new EmbeddedChannel();
            one.pipeline().addLast(new WebSocketClientConnection(loop, upgrade, new Recorder(), one));
            one.pipeline().fireChannelActive();
            one.writeInbound(Unpooled.copiedBuffer(bytes(answer(), bad)));
            assertThat(received).hasSize(2).last().asString().startsWith("BAD_FRAME");
            one.finishAndReleaseAll();
        }
    }

    @Test
    void extensionsThatWereNotOfferedEndTheConnection() {
        read(("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Protocol: belfry.json.v1\r\nSec-WebSocket-Accept: "
                        + Upgrade.accept(upgradeKey())
                        + "\r\nSec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        assertThat(received)
                .containsExactly("REFUSED the server accepted extensions that were not offered: "
                        + "permessage-deflate; server_no_context_takeover");
    }

    @Test
    void anEndWithoutACloseFrameIsReportedAsLost() {
        read(answer());
        channel.close().syncUninterruptibly();
        assertThat(received).containsExactly("open", "LOST the connection was lost");
    }

    @Test
    void aWrongAcceptHeaderIsRejected() {
        read("HTTP/1.1 101 OK\r\nSec-WebSocket-Accept: no\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(received).containsExactly("REFUSED the server's Sec-WebSocket-Accept is wrong");
    }

    @Test
    void anErrorResponseIsReportedWithStatusAndBody() {
        read("HTTP/1.1 503 Busy\r\n\r\n{\"code\":\"x\"}\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(received).containsExactly("REFUSED the server answered \"HTTP/1.1 503 Busy\": {\"code\":\"x\"}");
    }

    private byte[] answer() {
        channel.runPendingTasks();
        String key = upgradeKey();
        return ("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Protocol: belfry.json.v1\r\nsec-websocket-accept: "
                        + Upgrade.accept(key) + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private String upgradeKey() {
        ByteBuf request = Unpooled.buffer();
        upgrade.write(request);
        String text = request.toString(StandardCharsets.US_ASCII);
        return text.substring(text.indexOf("Key: ") + 5, text.indexOf("\r\n", text.indexOf("Key: ")));
    }

    private void read(byte[] bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes));
    }

    private static byte[] text(String payload) {
        return frame(0x81, payload);
    }

    private static byte[] frame(int first, String payload) {
        byte[] data = payload.getBytes(StandardCharsets.ISO_8859_1);
        ByteBuf out = Unpooled.buffer();
        out.writeByte(first);
        if (data.length < 126) {
            out.writeByte(data.length);
        } else if (data.length < 1 << 16) {
            out.writeByte(126).writeShort(data.length);
        } else {
            out.writeByte(127).writeLong(data.length);
        }
        out.writeBytes(data);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    private static byte[] bytes(byte[]... parts) {
        ByteBuf all = Unpooled.buffer();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    /** Records lengths of messages and reasons of endings. */
    private final class Recorder implements ConnectionListener {
        @Override
        public void onOpen(ServerConnection connection) {
            received.add("open");
        }

        @Override
        public void onMessage(
                ServerConnection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {
            assertThat(bytes.isReadable(0)).isTrue();
            received.add(Integer.toString(length));
        }

        @Override
        public void onEnd(Ending ending) {
            if (ending.cause() != Ending.Cause.LOST || !received.isEmpty()) {
                received.add(ending.cause() + " " + ending.sentence());
            }
        }
    }
}

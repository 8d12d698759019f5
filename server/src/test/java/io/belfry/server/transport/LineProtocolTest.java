package io.belfry.server.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.CommandRules;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.WireFormat;
import io.netty.buffer.ByteBuf;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A protocol of lines, to show what a protocol of clients consists of: {@code SUB /a}, {@code PUB /a text}. */
class LineProtocolTest {
    private static final WireFormat OVER_TCP = new LineFormat(40, false);
    private static final WireFormat OVER_WEBSOCKET = new LineFormat(41, true);

    private record LineProtocol() implements MessageProtocol {
        @Override
        public String name() {
            return "lines";
        }

        @Override
        public List<WireFormat> formats() {
            return List.of(OVER_TCP, OVER_WEBSOCKET);
        }

        @Override
        public boolean isBinary() {
            return false;
        }

        @Override
        public WireFormat format(boolean deflated) {
            return OVER_WEBSOCKET;
        }

        @Override
        public CommandDecoder decoder(Connection connection) {
            return LineProtocolTest::decode;
        }

        @Override
        public boolean hasFirstBytes() {
            return true;
        }

        @Override
        public Match begins(ByteBuf first) {
            if (first.readableBytes() < 4) {
                return Match.MORE;
            }
            String word = first.toString(first.readerIndex(), 4, UTF_8);
            return word.equals("SUB ") || word.equals("PUB ") ? Match.YES : Match.NO;
        }

        @Override
        public Phase overTcp(Connection connection) {
            return new LineConnection(connection, OVER_TCP, LineProtocolTest::decode);
        }
    }

    static void decode(ByteBuf in, int offset, int length, CommandHandler commands) {
        String[] words = in.toString(offset, length, UTF_8).split(" ", 3);
        if (words[0].equals("SUB") && words.length == 2) {
            List<byte[]> subjects = List.of(words[1].getBytes(UTF_8));
            CommandRules.subscribe(1, subjects, null, null, 0, 0, null, commands);
        } else if (words[0].equals("PUB") && words.length == 3) {
            int subject = words[1].getBytes(UTF_8).length;
            PublishRequest publish = new PublishRequest()
                    .start(CommandHandler.NO_ID, in, false)
                    .subject(offset + 4, subject)
                    .data(offset + 5 + subject, length - 5 - subject);
            CommandRules.publish(publish, false, commands);
        } else {
            commands.onBadCommand(CommandHandler.NO_ID, Code.BAD_FRAME, "not SUB /subject or PUB /subject text");
        }
    }

    @Test
    void clientsOverTcpAndWebSocketExchangeMessages() throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        try (ProtocolServer server = new ProtocolServer(List.of(new LineProtocol()));
                HttpClient http = HttpClient.newHttpClient();
                Socket tcp = server.connect()) {
            WebSocket webSocket = http.newWebSocketBuilder()
                    .subprotocols("lines")
                    .buildAsync(URI.create("ws://127.0.0.1:" + server.port() + "/"), new WebSocket.Listener() {
                        @Override
                        public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
                            received.add(text.toString());
                            return WebSocket.Listener.super.onText(socket, text, last);
                        }
                    })
                    .get(10, TimeUnit.SECONDS);
            webSocket.sendText("SUB /a", true).get(10, TimeUnit.SECONDS);
            assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("OK /a\n");
            tcp.getOutputStream().write("SUB /a\nPUB /a over tcp\n".getBytes(UTF_8));
            BufferedReader lines = new BufferedReader(new InputStreamReader(tcp.getInputStream(), UTF_8));
            assertThat(lines.readLine()).isEqualTo("OK /a");
            assertThat(lines.readLine()).isEqualTo("MSG /a over tcp");
            assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("MSG /a over tcp\n");
            webSocket.sendText("PUB /a back", true).get(10, TimeUnit.SECONDS);
            assertThat(lines.readLine()).isEqualTo("MSG /a back");
            webSocket.abort();
        }
    }

    @Test
    void invalidCommandsAreRefusedByTheirDecoder() throws Exception {
        try (ProtocolServer server = new ProtocolServer(List.of(new LineProtocol()));
                Socket tcp = server.connect()) {
            BufferedReader lines = new BufferedReader(new InputStreamReader(tcp.getInputStream(), UTF_8));
            for (String command : List.of("SUB a", "SUB /a/**/b", "PUB /$server/a text", "PUB /* text")) {
                tcp.getOutputStream().write((command + "\n").getBytes(UTF_8));
                assertThat(lines.readLine()).as(command).isIn("ERR bad-subject", "ERR wildcard-not-allowed");
            }
            for (String command : List.of("SUB", "PUB /a", "")) {
                tcp.getOutputStream().write((command + "\n").getBytes(UTF_8));
                assertThat(lines.readLine()).as(command).isEqualTo("ERR bad-frame");
            }
            tcp.getOutputStream().write("SUB /a\n".getBytes(UTF_8));
            assertThat(lines.readLine()).isEqualTo("OK /a");
        }
    }
}

package io.belfry.fuzz;

import io.belfry.server.codec.BodyResult;
import io.belfry.server.codec.HandshakeResult;
import io.belfry.server.codec.HttpBody;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.HttpRequestParser;
import io.belfry.server.codec.OriginPolicy;
import io.belfry.server.codec.ParseResult;
import io.belfry.server.codec.Refusal;
import io.belfry.server.codec.WebSocketHandshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Requests one after the other, as a connection reads them: the same requests and bodies however the bytes come, nothing
 * after a refusal, and no request that two readers could end at different places.
 */
public final class HttpTarget {
    private static final int BODY_BYTES_MAX = 4096;
    private static final HttpRequestParser PARSER = new HttpRequestParser();
    private static final WebSocketHandshake HANDSHAKE = new WebSocketHandshake(true);
    private static final OriginPolicy SAME = OriginPolicy.sameOrigin();

    private HttpTarget() {}

    public static void fuzzerTestOneInput(byte[] input) {
        Pieces.of(input).readEveryWay(Reader::new);
    }

    private static final class Reader implements Pieces.Reader {
        private final ByteBuf held = Unpooled.buffer();
        private final StringBuilder told = new StringBuilder();
        private @Nullable HttpBody body;
        private boolean over;

        @Override
        public String told() {
            return told.toString();
        }

        @Override
        public void accept(byte[] bytes) {
            held.writeBytes(bytes);
            boolean goOn = true;
            while (goOn && !over && held.isReadable()) {
                goOn = body == null ? head() : body(body, held);
            }
        }

        private boolean head() {
            int start = held.readerIndex();
            switch (PARSER.parse(held)) {
                case ParseResult.NeedMore more -> {
                    return false;
                }
                case Refusal refusal -> refused(refusal);
                case ParseResult.Head head -> {
                    Pieces.require(held.readerIndex() - start == head.consumedBytes(), "as much as it says");
                    String text = held.toString(start, head.consumedBytes(), StandardCharsets.ISO_8859_1);
                    begin(head.request(), text.toLowerCase(Locale.ROOT));
                }
            }
            return true;
        }

        private void begin(HttpRequest request, String text) {
            checkHead(request, text);
            told.append(request.method()).append(' ').append(request.path()).append(' ');
            told.append(request.host())
                    .append(' ')
                    .append(request.query().names())
                    .append(' ');
            told.append(request.contentLength()).append(request.keepAlive()).append('\n');
            if (request.framing() != HttpRequest.Framing.NONE) {
                body = HttpBody.of(request, BODY_BYTES_MAX, 64);
                body(body, Unpooled.EMPTY_BUFFER);
            }
        }

        private boolean body(HttpBody reading, ByteBuf in) {
            switch (reading.read(in)) {
                case BodyResult.NeedMore more -> {
                    return false;
                }
                case Refusal refusal -> refused(refusal);
                case BodyResult.Complete complete -> {
                    Pieces.require(complete.content().readableBytes() <= BODY_BYTES_MAX, "a body within the bound");
                    told.append(complete.content().toString(StandardCharsets.ISO_8859_1))
                            .append('\n');
                }
            }
            reading.release();
            body = null;
            return true;
        }

        private void refused(Refusal refusal) {
            over = true;
            told.append(refusal.code().text()).append(refusal.status());
        }
    }

    private static void checkHead(HttpRequest request, String text) {
        Pieces.require(request.path().startsWith("/"), "a path");
        Pieces.require(request.path().chars().noneMatch(c -> c < ' ' || c == 0x7f || c == '\\'), "a plain path");
        Pieces.require(!request.path().contains("/../") && !request.path().endsWith("/.."), "no way out of a folder");
        for (int i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) {
            Pieces.require(i > 0 && text.charAt(i - 1) == '\r', "no bare line feed");
            Pieces.require(i + 1 == text.length() || " \t".indexOf(text.charAt(i + 1)) < 0, "no folded line");
        }
        Pieces.require(text.indexOf(0) < 0, "no NUL");
        boolean length = text.contains("\ncontent-length:");
        boolean chunked = text.contains("\ntransfer-encoding:");
        Pieces.require(!(length && chunked), "one framing");
        Pieces.require(chunked == (request.framing() == HttpRequest.Framing.CHUNKED), "chunked where it says so");
        checkAnswers(request);
    }

    private static void checkAnswers(HttpRequest request) {
        String origin = SAME.corsOrigin(request, false);
        Pieces.require(origin == null || origin.chars().allMatch(c -> c > ' ' && c < 0x7f), "a printable origin");
        if (HANDSHAKE.check(request) instanceof HandshakeResult.Accepted accepted) {
            ByteBuf out = Unpooled.buffer();
            WebSocketHandshake.writeAccept(out, accepted);
            String answer = out.toString(StandardCharsets.ISO_8859_1);
            Pieces.require(answer.matches("HTTP/1.1 101 [A-Za-z ]+\r\n([A-Z][A-Za-z-]+: [ -~]+\r\n){3,5}\r\n"), answer);
            Pieces.require(request.framing() == HttpRequest.Framing.NONE, "no body before frames");
        }
    }
}

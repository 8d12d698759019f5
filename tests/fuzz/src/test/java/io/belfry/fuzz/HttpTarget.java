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
 * Pipelined requests as a connection reads them. Requests and bodies do not depend on how the bytes are split, nothing is
 * read after a refusal, and no request is accepted whose end is ambiguous.
 */
public final class HttpTarget {
    private static final int BODY_BYTES_MAX = 4096;
    private static final HttpRequestParser PARSER = new HttpRequestParser();
    private static final WebSocketHandshake HANDSHAKE = new WebSocketHandshake(true);
    private static final OriginPolicy SAME = OriginPolicy.sameOrigin();

    private HttpTarget() {}

    /** Called by Jazzer and by {@link CorpusTest} for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        SplitInput.of(input).readInAllSplits(Reader::new);
    }

    private static final class Reader implements SplitInput.Reader {
        private final ByteBuf held = Unpooled.buffer();
        private final StringBuilder result = new StringBuilder();
        private @Nullable HttpBody body;
        private boolean over;

        @Override
        public String result() {
            return result.toString();
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
                    SplitInput.require(
                            held.readerIndex() - start == head.consumedBytes(), "wrong number of consumed bytes");
                    String text = held.toString(start, head.consumedBytes(), StandardCharsets.ISO_8859_1);
                    begin(head.request(), text.toLowerCase(Locale.ROOT));
                }
            }
            return true;
        }

        private void begin(HttpRequest request, String text) {
            checkHead(request, text);
            result.append(request.method()).append(' ').append(request.path()).append(' ');
            result.append(request.https() ? "https " : "")
                    .append(request.host())
                    .append(' ')
                    .append(request.query().names())
                    .append(' ');
            result.append(request.contentLength()).append(request.keepAlive()).append('\n');
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
                    SplitInput.require(
                            complete.content().readableBytes() <= BODY_BYTES_MAX, "the body exceeds its limit");
                    result.append(complete.content().toString(StandardCharsets.ISO_8859_1))
                            .append('\n');
                }
            }
            reading.release();
            body = null;
            return true;
        }

        private void refused(Refusal refusal) {
            over = true;
            result.append(refusal.code().text()).append(refusal.status());
        }
    }

    private static void checkHead(HttpRequest request, String text) {
        SplitInput.require(request.path().startsWith("/"), "the path does not start with a slash");
        SplitInput.require(
                request.path().chars().noneMatch(c -> c < ' ' || c == 0x7f || c == '\\'),
                "the path has an invalid character");
        SplitInput.require(
                !request.path().contains("/../") && !request.path().endsWith("/.."), "the path leaves its folder");
        for (int i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) {
            SplitInput.require(i > 0 && text.charAt(i - 1) == '\r', "a bare line feed was accepted");
            SplitInput.require(
                    i + 1 == text.length() || " \t".indexOf(text.charAt(i + 1)) < 0, "a folded line was accepted");
        }
        SplitInput.require(text.indexOf(0) < 0, "a NUL was accepted");
        boolean length = text.contains("\ncontent-length:");
        boolean chunked = text.contains("\ntransfer-encoding:");
        SplitInput.require(!(length && chunked), "two framings were accepted");
        SplitInput.require(
                text.indexOf("\ntransfer-encoding:") == text.lastIndexOf("\ntransfer-encoding:"),
                "two transfer codings were accepted");
        SplitInput.require(
                !request.https() || request.authority() != null, "https was accepted without an absolute target");
        SplitInput.require(
                chunked == (request.framing() == HttpRequest.Framing.CHUNKED),
                "the framing does not match the headers");
        checkResponses(request);
    }

    private static void checkResponses(HttpRequest request) {
        String origin = SAME.corsOrigin(request, false);
        SplitInput.require(
                origin == null || origin.chars().allMatch(c -> c > ' ' && c < 0x7f), "the origin is not printable");
        if (HANDSHAKE.check(request) instanceof HandshakeResult.Accepted accepted) {
            ByteBuf out = Unpooled.buffer();
            WebSocketHandshake.writeAccept(out, accepted);
            String response = out.toString(StandardCharsets.ISO_8859_1);
            SplitInput.require(
                    response.matches("HTTP/1.1 101 [A-Za-z ]+\r\n([A-Z][A-Za-z-]+: [ -~]+\r\n){3,5}\r\n"), response);
            SplitInput.require(
                    request.framing() == HttpRequest.Framing.NONE, "a body was accepted before WebSocket frames");
        }
    }
}

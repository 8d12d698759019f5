package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The status line and headers of an HTTP response. Immutable. */
final class AnswerHead {
    /** Maximum length of a head. No server sends a longer one; a longer text is not HTTP. */
    static final int BYTES_MAX = 64 << 10;

    /** Maximum number of bytes of an error's body that are awaited. */
    private static final int BODY_SHOWN_MAX = 4096;

    private static final int SHOWN_MAX = 200;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})( .*)?");
    private static final Pattern CODE = Pattern.compile("\"code\"\\s*:\\s*\"([a-z0-9-]{1,64})\"");

    private final String[] lines;
    private final int status;

    private AnswerHead(String[] lines, int status) {
        this.lines = lines;
        this.status = status;
    }

    /** Returns the index after the head and its blank line, or -1 if the head is incomplete. */
    static int end(ByteBuf in) {
        int end = in.writerIndex() - 3;
        for (int i = in.readerIndex(); i < end; i++) {
            if (in.getInt(i) == 0x0d0a0d0a) {
                return i + 4;
            }
        }
        return -1;
    }

    /** Parses the head that ends at {@code end}; the status is 0 if it is not HTTP. */
    static AnswerHead of(ByteBuf in, int end) {
        String head = in.toString(in.readerIndex(), end - in.readerIndex(), StandardCharsets.ISO_8859_1);
        String[] lines = head.split("\r\n", -1);
        Matcher status = STATUS.matcher(lines[0]);
        return new AnswerHead(lines, status.matches() ? Integer.parseInt(status.group(1)) : 0);
    }

    int status() {
        return status;
    }

    @Nullable
    String header(String name) {
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0 && lines[i].substring(0, colon).equalsIgnoreCase(name)) {
                return lines[i].substring(colon + 1).strip();
            }
        }
        return null;
    }

    /** Returns the Content-Length, or -1 if there is none. */
    long contentLength() {
        return number(header("content-length"), -1);
    }

    /** Returns the ping interval in ms that the server names for a stream, or 0 if it names none. */
    long pingMillis() {
        return number(header("belfry-ping"), 0);
    }

    boolean chunked() {
        String encoding = header("transfer-encoding");
        return encoding != null && encoding.toLowerCase(Locale.ROOT).endsWith("chunked");
    }

    boolean keptAlive() {
        String connection = header("connection");
        return lines[0].startsWith("HTTP/1.1") && (connection == null || !connection.equalsIgnoreCase("close"));
    }

    /** Whether enough of an error's body has arrived to show it. */
    boolean refusalCame(ByteBuf in, int headEnd) {
        long length = Math.min(contentLength(), BODY_SHOWN_MAX);
        return in.writerIndex() - headEnd >= length;
    }

    /** Returns the ending for a response with an error, with the code in its body. */
    Ending refusal(ByteBuf in, int headEnd) {
        String body =
                in.toString(headEnd, Math.min(in.writerIndex() - headEnd, BODY_SHOWN_MAX), StandardCharsets.UTF_8);
        Matcher code = CODE.matcher(body);
        long retryAfterMillis = 1000 * number(header("retry-after"), 0);
        return new Ending(
                Ending.Cause.REFUSED,
                "the server answered \"" + shown(lines[0]) + "\"" + (body.isBlank() ? "" : ": " + shown(body)),
                status,
                code.find() ? code.group(1) : "",
                retryAfterMillis);
    }

    private static long number(@Nullable String text, long otherwise) {
        return text != null && text.matches("\\d{1,9}") ? Long.parseLong(text) : otherwise;
    }

    private static String shown(String text) {
        String oneLine = text.strip().replaceAll("\\p{Cntrl}+", " ");
        return oneLine.length() <= SHOWN_MAX ? oneLine : oneLine.substring(0, SHOWN_MAX) + "...";
    }
}

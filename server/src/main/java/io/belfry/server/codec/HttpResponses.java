package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Writes HTTP/1.1 answers. Owner: one loop, which uses one writer for all its connections (the Date field is rendered
 * once a second). Nothing is released here: what is written belongs to the caller's buffer.
 */
public final class HttpResponses {
    public static final String JSON = "application/json";
    public static final String EVENT_STREAM = "text/event-stream";
    public static final String NDJSON = "application/x-ndjson";

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);
    private static final String METHODS = "GET, HEAD, POST, OPTIONS";

    private final LongSupplier wallClockMillis;
    private long dateSecond = Long.MIN_VALUE;
    private String date = "";

    /** The clock gives milliseconds since 1970. */
    public HttpResponses(LongSupplier wallClockMillis) {
        this.wallClockMillis = wallClockMillis;
    }

    /** A whole answer with a body, of which the readable bytes are copied; its indices stay as they are. */
    public void write(ByteBuf out, ReplyTerms terms, int status, String contentType, ByteBuf body) {
        begin(out, terms, status);
        field(out, "Content-Type", contentType);
        field(out, "Content-Length", Integer.toString(body.readableBytes()));
        end(out, terms);
        if (!terms.headOnly()) {
            out.writeBytes(body, body.readerIndex(), body.readableBytes());
        }
    }

    /** A whole answer without a body. */
    public void writeEmpty(ByteBuf out, ReplyTerms terms, int status) {
        begin(out, terms, status);
        if (status != 204 && status != 304) {
            field(out, "Content-Length", "0");
        }
        end(out, terms);
    }

    public void writeError(ByteBuf out, ReplyTerms terms, Refusal refusal) {
        writeError(out, terms, refusal, errorBody(refusal.code(), refusal.reason()));
    }

    /** An error that passes: in so many ms one of the same kind will be taken. */
    public void writeError(ByteBuf out, ReplyTerms terms, Code code, String reason, long afterMillis) {
        String body = errorBody(code, reason);
        String withAfter = body.substring(0, body.length() - 1) + ",\"after\":" + afterMillis + "}";
        String seconds = Long.toString(Math.ceilDiv(afterMillis, 1000));
        writeError(out, terms.with("Retry-After", seconds), Refusal.of(code, reason), withAfter);
    }

    private void writeError(ByteBuf out, ReplyTerms terms, Refusal refusal, String text) {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        begin(out, terms, refusal.status());
        field(out, "Content-Type", JSON);
        field(out, "Content-Length", Integer.toString(body.length));
        field(out, "Cache-Control", "no-store");
        required(out, terms, refusal.status());
        end(out, terms);
        if (!terms.headOnly()) {
            out.writeBytes(body);
        }
    }

    public void writeError(ByteBuf out, ReplyTerms terms, Code code, String reason) {
        writeError(out, terms, Refusal.of(code, reason));
    }

    /** The answer to a browser that asks before it sends a request to another origin. */
    public void writePreflight(ByteBuf out, ReplyTerms terms) {
        begin(out, terms, 204);
        if (terms.allowOrigin() != null) {
            field(out, "Access-Control-Allow-Methods", METHODS);
            field(out, "Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID, Cache-Control");
            field(out, "Access-Control-Max-Age", "600");
        }
        fieldUnlessGiven(out, terms, "Allow", METHODS);
        end(out, terms);
    }

    /**
     * The head of an answer without an end. What follows is in chunks where the client speaks
     * HTTP/1.1, else as it is until the connection closes; nothing follows a HEAD.
     */
    public void writeStreamHead(ByteBuf out, ReplyTerms terms, String contentType) {
        ReplyTerms streaming = terms.http11() ? terms : terms.closing();
        begin(out, streaming, 200);
        field(out, "Content-Type", contentType);
        field(out, "Cache-Control", "no-store");
        // Reverse proxies of the nginx family hold a stream back until their buffer is full unless told not to.
        field(out, "X-Accel-Buffering", "no");
        if (terms.http11()) {
            field(out, "Transfer-Encoding", "chunked");
        }
        end(out, streaming);
    }

    /** Tells a client that waits with its body to send it. */
    public static void writeContinue(ByteBuf out) {
        HttpChars.write(out, "HTTP/1.1 100 Continue\r\n\r\n");
    }

    /** {@code {"code":"...","reason":"..."}}. */
    static String errorBody(Code code, String reason) {
        StringBuilder json = new StringBuilder(64).append("{\"code\":\"").append(code.text());
        json.append("\",\"reason\":\"");
        for (int i = 0; i < reason.length(); i++) {
            appendEscaped(json, reason.charAt(i));
        }
        return json.append("\"}").toString();
    }

    private static void appendEscaped(StringBuilder json, char c) {
        if (c == '"' || c == '\\') {
            json.append('\\').append(c);
        } else if (c < ' ' || c == 0x7f || Character.isSurrogate(c)) {
            json.append(String.format("\\u%04x", (int) c));
        } else {
            json.append(c);
        }
    }

    private void begin(ByteBuf out, ReplyTerms terms, int status) {
        HttpChars.write(out, "HTTP/1.1 ");
        HttpChars.write(out, Integer.toString(status));
        out.writeByte(' ');
        HttpChars.write(out, phrase(status));
        out.writeByte('\r').writeByte('\n');
        field(out, "Date", date());
        if (!terms.keepAlive() && status != 426) {
            field(out, "Connection", "close");
        } else if (terms.keepAlive() && !terms.http11()) {
            field(out, "Connection", "keep-alive");
        }
        String allowOrigin = terms.allowOrigin();
        if (allowOrigin != null) {
            field(out, "Access-Control-Allow-Origin", allowOrigin);
            if (!allowOrigin.equals("*")) {
                field(out, "Vary", "Origin");
            }
        }
    }

    /** Fields that a status must or should come with (RFC 9110, section 15). */
    private static void required(ByteBuf out, ReplyTerms terms, int status) {
        switch (status) {
            case 401 -> fieldUnlessGiven(out, terms, "WWW-Authenticate", "Bearer");
            case 405 -> fieldUnlessGiven(out, terms, "Allow", METHODS);
            case 426 -> {
                field(out, "Upgrade", "websocket");
                field(out, "Connection", terms.keepAlive() ? "Upgrade" : "Upgrade, close");
                field(out, "Sec-WebSocket-Version", "13");
            }
            case 429 -> retryAfter(out, terms, "1");
            case 503 -> retryAfter(out, terms, "5");
            default -> {}
        }
    }

    private static void retryAfter(ByteBuf out, ReplyTerms terms, String seconds) {
        fieldUnlessGiven(out, terms, "Retry-After", seconds);
        if (terms.allowOrigin() != null) {
            // Else a page of another origin cannot read it.
            field(out, "Access-Control-Expose-Headers", "Retry-After");
        }
    }

    private static void end(ByteBuf out, ReplyTerms terms) {
        for (ReplyTerms.Header header : terms.headers()) {
            field(out, header.name(), header.value());
        }
        out.writeByte('\r').writeByte('\n');
    }

    private static void fieldUnlessGiven(ByteBuf out, ReplyTerms terms, String name, String value) {
        if (!terms.has(name)) {
            field(out, name, value);
        }
    }

    private static void field(ByteBuf out, String name, String value) {
        HttpChars.write(out, name);
        out.writeByte(':').writeByte(' ');
        HttpChars.write(out, value);
        out.writeByte('\r').writeByte('\n');
    }

    private String date() {
        long second = Math.floorDiv(wallClockMillis.getAsLong(), 1000L);
        if (second != dateSecond) {
            dateSecond = second;
            date = DATE.format(Instant.ofEpochSecond(second));
        }
        return date;
    }

    private static String phrase(int status) {
        return switch (status) {
            case 101 -> "Switching Protocols";
            case 200 -> "OK";
            case 204 -> "No Content";
            case 301 -> "Moved Permanently";
            case 302 -> "Found";
            case 304 -> "Not Modified";
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 409 -> "Conflict";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 417 -> "Expectation Failed";
            case 426 -> "Upgrade Required";
            case 429 -> "Too Many Requests";
            case 431 -> "Request Header Fields Too Large";
            case 500 -> "Internal Server Error";
            case 501 -> "Not Implemented";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            case 505 -> "HTTP Version Not Supported";
            default -> "Status";
        };
    }
}

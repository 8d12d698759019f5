package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes HTTP/1.1 responses into buffers of the caller, which also releases them. Owner: one loop, which uses one
 * writer for all its connections, because the Date field is rendered once per second.
 */
public final class HttpResponses {
    public static final String JSON = "application/json";
    public static final String EVENT_STREAM = "text/event-stream";
    public static final String NDJSON = "application/x-ndjson";

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);
    private static final String SESSION = "Belfry-Session";
    private static final String PING = "Belfry-Ping";
    private static final String METHODS = "GET, HEAD, POST, OPTIONS";
    private static final String ALLOWED_HEADERS =
            "Authorization, Content-Type, Last-Event-ID, Cache-Control, Traceparent, Tracestate";

    private final LongSupplier wallClockMillis;
    private long dateSecond = Long.MIN_VALUE;
    private String date = "";

    /** Creates a writer; the clock returns milliseconds since 1970. */
    public HttpResponses(LongSupplier wallClockMillis) {
        this.wallClockMillis = wallClockMillis;
    }

    /** Writes a complete response; copies the readable bytes of the body and leaves its indices unchanged. */
    public void write(ByteBuf out, ReplyTerms terms, int status, String contentType, ByteBuf body) {
        begin(out, terms, status);
        field(out, "Content-Type", contentType);
        field(out, "Content-Length", Integer.toString(body.readableBytes()));
        end(out, terms);
        if (!terms.headOnly()) {
            out.writeBytes(body, body.readerIndex(), body.readableBytes());
        }
    }

    /**
     * Writes the answer to HEAD without a Content-Length, if only the work of GET would show the length (RFC 9110,
     * 9.3.2).
     */
    public void writeHeadOnly(ByteBuf out, ReplyTerms terms, String contentType) {
        begin(out, terms, 200);
        field(out, "Content-Type", contentType);
        end(out, terms);
    }

    /** Writes a complete response without a body. */
    public void writeEmpty(ByteBuf out, ReplyTerms terms, int status) {
        begin(out, terms, status);
        if (status != 204 && status != 304) {
            field(out, "Content-Length", "0");
        }
        end(out, terms);
    }

    /** Writes the error response for a refusal. */
    public void writeError(ByteBuf out, ReplyTerms terms, Refusal refusal) {
        writeError(out, terms, refusal, errorBody(refusal.code(), refusal.reason()));
    }

    /** Writes a temporary error, with the time in ms after which the client may retry. */
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

    /** Writes an error response with the status of the code. */
    public void writeError(ByteBuf out, ReplyTerms terms, Code code, String reason) {
        writeError(out, terms, Refusal.of(code, reason));
    }

    /** Writes the answer to a CORS preflight request. */
    public void writePreflight(ByteBuf out, ReplyTerms terms) {
        begin(out, terms, 204);
        if (terms.allowOrigin() != null) {
            field(out, "Access-Control-Allow-Methods", METHODS);
            field(out, "Access-Control-Allow-Headers", ALLOWED_HEADERS);
            field(out, "Access-Control-Max-Age", "600");
        }
        fieldUnlessGiven(out, terms, "Allow", METHODS);
        end(out, terms);
    }

    /**
     * Writes the head of a streaming response. For HTTP/1.1 the body is sent in chunks; for HTTP/1.0 the body ends
     * with the connection. An answer to HEAD has no body.
     *
     * @param session the name of the session, in printable ASCII; null for an answer to HEAD, which opens no session
     * @param pingMillis the ping interval in ms of a client that requested one, otherwise 0
     */
    public void writeStreamHead(
            ByteBuf out, ReplyTerms terms, String contentType, @Nullable String session, int pingMillis) {
        ReplyTerms streaming = terms.http11() ? terms : terms.closing();
        begin(out, streaming, 200);
        field(out, "Content-Type", contentType);
        field(out, "Cache-Control", "no-store");
        // Reverse proxies such as nginx buffer a stream until their buffer is full unless this field disables it.
        field(out, "X-Accel-Buffering", "no");
        if (session != null) {
            field(out, SESSION, session);
            if (pingMillis > 0) {
                field(out, PING, Integer.toString(pingMillis));
            }
            if (terms.allowOrigin() != null) {
                // Without this field a page of another origin cannot read these fields.
                field(out, "Access-Control-Expose-Headers", pingMillis > 0 ? SESSION + ", " + PING : SESSION);
            }
        }
        if (terms.http11()) {
            field(out, "Transfer-Encoding", "chunked");
        }
        end(out, streaming);
    }

    /** Writes a 100 response to a client that waits before it sends the body. */
    public static void writeContinue(ByteBuf out) {
        HttpChars.write(out, "HTTP/1.1 100 Continue\r\n\r\n");
    }

    /** Returns the body of an error: {@code {"code":"...","reason":"..."}}. */
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

    /** Writes the fields that RFC 9110, section 15 requires or recommends for a status. */
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
            // Without this field a page of another origin cannot read Retry-After.
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
            case 421 -> "Misdirected Request";
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

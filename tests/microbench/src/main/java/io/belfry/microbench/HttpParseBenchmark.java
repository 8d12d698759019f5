package io.belfry.microbench;

import io.belfry.server.codec.HandshakeResult;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.HttpRequestParser;
import io.belfry.server.codec.ParseResult;
import io.belfry.server.codec.WebSocketHandshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Parses the WebSocket upgrade request of a browser, and writes the response. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class HttpParseBenchmark {
    private static final String REQUEST = """
            GET /?room=42 HTTP/1.1\r
            Host: push.example.com:8800\r
            User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r
            Accept: */*\r
            Accept-Language: en-US,en;q=0.5\r
            Sec-WebSocket-Version: 13\r
            Origin: http://push.example.com:8800\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Connection: keep-alive, Upgrade\r
            Upgrade: websocket\r
            \r
            """;

    private final HttpRequestParser parser = new HttpRequestParser();
    private final WebSocketHandshake handshake = new WebSocketHandshake(false);
    private final ByteBuf in =
            PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(REQUEST.getBytes(StandardCharsets.ISO_8859_1));
    private final ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer();

    @TearDown
    public void release() {
        in.release();
        out.release();
    }

    @Benchmark
    public HttpRequest parse() {
        in.readerIndex(0);
        return ((ParseResult.Head) parser.parse(in)).request();
    }

    @Benchmark
    public int parseAndAccept() {
        in.readerIndex(0);
        out.clear();
        HttpRequest request = ((ParseResult.Head) parser.parse(in)).request();
        WebSocketHandshake.writeAccept(out, (HandshakeResult.Accepted) handshake.check(request));
        return out.readableBytes();
    }

    /** The naive alternative: strings and a map, without validation. */
    @Benchmark
    public Map<String, String> naive() {
        String[] lines =
                in.toString(0, in.writerIndex(), StandardCharsets.ISO_8859_1).split("\r\n", -1);
        Map<String, String> fields = new HashMap<>();
        for (int i = 1; i < lines.length && !lines[i].isEmpty(); i++) {
            int colon = lines[i].indexOf(':');
            fields.put(
                    lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                    lines[i].substring(colon + 1).strip());
        }
        fields.put("", lines[0]);
        return fields;
    }
}

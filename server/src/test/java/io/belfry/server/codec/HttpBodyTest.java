package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class HttpBodyTest {
    private static final int MAX = 64;
    private static final int FIRST = 16;

    private static final String CHUNKED =
            "5\r\nhello\r\n00A;ext=\"v\";x\r\n, chunked \r\n1\r\n\r\r\n0\r\nTrailer: x\r\nEmpty:\r\n\r\n";

    private final Bytes bytes = Bytes.heap();

    @Test
    void aRequestWithoutABodyIsCompleteAtOnce() {
        HttpBody body = new LengthBody(0, MAX, FIRST);

        assertThat(body.read(Unpooled.EMPTY_BUFFER)).isEqualTo(new BodyResult.Complete(Unpooled.EMPTY_BUFFER));
        body.release();
    }

    @Test
    void aBodyReceivedInOnePieceIsNotCopied() {
        ByteBuf in = bytes.of("12345rest".getBytes(StandardCharsets.US_ASCII));
        HttpBody body = new LengthBody(5, MAX, FIRST);

        BodyResult result = body.read(in);

        assertThat(content(result)).isEqualTo("12345");
        assertThat(Bytes.latin1(in)).isEqualTo("rest");
        assertThat(in.refCnt()).isEqualTo(2);
        body.release();
        body.release();
        in.release();
        assertThat(bytes.unreleased()).isZero();
    }

    @Test
    void aBodyReceivedInPiecesIsJoinedAndTheNextRequestUnread() {
        assertEverySplit("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", "hello world", "hello world");
    }

    @Test
    void chunksAreJoinedWithoutExtensionsAndTrailers() {
        assertEverySplit(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", CHUNKED, "hello, chunked \r");
        assertEverySplit("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\n\r\n", "");
    }

    private void assertEverySplit(String head, String wire, String content) {
        HttpRequest request = ((ParseResult.Head) new HttpRequestParser().parse(Bytes.latin1(head))).request();
        byte[] all = (wire + "next").getBytes(StandardCharsets.ISO_8859_1);
        for (int split = 0; split < wire.length(); split++) {
            for (int second = split; second < wire.length(); second++) {
                HttpBody body = HttpBody.of(request, MAX, FIRST);
                assertThat(readAll(body, all, 0, split)).isEqualTo(BodyResult.NeedMore.INSTANCE);
                assertThat(readAll(body, all, split, second)).isEqualTo(BodyResult.NeedMore.INSTANCE);
                ByteBuf rest = bytes.of(all, second, all.length);
                assertThat(content(body.read(rest))).isEqualTo(content);
                assertThat(Bytes.latin1(rest)).isEqualTo("next");
                rest.release();
                body.release();
                assertThat(bytes.unreleased()).isZero();
            }
        }
    }

    private BodyResult readAll(HttpBody body, byte[] all, int from, int to) {
        ByteBuf in = bytes.of(all, from, to);
        BodyResult result = body.read(in);
        assertThat(in.isReadable()).isFalse();
        in.release();
        return result;
    }

    @Test
    void anAnnouncedBodyAllocatesOnlyTheFirstBufferAtFirst() {
        HttpBody body = new LengthBody(MAX, MAX, FIRST);
        HttpBody chunked = new ChunkedBody(MAX, FIRST);

        assertThat(readAll(body, "x".getBytes(StandardCharsets.US_ASCII), 0, 1))
                .isEqualTo(BodyResult.NeedMore.INSTANCE);
        assertThat(bytes.unreleased()).isEqualTo(FIRST);
        body.release();
        assertThat(readAll(chunked, "40\r\nx".getBytes(StandardCharsets.US_ASCII), 0, 5))
                .isEqualTo(BodyResult.NeedMore.INSTANCE);
        assertThat(bytes.unreleased()).isEqualTo(FIRST);
        chunked.release();
    }

    @Test
    void aLengthOverTheBoundIsRefusedBeforeTheFirstByte() {
        assertThat(new LengthBody(MAX + 1, MAX, FIRST).read(Unpooled.EMPTY_BUFFER))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.status()).isEqualTo(413));
        assertThat(new LengthBody(Long.MAX_VALUE, MAX, FIRST).read(Unpooled.EMPTY_BUFFER))
                .isInstanceOf(Refusal.class);
        assertThat(new LengthBody(MAX, MAX, FIRST).read(Unpooled.EMPTY_BUFFER)).isEqualTo(BodyResult.NeedMore.INSTANCE);
    }

    @Test
    void aChunkOverTheBoundIsRefusedBeforeItsFirstByte() {
        assertThat(chunked("41\r\n")).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.status()).isEqualTo(413);
            assertThat(refusal.code()).isEqualTo(Code.MESSAGE_TOO_LARGE);
        });
        assertThat(chunked("3f\r\n" + "x".repeat(63) + "\r\n2\r\n")).isInstanceOf(Refusal.class);
        assertThat(chunked("40\r\n" + "x".repeat(64) + "\r\n0\r\n\r\n")).isInstanceOf(BodyResult.Complete.class);
    }

    @TestFactory
    Stream<DynamicTest> malformedChunksAreRefused() {
        return List.of(
                        "\r\n",
                        " 5\r\n",
                        "5 \r\n",
                        "5 ;a\r\n",
                        "5\t\r\n",
                        "-5\r\n",
                        "+5\r\n",
                        "0x5\r\n",
                        "g\r\n",
                        "5\n",
                        "5\rh",
                        "5;a\nh",
                        "5;a\r\rh",
                        "5;\u0000",
                        ";a\r\n",
                        "000000005\r\n",
                        "100000005\r\n",
                        "5\r\nhello5",
                        "5\r\nhello\n",
                        "5\r\nhello\r5",
                        "5\r\nhelloo\r\n",
                        "0\r\n\n",
                        "0\r\n\rx",
                        "0\r\n: x\r\n",
                        "0\r\nX : x\r\n",
                        "0\r\n X: x\r\n",
                        "0\r\nX\r\n",
                        "0\r\nX: a\n",
                        "0\r\nX: a\r\r",
                        "0\r\nX: \u0001")
                .stream()
                .map(wire -> DynamicTest.dynamicTest(
                        wire.replace("\r", "CR ").replace("\n", "LF "),
                        () -> assertThat(chunked(wire)).isInstanceOfSatisfying(Refusal.class, refusal -> {
                            assertThat(refusal.code()).isEqualTo(Code.BAD_HTTP);
                            assertThat(refusal.status()).isEqualTo(400);
                        })));
    }

    @Test
    void endlessExtensionsAndTrailersAreRefused() {
        assertThat(chunked("1;" + "x".repeat(5000)))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.status()).isEqualTo(431));
        assertThat(chunked("0\r\n" + "X: y\r\n".repeat(2000))).isInstanceOf(Refusal.class);
        assertThat(chunked(("1;" + "x".repeat(200) + "\r\nx\r\n").repeat(30))).isInstanceOf(Refusal.class);
    }

    @Test
    void randomChunksInRandomPiecesYieldTheBody() {
        Random random = new Random(7);
        for (int round = 0; round < 500; round++) {
            byte[] data = new byte[random.nextInt(20_000)];
            random.nextBytes(data);
            ByteBuf wire = Unpooled.buffer();
            for (int at = 0; at < data.length; ) {
                int chunk = Math.min(data.length - at, 1 + random.nextInt(5000));
                HttpChunks.writeHeader(wire, chunk);
                wire.writeBytes(data, at, chunk);
                HttpChunks.writeEnd(wire);
                at += chunk;
            }
            HttpChunks.writeLast(wire);
            HttpBody body = new ChunkedBody(20_000, FIRST);
            BodyResult result = BodyResult.NeedMore.INSTANCE;
            while (wire.isReadable()) {
                ByteBuf piece = bytes.of(new byte[0]);
                piece.writeBytes(wire, Math.min(wire.readableBytes(), 1 + random.nextInt(3000)));
                result = body.read(piece);
                piece.release();
            }
            assertThat(result).isEqualTo(new BodyResult.Complete(Unpooled.wrappedBuffer(data)));
            body.release();
        }
        assertThat(bytes.unreleased()).isZero();
    }

    @Test
    void aTruncatedBodyReleasesItsBuffer() {
        HttpBody body = new LengthBody(10, MAX, FIRST);
        readAll(body, new byte[4], 0, 4);
        body.release();
        HttpBody chunked = new ChunkedBody(MAX, FIRST);
        readAll(chunked, "5\r\nhe".getBytes(StandardCharsets.US_ASCII), 0, 5);
        chunked.release();

        assertThat(bytes.unreleased()).isZero();
    }

    private BodyResult chunked(String wire) {
        HttpBody body = new ChunkedBody(MAX, FIRST);
        ByteBuf in = bytes.of(wire.getBytes(StandardCharsets.ISO_8859_1));
        BodyResult result = body.read(in);
        in.release();
        body.release();
        assertThat(bytes.unreleased()).isZero();
        return result;
    }

    private static String content(BodyResult result) {
        assertThat(result).isInstanceOf(BodyResult.Complete.class);
        return Bytes.latin1(((BodyResult.Complete) result).content());
    }
}

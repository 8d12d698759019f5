package io.belfry.server.cluster;

import static io.belfry.server.cluster.PlayedClusterLane.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.belfry.server.config.HeaderConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the headers of Kafka's records: those of messages, those of nodes, and those of other programs. */
class HeaderMappingTest {
    private final LoopCounters counters = new LoopCounters();
    private final HeaderMapping mapping = new HeaderMapping(new HeaderConfig(4, 60), 1000, counters);

    private static List<Header> written(Map<String, String> headers) {
        ByteBuf block = Unpooled.buffer();
        MessageHeaders.write(block, headers);
        List<Header> written = new ArrayList<>();
        HeaderMapping.write(block, 0, block.writerIndex(), written::add);
        return written;
    }

    private Map<String, String> read(Iterable<Header> headers) {
        return read(headers, 900);
    }

    private Map<String, String> read(Iterable<Header> headers, int dataLength) {
        int length = mapping.read(new RecordHeaders(headers), dataLength, true);
        return MessageHeaders.of(
                new MessageView().data(Unpooled.EMPTY_BUFFER, 0, 0).headers(mapping.block(), 0, length));
    }

    private static Header header(String name, byte @Nullable [] value) {
        return new RecordHeader(name, value);
    }

    private long omitted() {
        return counters.value(Counter.CLUSTER_HEADERS_OMITTED);
    }

    @Test
    void everyNameComesBackAndNoneIsTakenForThatOfANode() {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String name : List.of("id", "~id", "größe", "~x")) {
            headers.put(name, "é");
        }
        List<Header> written = written(headers);
        assertThat(written).extracting(Header::key).containsExactly("~id", "~~id", "größe", "~x");
        List<Header> record = new ArrayList<>(Headers.of(utf8("msg-1"), 5));
        record.addAll(written);
        assertThat(List.copyOf(read(record).entrySet())).isEqualTo(List.copyOf(headers.entrySet()));
        assertThat(Headers.messageId(new RecordHeaders(record))).isEqualTo(utf8("msg-1"));
        assertThat(omitted()).isZero();
    }

    @Test
    void aRecordWithoutHeadersOfItsMessageHasNone() {
        assertThat(read(List.of())).isEmpty();
        assertThat(read(Headers.ofServer(Headers.of(utf8("a"), 7)))).isEmpty();
        assertThat(omitted()).isZero();
    }

    @Test
    void headersThatNoClientCouldPublishAreOmittedAndCounted() {
        assertThat(read(List.of(
                        header("good", utf8("1")),
                        header("", utf8("x")),
                        header("$user", utf8("forged")),
                        header("control\u0001", utf8("x")),
                        header("n".repeat(65), utf8("x")),
                        header("null", null),
                        header("bytes", new byte[] {(byte) 0xff}))))
                .isEqualTo(Map.of("good", "1"));
        assertThat(omitted()).isEqualTo(6);
    }

    @Test
    void headersBeyondALimitAreOmittedAndCounted() {
        List<Header> six = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            six.add(header("h" + i, utf8("v")));
        }
        assertThat(read(six)).containsOnlyKeys("h0", "h1", "h2", "h3");
        assertThat(omitted()).isEqualTo(2);
        assertThat(read(List.of(header("large", new byte[100]), header("small", utf8("v")))))
                .containsOnlyKeys("small");
        assertThat(omitted()).isEqualTo(3);
        List<Header> thousand = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            thousand.add(header("h", utf8("v" + i)));
        }
        assertThat(read(thousand)).isEqualTo(Map.of("h", "v63"));
        assertThat(omitted()).isEqualTo(3 + 1000 - 64);
    }

    @Test
    void headersThatMakeTheMessageTooLargeAreOmitted() {
        List<Header> headers = List.of(header("a", utf8("v".repeat(20))));
        assertThat(read(headers, 974)).containsOnlyKeys("a");
        assertThat(read(headers, 975)).isEmpty();
        assertThat(read(headers, 1000)).isEmpty();
        assertThat(omitted()).isEqualTo(2);
    }

    @Test
    void ofSeveralHeadersOfOneNameTheLastCounts() {
        assertThat(read(List.of(header("a", utf8("1")), header("b", utf8("2")), header("a", utf8("3")))))
                .isEqualTo(Map.of("a", "3", "b", "2"));
        assertThat(omitted()).isZero();
    }

    @Test
    void headersOfTheServerAreTrustedFromNodesOnly() {
        List<Header> headers = List.of(
                header("a", utf8("1")),
                header("$publisher", utf8("ann")),
                header("$origin", utf8("KFzaHGfZEY_lBa7F")),
                header("$ttl", utf8("5000")));
        assertThat(List.copyOf(read(headers).entrySet()).toString())
                .isEqualTo("[$ttl=5000, a=1, $publisher=ann, $origin=KFzaHGfZEY_lBa7F]");
        int length = mapping.read(new RecordHeaders(headers), 0, false);
        MessageView view = new MessageView().data(mapping.block(), 0, 0).headers(mapping.block(), 0, length);
        assertThat(MessageHeaders.of(view).keySet()).containsExactly("$ttl", "a");
        assertThat(read(List.of(header("$other", utf8("x"))))).isEmpty();
    }
}

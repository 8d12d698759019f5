package io.belfry.microbench;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The path of a message through one lane without sockets: from a decoded publish to the bytes written to the outbound of
 * each session, for one large fan-out and for single subscribers. With {@code -prof gc} the bytes per operation are the
 * garbage per delivery.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "-XX:+UseCompactObjectHeaders",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dio.netty.buffer.checkBounds=false",
            "-Dio.netty.buffer.checkAccessible=false"
        })
public class LaneBenchmark {
    private static final int SESSIONS = 10_000;
    private static final int DATA_BYTES = 512;
    private static final int PER_TURN = 50;

    @Param({"0", "1000"})
    public int cacheSize;

    private final PublishRequest request = new PublishRequest();
    private final ByteBuf buffer = Unpooled.directBuffer(1024);
    private SocketlessLane lane;
    private Session publisher;
    private int next;

    @Setup
    public void open() {
        lane = new SocketlessLane("CacheSize=" + cacheSize, "Limit.PublishRate=0");
        for (int i = 0; i < SESSIONS; i++) {
            Session session = openSession();
            subscribe(session, "/f");
            subscribe(session, own(i));
        }
        publisher = openSession();
        lane.turn();
    }

    private Session openSession() {
        return lane.open(new RoutingMemory.DiscardingOutbound(), BelfryFormat.WEBSOCKET_BINARY);
    }

    private void subscribe(Session session, String subject) {
        byte[] bytes = subject.getBytes(StandardCharsets.US_ASCII);
        lane.lane()
                .commands(session)
                .onSubscribe(CommandHandler.NO_ID, new SubscribeRequest(List.of(bytes), null, 0, 0));
    }

    private static String own(int i) {
        return "/p/s%08d".formatted(i);
    }

    /** Delivers one message to ten thousand sessions; measures the time per delivery. */
    @Benchmark
    @OperationsPerInvocation(SESSIONS)
    public void fanOut() {
        publish("/f".getBytes(StandardCharsets.US_ASCII));
        lane.turn();
    }

    /** Delivers sixteen messages of one turn to ten thousand sessions; measures the time per delivery. */
    @Benchmark
    @OperationsPerInvocation(SESSIONS * 16)
    public void fanOutInBursts() {
        for (int i = 0; i < 16; i++) {
            publish("/f".getBytes(StandardCharsets.US_ASCII));
        }
        lane.turn();
    }

    /** Publishes fifty messages a turn to one subscriber each; measures the time per publish with its delivery. */
    @Benchmark
    @OperationsPerInvocation(PER_TURN)
    public void oneToOne() {
        for (int i = 0; i < PER_TURN; i++) {
            next = next + 1 < SESSIONS ? next + 1 : 0;
            publishOwn(next);
        }
        lane.turn();
    }

    private void publish(byte[] subject) {
        buffer.clear().writeBytes(subject).writeZero(DATA_BYTES);
        publish(subject.length);
    }

    private void publishOwn(int own) {
        buffer.clear();
        buffer.writeLong(0x2f702f7330303030L).writeInt(0);
        int rest = own;
        for (int at = 11; at > 3; at--) {
            buffer.setByte(at, '0' + rest % 10);
            rest /= 10;
        }
        buffer.writeZero(DATA_BYTES);
        publish(12);
    }

    private void publish(int subjectLength) {
        request.start(PublishRequest.NO_ID, buffer, false)
                .subject(0, subjectLength)
                .data(subjectLength, DATA_BYTES);
        lane.lane().commands(publisher).onPublish(request);
    }
}

package io.belfry.microbench;

import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.DeltaEncoder;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.PublishTerms;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Bytes and processor time of a running server per delivery, with and without deltas, of the streams of {@link JsonStreams}: one
 * subject, JSON over WebSocket. Runs with and without deltas alternate. Without arguments it only times the encoder. Arguments:
 * port and process id of the server, subscribers, messages, messages per second, pairs.
 */
public final class DeltaStreams {
    private static final long SEED = 7;
    private static final List<String> STREAMS = List.of("book", "scores", "chat");
    private static final int TICKS_PER_SECOND = 100;

    private final int port;
    private final Path stat;
    private final ClientEncoding encoding = new JsonClientEncoding();
    private final AtomicLong received = new AtomicLong();

    private DeltaStreams(int port, String process) {
        this.port = port;
        stat = Path.of("/proc", process, "stat");
    }

    /** Prints a line for each run, and the medians of each stream. */
    public static void main(String... arguments) throws IOException {
        STREAMS.forEach(DeltaStreams::encoder);
        if (arguments.length == 0) {
            return;
        }
        int[] numbers = Arrays.stream(arguments).mapToInt(Integer::parseInt).toArray();
        DeltaStreams here = new DeltaStreams(numbers[0], arguments[1]);
        for (String stream : STREAMS) {
            List<String> messages = JsonStreams.of(stream, numbers[3], SEED);
            List<double[]> whole = new ArrayList<>();
            List<double[]> deltas = new ArrayList<>();
            here.run(stream, messages, numbers[2], numbers[4], false);
            for (int pair = 0; pair < numbers[5]; pair++) {
                whole.add(here.run(stream, messages, numbers[2], numbers[4], false));
                deltas.add(here.run(stream, messages, numbers[2], numbers[4], true));
            }
            System.out.printf(
                    Locale.ROOT,
                    "%s: bytes per delivery %.1f whole, %.1f deltas, saved %.1f %%; CPU per delivery %.2f us whole, %.2f us deltas;"
                            + " median of the pairs' ratios %.3f%n",
                    stream,
                    median(whole, 0),
                    median(deltas, 0),
                    100 - 100 * median(deltas, 0) / median(whole, 0),
                    median(whole, 1),
                    median(deltas, 1),
                    ratio(whole, deltas));
        }
    }

    private static double median(List<double[]> runs, int figure) {
        double[] sorted = runs.stream().mapToDouble(run -> run[figure]).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static double ratio(List<double[]> whole, List<double[]> deltas) {
        double[] ratios = new double[whole.size()];
        Arrays.setAll(ratios, i -> deltas.get(i)[1] / whole.get(i)[1]);
        Arrays.sort(ratios);
        return ratios[ratios.length / 2];
    }

    /** Prints the size of the data and the deltas, and the time to make a delta. */
    private static void encoder(String stream) {
        List<byte[]> messages = JsonStreams.of(stream, 1001, SEED).stream()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toList();
        DeltaEncoder encoder = new DeltaEncoder();
        long data = 0;
        long sent = 0;
        long used = 0;
        long nanos = Long.MAX_VALUE;
        for (int round = 0; round < 200; round++) {
            data = sent = used = 0;
            long start = System.nanoTime();
            for (int i = 1; i < messages.size(); i++) {
                byte[] base = messages.get(i - 1);
                byte[] next = messages.get(i);
                int length = encoder.encode(base, base.length, next, next.length, (next.length * 70 - 1) / 100);
                data += next.length;
                sent += length < 0 ? next.length : length;
                used += length < 0 ? 0 : 1;
            }
            nanos = Math.min(nanos, System.nanoTime() - start);
        }
        int count = messages.size() - 1;
        System.out.printf(
                Locale.ROOT,
                "%s: %d bytes of data, %d with deltas (%.1f %%), %.1f %% of the messages as deltas, %.2f us each%n",
                stream,
                data / count,
                sent / count,
                100.0 * sent / data,
                100.0 * used / count,
                nanos / 1000.0 / count);
    }

    private double[] run(String stream, List<String> messages, int subscribers, int perSecond, boolean deltas)
            throws IOException {
        String subject = "/" + stream + "/" + System.nanoTime();
        byte[] name = subject.getBytes(StandardCharsets.UTF_8);
        List<SocketChannel> sockets = new ArrayList<>();
        try (Selector selector = Selector.open();
                Socket publisher = new Socket("127.0.0.1", port)) {
            handshake(publisher);
            ByteBuf frame = Unpooled.buffer();
            encoding.subscribe(frame, 1, new SubscribeRequest(List.of(name), null, null, 0, 0, deltas));
            for (int i = 0; i < subscribers; i++) {
                SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
                sockets.add(channel);
                handshake(channel.socket());
                channel.socket().getOutputStream().write(masked(frame));
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
            }
            Thread reader = new Thread(() -> read(selector));
            reader.start();
            awaitQuiet();
            received.set(0);
            double before = cpuMicros();
            publish(publisher, name, messages, perSecond);
            awaitQuiet();
            double micros = cpuMicros() - before;
            selector.close();
            double deliveries = (double) messages.size() * subscribers;
            System.out.printf(
                    Locale.ROOT,
                    "%s %s: %.1f bytes, %.2f us of CPU per delivery%n",
                    stream,
                    deltas ? "deltas" : "whole",
                    received.get() / deliveries,
                    micros / deliveries);
            return new double[] {received.get() / deliveries, micros / deliveries};
        } finally {
            for (SocketChannel each : sockets) {
                each.close();
            }
        }
    }

    private void publish(Socket to, byte[] subject, List<String> messages, int perSecond) throws IOException {
        long start = System.nanoTime();
        ByteBuf frame = Unpooled.buffer();
        for (int i = 0; i < messages.size(); i++) {
            ByteBuf data = Unpooled.wrappedBuffer(messages.get(i).getBytes(StandardCharsets.UTF_8));
            encoding.publish(frame.clear(), Long.MIN_VALUE, subject, data, PublishTerms.PLAIN);
            to.getOutputStream().write(masked(frame));
            long due = start + (i + 1) * TimeUnit.SECONDS.toNanos(1) / perSecond;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
        }
    }

    private void read(Selector selector) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 18);
        try {
            while (selector.isOpen()) {
                selector.select(key -> {
                    try {
                        int count = ((SocketChannel) key.channel()).read(buffer.clear());
                        received.addAndGet(Math.max(0, count));
                        if (count < 0) {
                            key.cancel();
                        }
                    } catch (IOException e) {
                        key.cancel();
                    }
                });
            }
        } catch (java.nio.channels.ClosedSelectorException closed) {
            // The run is over.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until nothing has arrived for half a second. */
    private void awaitQuiet() {
        long last = -1;
        while (received.get() != last) {
            last = received.get();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
        }
    }

    private double cpuMicros() throws IOException {
        String text = Files.readString(stat);
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 1e6 / TICKS_PER_SECOND;
    }

    private static void handshake(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        socket.getOutputStream()
                .write(
                        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                        + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: belfry.json.v1\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
        int newlines = 0;
        while (newlines < 4) {
            int next = socket.getInputStream().read();
            newlines = next == '\r' || next == '\n' ? newlines + 1 : 0;
            if (next < 0) {
                throw new IOException("refused");
            }
        }
    }

    /** Returns a text frame that is masked with zeros. */
    private static byte[] masked(ByteBuf text) {
        int length = text.readableBytes();
        ByteBuf frame = Unpooled.buffer(length + 14).writeByte(0x81);
        if (length < 126) {
            frame.writeByte(0x80 | length);
        } else {
            frame.writeByte(0x80 | 126).writeShort(length);
        }
        frame.writeInt(0).writeBytes(text, text.readerIndex(), length);
        byte[] bytes = new byte[frame.readableBytes()];
        frame.readBytes(bytes);
        return bytes;
    }
}

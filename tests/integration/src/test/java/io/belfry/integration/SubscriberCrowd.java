package io.belfry.integration;

import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventHandler;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Thousands of subscribers of one subject on one thread; each checks its messages. Owner: the test's thread. */
final class SubscriberCrowd implements AutoCloseable {
    private static final int BUFFER_BYTES = 8192;

    private final Selector selector;
    private final List<Member> members = new ArrayList<>();

    SubscriberCrowd(int port, int size, String subject) {
        this(port, size, subject, member -> List.of());
    }

    /** Connects the members, each with further headers of its own. */
    SubscriberCrowd(int port, int size, String subject, IntFunction<List<String>> headers) {
        try {
            selector = Selector.open();
            for (int i = 0; i < size; i++) {
                SocketChannel channel =
                        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                channel.configureBlocking(false);
                Member member = new Member(channel);
                channel.register(selector, SelectionKey.OP_READ, member);
                members.add(member);
                channel.write(ByteBuffer.wrap(greeting(subject, headers.apply(i))));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the handshake and the subscription, to be sent in one write. */
    private static byte[] greeting(String subject, List<String> headers) {
        ByteBuf subscribe = Unpooled.buffer();
        SubscribeRequest request = new SubscribeRequest(List.of(TestClient.bytes(subject)), null, 0, 0);
        new BinaryClientEncoding().subscribe(subscribe, 1, request);
        byte[] payload = new byte[subscribe.readableBytes()];
        subscribe.readBytes(payload);
        byte[] frame = SocketFrames.frame(SocketFrames.FIN | SocketFrames.BINARY, payload);
        List<String> all = new ArrayList<>(headers);
        all.add(WireEncoding.BINARY.header());
        byte[] head = TestClient.bytes(SocketFrames.handshake("/", all));
        return ByteBuffer.allocate(head.length + frame.length)
                .put(head)
                .put(frame)
                .array();
    }

    void awaitSubscribed() {
        awaitEach(member -> member.subscribed);
    }

    void awaitMessages(int count) {
        awaitEach(member -> member.messages >= count);
    }

    int size() {
        return members.size();
    }

    /** Returns all faults that any member detected. */
    List<String> faults() {
        return members.stream().flatMap(member -> member.faults.stream()).toList();
    }

    private void awaitEach(Predicate<Member> condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!members.stream().allMatch(condition)) {
            if (System.nanoTime() - deadline > 0) {
                long met = members.stream().filter(condition).count();
                throw new AssertionError("only " + met + " of " + members.size() + "; faults: " + faults());
            }
            readSome();
        }
    }

    private void readSome() {
        try {
            selector.select(key -> ((Member) key.attachment()).read(key), 100);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            for (Member member : members) {
                member.channel.close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One subscriber. The data of the messages is numbered from 0, and their seqs have no holes. */
    private static final class Member implements ServerEventHandler {
        private final SocketChannel channel;
        private final ByteBuffer in = ByteBuffer.allocate(BUFFER_BYTES);
        private final BinaryServerEvents decoder = new BinaryServerEvents();
        private final List<String> faults = new ArrayList<>();
        private boolean upgraded;
        private boolean subscribed;
        private int messages;
        private long lastSeq = -1;

        private Member(SocketChannel channel) {
            this.channel = channel;
        }

        private void read(SelectionKey key) {
            try {
                if (channel.read(in) < 0) {
                    faults.add("closed by the server");
                    key.cancel();
                    return;
                }
            } catch (IOException e) {
                faults.add("connection error: " + e.getMessage());
                key.cancel();
                return;
            }
            in.flip();
            if (upgraded || readHead()) {
                readFrames();
            }
            in.compact();
        }

        private boolean readHead() {
            String text = StandardCharsets.ISO_8859_1.decode(in.duplicate()).toString();
            int end = text.indexOf("\r\n\r\n");
            if (end < 0) {
                return false;
            }
            if (!text.startsWith("HTTP/1.1 101 ")) {
                faults.add(text);
            }
            in.position(in.position() + end + 4);
            upgraded = true;
            return true;
        }

        private void readFrames() {
            while (in.remaining() >= 2) {
                int length = in.get(in.position() + 1);
                if (length > 125) {
                    faults.add("a frame longer than any that was published");
                    in.position(in.limit());
                    return;
                }
                if (in.remaining() < 2 + length) {
                    return;
                }
                int opcode = in.get(in.position()) & 0x0F;
                if (opcode == SocketFrames.BINARY) {
                    decoder.decode(Unpooled.wrappedBuffer(in), 2, length, this);
                } else {
                    faults.add("a frame with opcode " + opcode);
                }
                in.position(in.position() + 2 + length);
            }
        }

        @Override
        public void onMessage(MessageView message) {
            String data = message.data().toString(message.dataOffset(), message.dataLength(), StandardCharsets.UTF_8);
            if (!data.equals(Integer.toString(messages)) || (lastSeq >= 0 && message.seq() != lastSeq + 1)) {
                faults.add("message " + data + " with seq " + message.seq() + " at index " + messages);
            }
            lastSeq = message.seq();
            messages++;
        }

        @Override
        public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
            subscribed = true;
        }

        @Override
        public void onConnected(long id, ConnectedEvent event) {
            faults.add("connected");
        }

        @Override
        public void onUnsubscribed(long id, byte[] subject) {
            faults.add("unsubscribed");
        }

        @Override
        public void onPublished(long id, long epoch, long seq) {
            faults.add("published");
        }

        @Override
        public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
            faults.add("a gap: " + reason);
        }

        @Override
        public void onError(long id, String code, String reason, byte @Nullable [] subject) {
            faults.add(code + ": " + reason);
        }

        @Override
        public void onReconnect(long afterMillis, String reason) {
            faults.add("asked to reconnect");
        }

        @Override
        public void onBadEvent(String reason) {
            faults.add("invalid event: " + reason);
        }
    }
}

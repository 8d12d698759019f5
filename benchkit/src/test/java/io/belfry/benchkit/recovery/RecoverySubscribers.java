package io.belfry.benchkit.recovery;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reconnects all sessions as fast as the server answers, each with the position before its first message, and checks that
 * each receives every message in order. Owner: the loop.
 */
final class RecoverySubscribers {
    /** Maximum number of handshakes in progress. */
    private static final int OPENING_MAX = 512;

    private final ClientLoop loop;
    private final Route route;
    private final int messages;
    private final Position from;
    private final CompletableFuture<String> done = new CompletableFuture<>();
    private final BinaryClientEncoding encoding = new BinaryClientEncoding();
    private final BinaryServerEvents events = new BinaryServerEvents();
    private final ByteBuf command = Unpooled.buffer(256);
    private final long[] tookNanos;
    private long beganNanos;
    private int begun;
    private int opening;
    private int recovered;

    RecoverySubscribers(ClientLoop loop, Route route, int sessions, int messages, long epoch) {
        this.loop = loop;
        this.route = route;
        this.messages = messages;
        from = new Position(epoch, 0);
        tookNanos = new long[sessions];
    }

    /** Begins to connect; the result is a sentence with the times. */
    CompletableFuture<String> begin() {
        loop.run(() -> {
            beganNanos = loop.clock().getAsLong();
            connectMore();
        });
        return done;
    }

    private void connectMore() {
        while (begun < tookNanos.length && opening < OPENING_MAX) {
            opening++;
            loop.connect(route, new Session(begun++));
        }
    }

    private void recovered(long nanos) {
        tookNanos[recovered++] = nanos - beganNanos;
        if (recovered == tookNanos.length) {
            Arrays.sort(tookNanos);
            done.complete(String.format(
                    Locale.ROOT,
                    "%d sessions recovered %d messages each: half within %.2f s, all within %.2f s",
                    recovered,
                    messages,
                    tookNanos[recovered / 2] / 1e9,
                    tookNanos[recovered - 1] / 1e9));
        }
    }

    /** One session. Owner: the loop. */
    private final class Session extends RecoveryConnection {
        private final int index;
        private int seq;

        private Session(int index) {
            super(events, done);
            this.index = index;
        }

        @Override
        void failed(String reason) {
            super.failed("session " + index + ": " + reason);
        }

        @Override
        public void onOpen(ServerConnection connection) {
            opening--;
            connectMore();
            SubscribeRequest request = new SubscribeRequest(List.of(RecoveryProgram.subject(index)), from, 0, 0);
            encoding.subscribe(command.clear(), 1, request);
            connection.send(command, true);
        }

        @Override
        public void onMessage(MessageView message) {
            seq++;
            if (message.seq() != seq || message.epoch() != from.epoch() || message.type() != MessageType.RECOVERED) {
                failed("received position " + message.seq() + " instead of " + seq);
            }
            if (seq == messages) {
                recovered(readNanos);
            }
        }

        @Override
        public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
            if (recovery != Recovery.COMPLETE) {
                failed("the server reported recovery " + recovery.text());
            }
        }
    }
}

package io.belfry.benchkit.recovery;

import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventHandler;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A connection whose events are all failures except those that a subclass handles. Owner: the loop. */
abstract class RecoveryConnection implements ConnectionListener, ServerEventHandler {
    private final BinaryServerEvents events;
    private final CompletableFuture<String> done;
    /** When the bytes of the current event were read. */
    long readNanos;

    /** {@code events} may be shared by the connections of a loop; {@code done} receives the first failure. */
    RecoveryConnection(BinaryServerEvents events, CompletableFuture<String> done) {
        this.events = events;
        this.done = done;
    }

    /** Ends the program with this reason. */
    void failed(String reason) {
        done.completeExceptionally(new IllegalStateException(reason));
    }

    @Override
    public void onMessage(ServerConnection from, ByteBuf bytes, int offset, int length, boolean binary, long nanos) {
        readNanos = nanos;
        events.decode(bytes, offset, length, this);
    }

    @Override
    public void onMessage(MessageView message) {
        failed("unexpected event: message");
    }

    @Override
    public void onConnected(long id, ConnectedEvent event) {
        failed("unexpected event: connected");
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        failed("unexpected event: subscribed");
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject) {
        failed("unexpected event: unsubscribed");
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        failed("unexpected event: published");
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        failed("gap from " + from + " to " + to + ": " + reason);
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        failed("the server answered " + code + ": " + reason);
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        failed("the server asked clients to reconnect: " + reason);
    }

    @Override
    public void onBadEvent(String reason) {
        failed("the server sent an invalid event: " + reason);
    }

    @Override
    public void onEnd(Ending ending) {
        failed(ending.sentence());
    }
}

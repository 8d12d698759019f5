package io.belfry.benchkit.recovery;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.Route;
import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;

/**
 * Publishes to all subjects in turn, so that the messages of one lie far apart in a log, and waits for every
 * acknowledgement. Owner: the loop.
 */
final class Filling extends FewEvents {
    private static final int UNANSWERED_MAX = 4096;
    private static final int WRITE_COUNT = 64;

    private final ClientLoop loop;
    private final Route route;
    private final int sessions;
    private final long total;
    private final CompletableFuture<String> done = new CompletableFuture<>();
    private final BinaryClientEncoding encoding = new BinaryClientEncoding();
    private final BinaryServerEvents events = new BinaryServerEvents();
    private final ByteBuf command = Unpooled.buffer(256);
    private final ByteBuf data = Unpooled.wrappedBuffer(RecoveryProgram.data());
    private long sent;
    private long answered;

    Filling(ClientLoop loop, Route route, int sessions, int messages) {
        this.loop = loop;
        this.route = route;
        this.sessions = sessions;
        total = (long) sessions * messages;
    }

    /** In the end the epoch of what was published. */
    CompletableFuture<String> begin() {
        loop.run(() -> loop.connect(route, this));
        return done;
    }

    @Override
    public void onOpen(Connection opened) {
        send(opened);
    }

    private void send(Connection to) {
        while (sent < total && sent - answered < UNANSWERED_MAX && to.isWritable()) {
            ByteBuf frames = to.buffer();
            for (int i = 0; i < WRITE_COUNT && sent < total; i++) {
                sent++;
                encoding.publish(
                        command.clear(), sent, RecoveryProgram.subject((int) (sent % sessions)), data.duplicate());
                to.append(frames, command, true);
            }
            to.flush(frames);
        }
    }

    @Override
    public void onMessage(Connection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {
        events.decode(bytes, offset, length, this);
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        answered++;
        if (answered == total) {
            done.complete(Long.toString(epoch));
        }
    }

    @Override
    public void onReadEnd(Connection from, int bytes) {
        send(from);
    }

    @Override
    public void onWritable(Connection from, boolean writable) {
        if (writable) {
            send(from);
        }
    }

    @Override
    void failed(String why) {
        done.completeExceptionally(new IllegalStateException(why));
    }
}

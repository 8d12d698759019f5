package io.belfry.benchkit.recovery;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;

/**
 * Publishes to all subjects in turn, so that the messages of one subject are far apart in the log, and waits for every
 * acknowledgement. Owner: the loop.
 */
final class RecoveryPublisher extends RecoveryConnection {
    private static final int UNANSWERED_MAX = 4096;
    private static final int WRITE_COUNT = 64;

    private final CompletableFuture<String> done;
    private final int sessions;
    private final long total;
    private final BinaryClientEncoding encoding = new BinaryClientEncoding();
    private final ByteBuf command = Unpooled.buffer(256);
    private final ByteBuf data = Unpooled.wrappedBuffer(RecoveryProgram.data());
    private long sent;
    private long answered;

    private RecoveryPublisher(CompletableFuture<String> done, int sessions, int messages) {
        super(new BinaryServerEvents(), done);
        this.done = done;
        this.sessions = sessions;
        total = (long) sessions * messages;
    }

    /** Begins to publish; the result is the epoch of the messages. */
    static CompletableFuture<String> begin(ClientLoop loop, Route route, int sessions, int messages) {
        CompletableFuture<String> done = new CompletableFuture<>();
        loop.run(() -> loop.connect(route, new RecoveryPublisher(done, sessions, messages)));
        return done;
    }

    @Override
    public void onOpen(ServerConnection opened) {
        send(opened);
    }

    private void send(ServerConnection to) {
        while (sent < total && sent - answered < UNANSWERED_MAX && to.isWritable()) {
            ByteBuf frames = to.buffer();
            for (int i = 0; i < WRITE_COUNT && sent < total; i++) {
                sent++;
                byte[] subject = RecoveryProgram.subject((int) (sent % sessions));
                encoding.publish(command.clear(), sent, subject, data.duplicate());
                to.append(frames, command, true);
            }
            to.flush(frames);
        }
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        answered++;
        if (answered == total) {
            done.complete(Long.toString(epoch));
        }
    }

    @Override
    public void onReadEnd(ServerConnection from, int bytes) {
        send(from);
    }

    @Override
    public void onWritable(ServerConnection from, boolean writable) {
        if (writable) {
            send(from);
        }
    }
}

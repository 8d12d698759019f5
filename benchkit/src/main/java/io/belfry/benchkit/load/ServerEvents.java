package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.protocol.ServerEventHandler;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What the server tells the clients of one loop. Here is what concerns all of them: whose bytes are being read, and what
 * is counted as a surprise. Owner: the loop.
 */
abstract class ServerEvents<C extends LoadClient> implements ServerEventHandler {
    final Counts counts;
    final Surprises surprises;
    private final ServerEventDecoder[] decoders;
    private final Target target;
    private @Nullable C current;

    /** When the bytes at hand were read. */
    long readNanos;

    ServerEvents(Target target, Counts counts, Surprises surprises) {
        this.target = target;
        this.decoders = target.decoders();
        this.counts = counts;
        this.surprises = surprises;
    }

    final void read(C client, ByteBuf bytes, int offset, int length, long nanos) {
        current = client;
        readNanos = nanos;
        decoders[target.serverIndex(client.index)].decode(bytes, offset, length, this);
        current = null;
    }

    final void readEnd(int bytes) {
        counts.add(Count.BYTES_READ, bytes);
    }

    final C current() {
        if (current == null) {
            throw new IllegalStateException("an event outside a read");
        }
        return current;
    }

    /** The client could not do its work at all; {@code sentence} says why. */
    abstract void refused(C client, String code, String sentence);

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        counts.add(Count.ERRORS);
        String sentence = "the server answered " + code + ": " + reason;
        surprises.add(sentence);
        String about = subject == null ? "" : " (" + new String(subject, StandardCharsets.UTF_8) + ")";
        refused(current(), code, sentence + about);
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        counts.add(Count.RECONNECT_NOTICES);
        surprises.add("the server asks to reconnect: " + reason);
    }

    @Override
    public void onBadEvent(String reason) {
        counts.add(Count.ERRORS);
        surprises.add("the server sent what is no event: " + reason);
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        counts.add(Count.GAPS_ANNOUNCED);
        surprises.add("the server announced a gap: " + reason);
    }

    @Override
    public void onConnected(long id, String session, String node, long pingMillis, int maxMessage) {}

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {}

    @Override
    public void onUnsubscribed(long id, byte[] subject) {}

    @Override
    public void onPublished(long id, long epoch, long seq) {}
}

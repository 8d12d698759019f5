package io.belfry.benchkit.recovery;

import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventHandler;
import org.jspecify.annotations.Nullable;

/** A connection for which every event is a fault but those that a subclass knows. Owner: the loop. */
abstract class FewEvents implements ConnectionListener, ServerEventHandler {
    abstract void failed(String why);

    @Override
    public void onMessage(MessageView message) {
        failed("a message came");
    }

    @Override
    public void onConnected(long id, String session, String node, long pingMillis, int maxMessage) {
        failed("connected came");
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        failed("subscribed came");
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject) {
        failed("unsubscribed came");
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        failed("published came");
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        failed("a gap from " + from + " to " + to + ": " + reason);
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        failed("the server answered " + code + ": " + reason);
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        failed("the server asked to reconnect: " + reason);
    }

    @Override
    public void onBadEvent(String reason) {
        failed(reason);
    }

    @Override
    public void onEnd(Ending ending) {
        failed(ending.sentence());
    }
}

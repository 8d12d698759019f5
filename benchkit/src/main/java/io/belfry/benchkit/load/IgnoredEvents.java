package io.belfry.benchkit.load;

import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventHandler;
import org.jspecify.annotations.Nullable;

/** Ignores every server event; a subclass overrides the events that it needs. */
abstract class IgnoredEvents implements ServerEventHandler {
    @Override
    public void onMessage(MessageView message) {}

    @Override
    public void onConnected(long id, String session, String node, long pingMillis, int maxMessage) {}

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {}

    @Override
    public void onUnsubscribed(long id, byte[] subject) {}

    @Override
    public void onPublished(long id, long epoch, long seq) {}

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {}

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {}

    @Override
    public void onReconnect(long afterMillis, String reason) {}

    @Override
    public void onBadEvent(String reason) {}
}

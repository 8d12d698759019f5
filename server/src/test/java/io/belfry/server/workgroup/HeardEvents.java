package io.belfry.server.workgroup;

import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what a client hears. Owner: the test's thread. */
final class HeardEvents implements ServerEventHandler {
    final List<Heard> all = new ArrayList<>();

    private static String text(byte @Nullable [] subject) {
        return subject == null ? "" : new String(subject, StandardCharsets.UTF_8);
    }

    @Override
    public void onMessage(MessageView m) {
        all.add(new Heard(
                "message",
                CommandHandler.NO_ID,
                m.subject().toString(m.subjectOffset(), m.subjectLength(), StandardCharsets.UTF_8),
                m.data().toString(m.dataOffset(), m.dataLength(), StandardCharsets.UTF_8),
                m.epoch(),
                m.seq(),
                m.type().text()));
    }

    @Override
    public void onConnected(long id, String session, String node, long pingMillis, int maxMessage) {
        all.add(Heard.of("connected", id, "", session));
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        throw new AssertionError("the decoders tell of conflate");
    }

    /** The data of a subscription is its interval of conflation, where it has one. */
    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis) {
        long epoch = at == null ? -1 : at.epoch();
        long seq = at == null ? -1 : at.seq();
        String conflate = conflateMillis == 0 ? "" : String.valueOf(conflateMillis);
        all.add(new Heard("subscribed", id, text(subject), conflate, epoch, seq, recovery.text()));
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject) {
        throw new AssertionError("the decoders tell of the reason");
    }

    /** The kind of an ending is the code for which the server ended it. */
    @Override
    public void onUnsubscribed(long id, byte[] subject, @Nullable String reason) {
        all.add(new Heard("unsubscribed", id, text(subject), "", 0, 0, reason == null ? "" : reason));
    }

    @Override
    public void onUnwatched(long id, byte[] subject, @Nullable String reason) {
        all.add(new Heard("unwatched", id, text(subject), "", 0, 0, reason == null ? "" : reason));
    }

    /** The seq is the time left. */
    @Override
    public void onTokenToExpire(long afterMillis) {
        all.add(new Heard("token-to-expire", CommandHandler.NO_ID, "", "", 0, afterMillis, ""));
    }

    @Override
    public void onStale(boolean stale) {
        all.add(Heard.of("stale", CommandHandler.NO_ID, "", String.valueOf(stale)));
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        all.add(new Heard("published", id, "", "", epoch, seq, ""));
    }

    /** The data of a gap is where it begins. */
    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        all.add(new Heard(
                "gap", CommandHandler.NO_ID, text(subject), String.valueOf(from), to.epoch(), to.seq(), reason));
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        all.add(new Heard("error", id, text(subject), reason, 0, 0, code));
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        all.add(new Heard("reconnect", CommandHandler.NO_ID, "", "", 0, afterMillis, reason));
    }

    @Override
    public void onPong(long id) {
        all.add(Heard.of("pong", id, "", ""));
    }

    @Override
    public void onWatched(long id, byte[] subject, boolean subscribers) {
        all.add(Heard.of("watched", id, text(subject), String.valueOf(subscribers)));
    }

    @Override
    public void onInterest(byte[] subject, boolean subscribers) {
        all.add(Heard.of("interest", CommandHandler.NO_ID, text(subject), String.valueOf(subscribers)));
    }

    @Override
    public void onBadEvent(String reason) {
        throw new AssertionError("not an event: " + reason);
    }
}

package io.belfry.server.workgroup;

import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Records the events that a client receives. Owner: the test's thread. */
final class EventRecorder implements ServerEventHandler {
    final List<ReceivedEvent> all = new ArrayList<>();

    /** The headers of each message, in the order of the messages. */
    final List<Map<String, String>> headers = new ArrayList<>();

    /** Makes whole messages of deltas. */
    final DeltaReader deltas = new DeltaReader();

    private static String text(byte @Nullable [] subject) {
        return subject == null ? "" : new String(subject, StandardCharsets.UTF_8);
    }

    @Override
    public void onMessage(MessageView m) {
        all.add(new ReceivedEvent(
                "message",
                CommandHandler.NO_ID,
                m.subject().toString(m.subjectOffset(), m.subjectLength(), StandardCharsets.UTF_8),
                deltas.data(m),
                m.epoch(),
                m.seq(),
                m.type().text()));
        headers.add(MessageHeaders.of(m));
    }

    /** Data of the recorded event is the ping interval in milliseconds. */
    @Override
    public void onConnected(long id, ConnectedEvent event) {
        String ping = String.valueOf(event.pingMillis());
        all.add(new ReceivedEvent(
                "connected", id, "", ping, event.keepMillis(), event.resumed() ? 1 : 0, event.session()));
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        throw new AssertionError("the decoders call the method with conflate");
    }

    /** Data of the recorded event is the interval of conflation in milliseconds, if there is one. */
    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis) {
        long epoch = at == null ? -1 : at.epoch();
        long seq = at == null ? -1 : at.seq();
        String conflate = conflateMillis == 0 ? "" : String.valueOf(conflateMillis);
        all.add(new ReceivedEvent("subscribed", id, text(subject), conflate, epoch, seq, recovery.text()));
    }

    /** Data of the recorded event is the position. */
    @Override
    public void onPatternSubscribed(
            long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        all.add(new ReceivedEvent("subscribed", id, text(pattern), at.toString(), -1, -1, recovery.text()));
    }

    /** Data of the recorded event is the position. */
    @Override
    public void onPosition(PatternPosition at) {
        all.add(new ReceivedEvent("position", CommandHandler.NO_ID, "", at.toString(), 0, 0, ""));
    }

    /** Data of the recorded event is the position. */
    @Override
    public void onProgress(byte[] pattern, PatternPosition at) {
        String subject = new String(pattern, StandardCharsets.UTF_8);
        all.add(new ReceivedEvent("progress", CommandHandler.NO_ID, subject, at.toString(), 0, 0, ""));
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject) {
        throw new AssertionError("the decoders call the method with a reason");
    }

    /** Note of the recorded event is the code for which the server ended the subscription. */
    @Override
    public void onUnsubscribed(long id, byte[] subject, @Nullable String reason) {
        all.add(new ReceivedEvent("unsubscribed", id, text(subject), "", 0, 0, reason == null ? "" : reason));
    }

    @Override
    public void onUnwatched(long id, byte[] subject, @Nullable String reason) {
        all.add(new ReceivedEvent("unwatched", id, text(subject), "", 0, 0, reason == null ? "" : reason));
    }

    /** Seq of the recorded event is the remaining time in milliseconds. */
    @Override
    public void onTokenToExpire(long afterMillis) {
        all.add(new ReceivedEvent("token-to-expire", CommandHandler.NO_ID, "", "", 0, afterMillis, ""));
    }

    @Override
    public void onStale(boolean stale) {
        all.add(ReceivedEvent.of("stale", CommandHandler.NO_ID, "", String.valueOf(stale)));
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        all.add(new ReceivedEvent("published", id, "", "", epoch, seq, ""));
    }

    /** Data of the recorded event is the position where the gap begins. */
    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        all.add(new ReceivedEvent(
                "gap", CommandHandler.NO_ID, text(subject), String.valueOf(from), to.epoch(), to.seq(), reason));
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        all.add(new ReceivedEvent("error", id, text(subject), reason, 0, 0, code));
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        all.add(new ReceivedEvent("reconnect", CommandHandler.NO_ID, "", "", 0, afterMillis, reason));
    }

    @Override
    public void onPong(long id) {
        all.add(ReceivedEvent.of("pong", id, "", ""));
    }

    @Override
    public void onWatched(long id, byte[] subject, boolean subscribers) {
        all.add(ReceivedEvent.of("watched", id, text(subject), String.valueOf(subscribers)));
    }

    @Override
    public void onInterest(byte[] subject, boolean subscribers) {
        all.add(ReceivedEvent.of("interest", CommandHandler.NO_ID, text(subject), String.valueOf(subscribers)));
    }

    @Override
    public void onBadEvent(String reason) {
        throw new AssertionError("not an event: " + reason);
    }
}

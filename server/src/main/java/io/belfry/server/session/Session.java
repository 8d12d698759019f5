package io.belfry.server.session;

import io.belfry.server.entitlement.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client. Owner: its lane. There may be ten million of them, so state that few sessions need is in
 * {@link Extras}, and a single subscription is stored in the session itself.
 *
 * <p>The fields {@code pending*} describe which bytes of the turn's encoded messages this session gets at the end of the turn.
 * They are plain numbers, so that a delivery changes no reference of an old object.
 */
public final class Session {
    /** Value of {@link #pendingEnd} when the turn's bytes are staged in the outbound instead. */
    public static final int STAGED = -1;

    /** Like {@link #STAGED}, with a message among the bytes that must not be held back. */
    public static final int STAGED_TO_GO = -2;

    private static final int NOT_READY = 1;
    private static final int CATCHING_UP = 2;
    private static final int CLOSED = 4;
    private static final int UNSHARED = 8;

    // The following flags have no effect on deliveries, so isOrdinary() ignores them.
    private static final int OWN_PING = 16;
    private static final int KEPT = 32;
    private static final int DETACHED = 64;
    private static final int WITHOUT_EFFECT = OWN_PING | KEPT | DETACHED;

    private Outbound outbound;
    private final int slot;
    private final int generation;
    private Principal principal;
    private @Nullable Extras extras;
    private int subject = Subscriptions.NONE;
    private int listIndex;
    private int pendingStart;
    private int pendingEnd;
    private int lastHeard;
    private short pendingCount;
    private final byte format;
    private byte flags;

    public Session(Outbound outbound, Principal principal, int slot, int generation, int format, int now) {
        this.outbound = outbound;
        this.principal = principal;
        this.slot = slot;
        this.generation = generation;
        this.format = (byte) format;
        this.flags = (byte) (format < 0 ? UNSHARED : 0);
        this.lastHeard = now;
    }

    /** Returns a reference that distinguishes this session from all others that used its slot. */
    public long reference() {
        return reference(slot, generation);
    }

    public static long reference(int slot, int generation) {
        return (long) generation << 32 | slot;
    }

    public Outbound outbound() {
        return outbound;
    }

    public int slot() {
        return slot;
    }

    public int generation() {
        return generation;
    }

    /** Returns the index of the shared wire format of its messages, or -1 if the transport encodes them itself. */
    public int format() {
        return format;
    }

    public Principal principal() {
        return principal;
    }

    public void principal(Principal principal) {
        this.principal = principal;
    }

    /** Returns whether a live message is written at once, because the socket is writable and the session is at the head. */
    public boolean isOrdinary() {
        return (flags & ~WITHOUT_EFFECT) == 0;
    }

    public boolean isReady() {
        return (flags & NOT_READY) == 0;
    }

    public void ready(boolean ready) {
        set(NOT_READY, !ready);
    }

    public boolean isCatchingUp() {
        return (flags & CATCHING_UP) != 0;
    }

    void catchingUp(boolean catchingUp) {
        set(CATCHING_UP, catchingUp);
    }

    public boolean isClosed() {
        return (flags & CLOSED) != 0;
    }

    public void onClosed() {
        set(CLOSED, true);
    }

    /** Returns whether the client requested a ping interval that differs from the default. */
    public boolean hasOwnPing() {
        return (flags & OWN_PING) != 0;
    }

    public void ownPing(boolean own) {
        set(OWN_PING, own);
    }

    /** Returns whether the session's client asked to keep it after its connection is lost. */
    public boolean isKept() {
        return (flags & KEPT) != 0;
    }

    public void keep() {
        set(KEPT, true);
    }

    /** Returns whether the connection is lost; such a session is never ready. */
    public boolean isDetached() {
        return (flags & DETACHED) != 0;
    }

    /** Called when the connection is lost and the session is kept; {@code nothing} accepts no bytes. */
    public void detach(Outbound nothing) {
        outbound = nothing;
        set(DETACHED | NOT_READY, true);
    }

    /** Returns the bytes that wait for the session's socket; none without a connection. */
    public int queuedBytes() {
        return isDetached() ? 0 : outbound.queuedBytes();
    }

    public boolean isShared() {
        return (flags & UNSHARED) == 0;
    }

    private void set(int flag, boolean on) {
        flags = (byte) (on ? flags | flag : flags & ~flag);
    }

    public int pendingStart() {
        return pendingStart;
    }

    public int pendingEnd() {
        return pendingEnd;
    }

    public int pendingCount() {
        return pendingCount;
    }

    public void pending(int start, int end, int count) {
        pendingStart = start;
        pendingEnd = end;
        pendingCount = (short) Math.min(count, Short.MAX_VALUE);
    }

    /** Extends the pending bytes by those that directly follow. */
    public void extendPending(int end) {
        pending(pendingStart, end, pendingCount + 1);
    }

    public int lastHeard() {
        return lastHeard;
    }

    public void onHeard(int now) {
        lastHeard = now;
    }

    int singleSubject() {
        return subject;
    }

    int singleIndex() {
        return listIndex;
    }

    void single(int subject, int listIndex) {
        this.subject = subject;
        this.listIndex = listIndex;
    }

    /** Returns whether the session has no subscriptions and no other state to keep. */
    boolean isBlank() {
        return extras == null && subject == Subscriptions.NONE;
    }

    public @Nullable Extras extras() {
        return extras;
    }

    /**
     * Returns whether a position at which a pattern was confirmed applies to all patterns of the session: all are confirmed, and no
     * message of the others is delayed. The position that a stream is resumed from applies to all its patterns.
     */
    public boolean hasOnePatternPosition() {
        List<PatternSubscription> patterns = extras == null ? List.of() : extras.patterns();
        return patterns.size() == 1
                || (!isCatchingUp() && patterns.stream().allMatch(PatternSubscription::isConfirmed));
    }

    public Extras extrasCreated() {
        Extras present = extras;
        if (present == null) {
            extras = present = new Extras();
        }
        return present;
    }

    void dropExtrasIfEmpty() {
        if (extras != null && extras.isEmpty()) {
            extras = null;
        }
    }
}

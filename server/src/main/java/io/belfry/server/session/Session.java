package io.belfry.server.session;

import io.belfry.server.entitlement.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client. Owner: its lane. There may be ten million of them, so a session is an object of 40 bytes: state that few sessions
 * need is in {@link Extras}, a single subscription is stored in the session itself, and two small numbers share an int where
 * their ranges allow it.
 *
 * <p>{@link #pending} is the number of what the session gets at the end of the turn. It is a plain number, so that a delivery
 * changes no reference of an old object.
 */
public final class Session {
    /** The bits of a slot; the format is in the bits above. */
    private static final int SLOT_BITS = 24;

    /** Maximum number of sessions of a lane. */
    static final int SLOTS = (1 << SLOT_BITS) - 1;

    /** The bits of the flags; the number of the pending bytes is in the bits above. */
    private static final int FLAG_BITS = 8;

    private static final int FLAGS = (1 << FLAG_BITS) - 1;

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
    private final int slotAndFormat;
    private final int generation;
    private Principal principal;

    /** The {@link Extras}, or only the subjects of {@link FewSubjects}, or null. */
    private @Nullable Object more;

    private int subject = Subscriptions.NONE;
    private int lastHeard;
    private int pendingAndFlags;

    public Session(Outbound outbound, Principal principal, int slot, int generation, int format, int now) {
        this.outbound = outbound;
        this.principal = principal;
        this.slotAndFormat = format << SLOT_BITS | slot;
        this.generation = generation;
        this.pendingAndFlags = format < 0 ? UNSHARED : 0;
        this.lastHeard = now;
    }

    /** Returns a reference that distinguishes this session from all others that used its slot. */
    public long reference() {
        return reference(slot(), generation);
    }

    public static long reference(int slot, int generation) {
        return (long) generation << 32 | slot;
    }

    public Outbound outbound() {
        return outbound;
    }

    public int slot() {
        return slotAndFormat & SLOTS;
    }

    public int generation() {
        return generation;
    }

    /** Returns the index of the shared wire format of its messages, or -1 if the transport encodes them itself. */
    public int format() {
        return slotAndFormat >> SLOT_BITS;
    }

    public Principal principal() {
        return principal;
    }

    public void principal(Principal principal) {
        this.principal = principal;
    }

    /** Returns whether a live message is written at once, because the socket is writable and the session is at the head. */
    public boolean isOrdinary() {
        return (pendingAndFlags & FLAGS & ~WITHOUT_EFFECT) == 0;
    }

    public boolean isReady() {
        return (pendingAndFlags & NOT_READY) == 0;
    }

    public void ready(boolean ready) {
        set(NOT_READY, !ready);
    }

    public boolean isCatchingUp() {
        return (pendingAndFlags & CATCHING_UP) != 0;
    }

    void catchingUp(boolean catchingUp) {
        set(CATCHING_UP, catchingUp);
    }

    public boolean isClosed() {
        return (pendingAndFlags & CLOSED) != 0;
    }

    public void onClosed() {
        set(CLOSED, true);
    }

    /** Returns whether the client requested a ping interval that differs from the default. */
    public boolean hasOwnPing() {
        return (pendingAndFlags & OWN_PING) != 0;
    }

    public void ownPing(boolean own) {
        set(OWN_PING, own);
    }

    /** Returns whether the session's client asked to keep it after its connection is lost. */
    public boolean isKept() {
        return (pendingAndFlags & KEPT) != 0;
    }

    public void keep() {
        set(KEPT, true);
    }

    /** Returns whether the connection is lost; such a session is never ready. */
    public boolean isDetached() {
        return (pendingAndFlags & DETACHED) != 0;
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
        return (pendingAndFlags & UNSHARED) == 0;
    }

    private void set(int flag, boolean on) {
        pendingAndFlags = on ? pendingAndFlags | flag : pendingAndFlags & ~flag;
    }

    /** Returns the number under which the fan-out keeps what the session gets at the end of the turn, or 0. */
    public int pending() {
        return pendingAndFlags >>> FLAG_BITS;
    }

    /** Sets the number that {@link #pending} returns; at most that of the sessions of a lane. */
    public void pending(int number) {
        pendingAndFlags = number << FLAG_BITS | (pendingAndFlags & FLAGS);
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

    void single(int subject) {
        this.subject = subject;
    }

    /** Returns the session's two to eight subjects, or null if it has fewer or more. */
    int @Nullable [] few() {
        return more instanceof int[] few ? few : more instanceof Extras extras ? extras.few : null;
    }

    void few(int @Nullable [] few) {
        if (more instanceof Extras extras) {
            extras.few = few;
        } else {
            more = few;
        }
    }

    /** Returns the session's subjects if they are more than eight, or else null. */
    @Nullable
    SubjectIndexes many() {
        return more instanceof Extras extras ? extras.many : null;
    }

    /** Returns whether the session has no subscriptions and no other state to keep. */
    boolean isBlank() {
        return more == null && subject == Subscriptions.NONE;
    }

    public @Nullable Extras extras() {
        return more instanceof Extras extras ? extras : null;
    }

    /**
     * Returns whether a position at which a pattern was confirmed applies to all patterns of the session: all are confirmed, and no
     * message of the others is delayed. The position that a stream is resumed from applies to all its patterns.
     */
    public boolean hasOnePatternPosition() {
        List<PatternSubscription> patterns = more instanceof Extras extras ? extras.patterns() : List.of();
        return patterns.size() == 1
                || (!isCatchingUp() && patterns.stream().allMatch(PatternSubscription::isConfirmed));
    }

    public Extras extrasCreated() {
        if (more instanceof Extras present) {
            return present;
        }
        Extras created = new Extras();
        created.few = few();
        more = created;
        return created;
    }

    /** Frees state that the session created earlier and does not need any more. Called now and then. */
    public void dropIdleExtras(long nowNanos) {
        if (more instanceof Extras extras) {
            extras.dropIdle(nowNanos);
            dropExtrasIfEmpty();
        }
    }

    void dropExtrasIfEmpty() {
        if (more instanceof Extras extras && extras.isEmpty()) {
            more = extras.few;
        }
    }
}

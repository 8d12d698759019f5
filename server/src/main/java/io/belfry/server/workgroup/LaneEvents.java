package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Subjects;
import io.belfry.server.catchup.SlowObserver;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.event.ApplicationEvent;
import io.belfry.server.event.ApplicationEvents;
import io.belfry.server.event.EventType;
import io.belfry.server.event.PublishedMessage;
import io.belfry.server.home.OccupiedSubjects;
import io.belfry.server.home.ReportedMessages;
import io.belfry.server.presence.PresenceRooms;
import io.belfry.server.session.Session;
import io.belfry.server.turn.Turn;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reports the sessions of a lane, its subjects and the members of its rooms to the application, if anything receives events. Owner:
 * the lane's loop.
 */
final class LaneEvents
        implements PresenceRooms.Observer, OccupiedSubjects.Observer, ReportedMessages.Observer, SlowObserver {
    private final ApplicationEvents events;
    private final NodeFacts facts;
    private final int lane;
    private final Turn turn;

    /** Slots of the sessions that were reported. Sessions of single HTTP calls are not. */
    private final BitSet reported = new BitSet();

    /** Slots of the sessions that were reported as slow, which happens once. */
    private final BitSet slow = new BitSet();

    LaneEvents(ApplicationEvents events, NodeFacts facts, int lane, Turn turn) {
        this.events = events;
        this.facts = facts;
        this.lane = lane;
        this.turn = turn;
    }

    void onOpened(Session session) {
        reported.set(session.slot());
        add(EventType.SESSION_OPENED, session, null);
    }

    /** Called after the token of a connect was accepted. */
    void onConnect(Session session, ConnectRequest request) {
        if (request.token() != null && session.principal().user() != null && reported.get(session.slot())) {
            add(EventType.SESSION_USER, session, null);
        }
    }

    void onEnded(Session session, Code code) {
        if (reported.get(session.slot())) {
            reported.clear(session.slot());
            slow.clear(session.slot());
            add(EventType.SESSION_CLOSED, session, code);
        }
    }

    @Override
    public void onSlow(Session session, Code code) {
        int slot = session.slot();
        if (reported.get(slot) && !slow.get(slot) && events.isWanted(EventType.SESSION_SLOW)) {
            slow.set(slot);
            add(EventType.SESSION_SLOW, session, code);
        }
    }

    @Override
    public void onJoined(byte[] subject, String user) {
        addMember(EventType.PRESENCE_JOINED, subject, user);
    }

    @Override
    public void onLeft(byte[] subject, String user) {
        addMember(EventType.PRESENCE_LEFT, subject, user);
    }

    private void addMember(EventType type, byte[] subject, String user) {
        if (events.isWanted(type)) {
            String name = new String(Subjects.ofPresence(subject), StandardCharsets.UTF_8);
            events.add(ApplicationEvent.ofMember(type, turn.nowMillis(), name, user));
        }
    }

    @Override
    public void onOccupied(String subject) {
        addSubject(EventType.SUBJECT_OCCUPIED, subject);
    }

    @Override
    public void onVacated(String subject) {
        addSubject(EventType.SUBJECT_VACATED, subject);
    }

    private void addSubject(EventType type, String subject) {
        if (events.isWanted(type)) {
            events.add(ApplicationEvent.ofSubject(type, turn.nowMillis(), subject));
        }
    }

    @Override
    public void onPublished(byte[] subject, MessageView message) {
        if (events.isWanted(EventType.MESSAGE)) {
            Map<String, String> headers = MessageHeaders.of(message);
            events.add(ApplicationEvent.ofMessage(
                    message.timeMillis(),
                    new String(subject, StandardCharsets.UTF_8),
                    headers.get(MessageHeaders.PUBLISHER),
                    new PublishedMessage(
                            message.epoch(),
                            message.seq(),
                            ByteBufUtil.getBytes(message.data(), message.dataOffset(), message.dataLength()),
                            headers,
                            message.retained())));
        }
    }

    /** Returns whether messages are reported at all, which is so from the start of the server on. */
    boolean wantsMessages() {
        return events.isWanted(EventType.MESSAGE);
    }

    private void add(EventType type, Session session, @Nullable Code code) {
        events.add(ApplicationEvent.ofSession(
                type,
                turn.nowMillis(),
                facts.sessionName(lane, session),
                session.principal().user(),
                session.isDetached() ? "" : session.outbound().address().text(),
                code == null ? null : code.text()));
    }
}

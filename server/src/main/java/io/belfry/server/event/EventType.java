package io.belfry.server.event;

import io.belfry.server.config.EventConfig;
import java.util.Set;

/** The types of events that an endpoint can ask for. */
public enum EventType {
    NODE_STARTED("node.started"),
    SESSION_OPENED("session.opened"),
    SESSION_USER("session.user"),
    SESSION_CLOSED("session.closed"),
    SESSION_SLOW("session.slow"),
    PRESENCE_JOINED("presence.joined"),
    PRESENCE_LEFT("presence.left"),
    SUBJECT_OCCUPIED("subject.occupied"),
    SUBJECT_VACATED("subject.vacated"),
    MESSAGE("message");

    private final String text;

    EventType(String text) {
        this.text = text;
    }

    /** Returns the name of the type in requests; {@link EventConfig#TYPES} lists the same names. */
    public String text() {
        return text;
    }

    boolean isIn(Set<String> names) {
        return names.isEmpty() || names.contains(text);
    }
}

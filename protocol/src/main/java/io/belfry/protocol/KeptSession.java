package io.belfry.protocol;

import java.util.List;

/**
 * The request of a client to keep its session, or to continue an earlier one. Immutable.
 *
 * @param id the session to continue, as an earlier {@code connected} named it; empty to keep the present session after its
 *     connection is lost
 * @param received the last positions that the client received, each with its plain subject; only with an id
 */
public record KeptSession(String id, List<SubjectPosition> received) {
    /** Maximum number of characters of an id. */
    public static final int ID_MAX_CHARS = 255;

    /** Maximum number of positions in a command. */
    public static final int POSITIONS_MAX = CommandRules.SUBJECTS_MAX;

    /** Requests that the present session is kept. */
    public static final KeptSession NEW = new KeptSession("", List.of());

    public KeptSession {
        received = List.copyOf(received);
    }
}

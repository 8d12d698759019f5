package io.belfry.server.workgroup;

/**
 * One event as a client received it. Immutable.
 *
 * @param id the command that the event answers, or {@code CommandHandler.NO_ID}
 * @param epoch the epoch of a position, or the time for which a session is kept
 * @param seq the seq of the message or of the subscription, or the last seq of a gap; 1 for a resumed session
 * @param note the type of the message, the recovery, the code of an error or the reason of a gap; the
 *     id of a session; else ""
 */
record ReceivedEvent(String op, long id, String subject, String data, long epoch, long seq, String note) {
    static ReceivedEvent of(String op, long id, String subject, String note) {
        return new ReceivedEvent(op, id, subject, "", 0, 0, note);
    }

    boolean isMessage() {
        return op.equals("message");
    }

    boolean is(String wanted, String about) {
        return op.equals(wanted) && subject.equals(about);
    }
}

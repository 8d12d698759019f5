package io.belfry.server.workgroup;

/**
 * One event as a client heard it. Immutable.
 *
 * @param id the command it answers, or {@code CommandHandler.NO_ID}
 * @param seq of the message, of the subscription, or the last one of a gap
 * @param note the message's type, the recovery, the code of an error, the reason of a gap; else ""
 */
record Heard(String op, long id, String subject, String data, long epoch, long seq, String note) {
    static Heard of(String op, long id, String subject, String note) {
        return new Heard(op, id, subject, "", 0, 0, note);
    }

    boolean isMessage() {
        return op.equals("message");
    }

    boolean is(String wanted, String about) {
        return op.equals(wanted) && subject.equals(about);
    }
}

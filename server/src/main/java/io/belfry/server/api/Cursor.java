package io.belfry.server.api;

import io.belfry.protocol.Code;
import io.belfry.server.monitor.HttpRefusal;
import java.util.Optional;

/** Where a page of a list ends: a lane, and the number of the last entry there. Lanes follow each other in a list. Immutable. */
record Cursor(int lane, int number) {
    static final Cursor BEGIN = new Cursor(0, -1);

    /** Returns the cursor that a client sent, or the begin of the list. */
    static Cursor of(Optional<String> text, int lanes) {
        if (text.isEmpty()) {
            return BEGIN;
        }
        String[] parts = text.get().split("-", -1);
        try {
            Cursor cursor = new Cursor(Integer.parseInt(parts[0]), Integer.parseInt(parts[parts.length - 1]));
            if (parts.length == 2 && cursor.lane >= 0 && cursor.lane < lanes && cursor.number >= 0) {
                return cursor;
            }
        } catch (NumberFormatException malformed) {
            // Answered below.
        }
        throw new HttpRefusal(Code.BAD_REQUEST, "after must be the value of next in the answer before");
    }

    /** Returns whether an entry is after this one. */
    boolean isBefore(int otherLane, int otherNumber) {
        return lane != otherLane ? lane < otherLane : number < otherNumber;
    }

    @Override
    public String toString() {
        return lane + "-" + number;
    }
}

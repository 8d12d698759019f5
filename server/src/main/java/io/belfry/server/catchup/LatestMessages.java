package io.belfry.server.catchup;

import io.belfry.protocol.MessageView;
import io.belfry.server.delivery.HeldMessage;
import io.belfry.server.session.CatchUp;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One copy of the latest message of each subject that a lagging session waits for. Lagging sessions share it, and it is freed
 * with the last of them. Owner: the lane's loop.
 */
final class LatestMessages {
    private static final class Latest {
        final HeldMessage message;
        int places;

        Latest(MessageView message) {
            this.message = new HeldMessage(message);
        }
    }

    private final Map<Integer, Latest> bySubject = new HashMap<>();

    /** Keeps this message, or a later one passed to {@link #keep}, for the place's session. */
    void keep(CatchUp.Place place, MessageView message) {
        Latest latest = bySubject.get(place.subject());
        if (latest == null) {
            latest = new Latest(message);
            bySubject.put(place.subject(), latest);
        } else if (message.seq() > latest.message.seq()) {
            latest.message.set(message);
        }
        if (!place.holdsLatest()) {
            place.holdsLatest(true);
            latest.places++;
        }
    }

    @Nullable
    HeldMessage of(CatchUp.Place place) {
        Latest latest = place.holdsLatest() ? bySubject.get(place.subject()) : null;
        return latest == null ? null : latest.message;
    }

    void release(CatchUp.Place place) {
        Latest latest = place.holdsLatest() ? bySubject.get(place.subject()) : null;
        place.holdsLatest(false);
        if (latest != null && --latest.places == 0) {
            latest.message.release();
            bySubject.remove(place.subject());
        }
    }
}

package io.belfry.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives the commands of one client, in order. What arrives is well formed: subjects and patterns keep the rules of
 * {@link Subjects}, reserved ones are refused, and a pattern comes only where a pattern may stand.
 */
public interface CommandHandler {
    /** The command carried no id. Outside the range of ids, so every id a client may choose stays usable. */
    long NO_ID = Long.MIN_VALUE;

    /** Ids lie within +-2^53, what every JSON reader keeps exactly. */
    long ID_MAX = 1L << 53;

    void onConnect(long id, @Nullable String token);

    void onSubscribe(long id, SubscribeRequest request);

    void onUnsubscribe(long id, List<byte[]> subjects);

    /** {@code request} is valid until this returns. */
    void onPublish(PublishRequest request);

    void onPing(long id);

    void onWatch(long id, byte[] subject);

    void onUnwatch(long id, byte[] subject);

    /** The frame was no command; {@code id} is its id where that could be read. */
    void onBadCommand(long id, Code code, String reason);
}

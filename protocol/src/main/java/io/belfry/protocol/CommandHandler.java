package io.belfry.protocol;

import java.util.List;

/**
 * Receives the commands of one client, in order. Commands are well formed: subjects and patterns follow the rules of
 * {@link Subjects}, reserved ones are rejected, and patterns occur only where they are allowed.
 */
public interface CommandHandler {
    /** The id of a command without an id. The value is outside the range of ids, so that clients can use all ids. */
    long NO_ID = Long.MIN_VALUE;

    /** The id of a subscription that the server began itself; its confirmation is sent, without an id. */
    long SERVER_ID = Long.MIN_VALUE + 1;

    /** Ids are from -2^53 to 2^53, the whole numbers that every JSON reader represents exactly. */
    long ID_MAX = 1L << 53;

    /** The client presented a token, or requested facts or properties of its session. */
    void onConnect(long id, ConnectRequest request);

    /** The client subscribes. */
    void onSubscribe(long id, SubscribeRequest request);

    /** The client ends subscriptions. */
    void onUnsubscribe(long id, List<byte[]> subjects);

    /** The client publishes; {@code request} is valid until this method returns. */
    void onPublish(PublishRequest request);

    /** The client asks for a pong. */
    void onPing(long id);

    /** The client asks for notices of interest in a subject. */
    void onWatch(long id, byte[] subject);

    /** The client ends the notices of interest in a subject. */
    void onUnwatch(long id, byte[] subject);

    /** The frame is not a valid command; {@code id} is its id if the id could be read. */
    void onBadCommand(long id, Code code, String reason);
}

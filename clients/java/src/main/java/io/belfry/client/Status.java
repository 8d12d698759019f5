package io.belfry.client;

import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An event of a client other than a message. Each is immutable. */
public sealed interface Status {
    /** An attempt to connect begins. The first attempt is number 0, as is the first after a stable connection. */
    record Connecting(ServerAddress server, int attempt) implements Status {}

    /** The server has responded, and the subscriptions are being requested. Over HTTP, session and node are empty. */
    record Connected(ServerAddress server, String session, String node) implements Status {}

    /** The connection ended, or could not be made. The client retries after {@code retryIn}. */
    record Disconnected(ServerAddress server, String code, String reason, Duration retryIn) implements Status {}

    /** The server asked the client to reconnect; a disconnect follows. */
    record ReconnectAsked(Duration after, String reason) implements Status {}

    /**
     * The server confirmed the subscription. {@code recovery} says whether all messages since the last connection
     * follow.
     */
    record Subscribed(String subject, Recovery recovery) implements Status {}

    /**
     * The application's backend began this subscription by the server API. Its messages are dropped until the program subscribes
     * to the subject; with {@code from(at)} it also gets the messages since then. The position is null for a pattern.
     */
    record SubscribedByServer(String subject, @Nullable Position at) implements Status {}

    /** The subscription ended, as the program requested. */
    record Unsubscribed(String subject) implements Status {}

    /** The token expires soon. A token source is asked for a new one; with a fixed token the connection ends then. */
    record TokenToExpire(Duration after) implements Status {}

    /**
     * The server is stale, that is behind its cluster, so messages may be late; or it is current again. The connection
     * stays open. A new connection counts as current until a server reports otherwise.
     */
    record Stale(boolean stale) implements Status {}

    /**
     * The server rejected the subscription, or ended it because a new token does not allow it. The subscription is
     * removed.
     */
    record SubscribeRefused(String subject, String code, String reason) implements Status {}

    /** A gap was detected or announced; the listener of the subscription was called too. */
    record GapFound(Gap gap) implements Status {}

    /** The server rejected the client for good; the client stops until {@link BelfryClient#start} is called again. */
    record Refused(ServerAddress server, String code, String reason) implements Status {}

    /** A command failed for another reason. */
    record CommandFailed(String code, String reason) implements Status {}

    /**
     * The connection broke before the acknowledgement of a publish that cannot be repeated, because it has no msgId.
     */
    record PublishUnknown(String subject) implements Status {}

    /** A listener, or the token source, threw an exception. */
    record ListenerFailed(Throwable cause) implements Status {}

    /** The client was closed; the last status. */
    record Closed() implements Status {}
}

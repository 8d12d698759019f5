package io.belfry.client;

import io.belfry.protocol.Recovery;
import java.time.Duration;

/** Everything that happens to a client beside messages, one for every event. Each is immutable. */
public sealed interface Status {
    /** An attempt begins; the first is 0, and so is the first after a stable connection. */
    record Connecting(ServerAddress server, int attempt) implements Status {}

    /** The server has answered; subscriptions are being asked for. Over HTTP session and node are empty. */
    record Connected(ServerAddress server, String session, String node) implements Status {}

    /** No connection any more, or none yet. The next attempt comes by itself. */
    record Disconnected(ServerAddress server, String code, String reason, Duration retryIn) implements Status {}

    /** The server asked to reconnect; the disconnect follows. */
    record ReconnectAsked(Duration after, String reason) implements Status {}

    /** The server confirmed it. {@code recovery}: whether everything since the last connection comes. */
    record Subscribed(String subject, Recovery recovery) implements Status {}

    record Unsubscribed(String subject) implements Status {}

    /** The token is good for so long. A supplier of tokens is asked for a new one; a fixed token ends the connection then. */
    record TokenToExpire(Duration after) implements Status {}

    /**
     * The server has had no word from its cluster for a while, so that messages may be late, or is up to date again. The
     * connection stays; with the next one, whichever server it is to, all is taken to be up to date until told otherwise.
     */
    record Stale(boolean stale) implements Status {}

    /** The server refused this subscription, or ended it since a new token does not allow it; it is gone. */
    record SubscribeRefused(String subject, String code, String reason) implements Status {}

    /** The listener of the subscription was told too. */
    record GapFound(Gap gap) implements Status {}

    /** The server refused the client for good: it connects no more until {@link BelfryClient#start} is called again. */
    record Refused(ServerAddress server, String code, String reason) implements Status {}

    /** Something was wrong with a command that was none of the above. */
    record CommandFailed(String code, String reason) implements Status {}

    /** It was sent, the connection broke before the answer, and it carries no msgId that would make a repeat safe. */
    record PublishUnknown(String subject) implements Status {}

    /** A listener, or the supplier of tokens, threw this. */
    record ListenerFailed(Throwable cause) implements Status {}

    /** The last of all. */
    record Closed() implements Status {}
}

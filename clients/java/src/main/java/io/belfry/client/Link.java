package io.belfry.client;

import io.belfry.client.connection.Ending;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.ServerEventHandler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The connection of a client to one server, over any transport. Owner: the client's loop. */
interface Link {
    /** Id of the command connect, so that its error is recognised. */
    long CONNECT = -1;

    /** Id of the commands watch and unwatch, so that their errors are recognised. */
    long WATCH = -5;

    /** Id of the command unsubscribe, each subject of which has one answer. */
    long UNSUBSCRIBE = -3;

    /** Receives the events of a link; gets no more calls after {@link #onLinkEnd}. */
    interface Owner extends ServerEventHandler {
        /** The link is open, and the subscriptions are requested. */
        void onLinkOpen();

        /** Returns all subscriptions to request. Earlier confirmations are void. */
        List<WantedSubscription> wantedSubscriptions();

        /** Returns what to request for the session of a new link; null for nothing. */
        @Nullable
        KeptSession keptSession();

        /** The server named the ping interval of the link, in ms. */
        void onPingInterval(long millis);

        /** The link accepts publishes again. */
        void onLinkWritable();

        /** The link has ended. */
        void onLinkEnd(Ending ending);
    }

    /** Begins to connect. */
    void open();

    /** Called when the server has answered which session this is; one that {@code continues} has its subscriptions. */
    default void onSession(boolean continues) {}

    /** Requests one more subscription. */
    void subscribe(WantedSubscription wanted);

    /** Ends subscriptions. */
    void unsubscribe(List<byte[]> subjects);

    /** Whether the server confirms the end of a subscription on this link. */
    default boolean answersUnsubscribe() {
        return false;
    }

    /** Asks for notices of interest in a subject, if the transport has them. */
    default void watch(byte[] subject) {}

    /** Ends the notices of interest in a subject. */
    default void unwatch(byte[] subject) {}

    /** Sends a publish. Returns false if the link has no room; {@link Owner#onLinkWritable} is called when it has. */
    boolean publish(Publish publish);

    /** Flushes the publishes accepted since the last flush. */
    void flush();

    /** Presents a new token to the server. */
    void renew(String token);

    /** Sends a ping, if the transport has one. */
    void ping();

    /** Whether the server must send something within its ping interval. */
    boolean expectsReads();

    /** Returns the loop's time of the last read. */
    long lastReadNanos();

    /** Stops or resumes reading, so that the server queues or drops messages instead of the client. */
    void pauseReading(boolean pause);

    /** Makes the end of this link a lost connection for the server, which then keeps the session. */
    default void keepSession() {}

    /** Closes the link; the owner is not notified. */
    void finish();

    /** Closes the link as failed and notifies the owner. */
    void fail(Ending ending);
}

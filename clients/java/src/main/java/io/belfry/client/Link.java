package io.belfry.client;

import io.belfry.client.connection.Ending;
import io.belfry.protocol.ServerEventHandler;
import java.util.List;

/** The way to one server while it stands, whatever carries it. Owner: the client's loop. */
interface Link {
    /** Who hears what comes over a link; nothing more after {@link #onLinkEnd}. */
    interface Owner extends ServerEventHandler {
        /** It stands, and subscriptions are asked for. */
        void onLinkOpen();

        /** What has to be asked for now, all of it; what was confirmed before is not any more. */
        List<Wish> wishes();

        /** More publishes may be offered. */
        void onLinkWritable();

        void onLinkEnd(Ending ending);
    }

    void open();

    void subscribe(Wish wish);

    void unsubscribe(List<byte[]> subjects);

    /** False when it cannot be taken now; {@link Owner#onLinkWritable} comes when it can. */
    boolean publish(Publish publish);

    /** Publishes taken since the last flush go. */
    void flush();

    /** Shows the server this token from now on. */
    void renew(String token);

    /** Asks whether the server is there, where that is possible. */
    void ping();

    /** Whether the server is bound to send something within its ping interval. */
    boolean expectsReads();

    /** The loop's time when something last came. */
    long lastReadNanos();

    void pauseReading(boolean pause);

    /** Ends it in order; its owner is not told. */
    void finish();

    /** Ends it as a failure, and the owner is told. */
    void fail(Ending ending);
}

package io.belfry.server.monitor;

import java.util.function.ObjLongConsumer;

/** Subjects of the server as the monitor uses them. Any thread may call the methods; they return at once. */
public interface FeedOutlet {
    /** A server without subjects of its own. */
    FeedOutlet NONE = new FeedOutlet() {
        @Override
        public boolean isFollowed(String subject) {
            return false;
        }

        @Override
        public boolean isFollowedHere(String subject) {
            return false;
        }

        @Override
        public void publish(String subject, byte[] json) {
            // Nobody follows.
        }

        @Override
        public void follow(String subject, ObjLongConsumer<byte[]> receiver) {
            // Nobody publishes.
        }

        @Override
        public void unfollow(String subject) {
            // Nobody publishes.
        }
    };

    /** Returns whether somebody on any node subscribed to the subject, as known at the previous call. */
    boolean isFollowed(String subject);

    /** Returns whether somebody on this node subscribed to the subject, as known at the previous call of {@link #isFollowed}. */
    boolean isFollowedHere(String subject);

    /** Publishes a retained message. */
    void publish(String subject, byte[] json);

    /**
     * Follows a subject until {@link #unfollow}. The receiver gets each message with its time in ms since 1970, on a thread that
     * it must not block.
     */
    void follow(String subject, ObjLongConsumer<byte[]> receiver);

    void unfollow(String subject);
}

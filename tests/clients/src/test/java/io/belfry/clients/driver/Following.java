package io.belfry.clients.driver;

import io.belfry.client.Subscription;
import org.jspecify.annotations.Nullable;

/** A subscription of the driver, through either face of the client. Owner: the main thread. */
interface Following {
    void pause();

    void resume();

    void end();

    /** Returns the position of a pattern; null if the client has none. */
    @Nullable
    String position();

    /** Follows by a listener. */
    record ByListener(Subscription subscription, MessageLines lines) implements Following {
        @Override
        public void pause() {
            subscription.pause();
            lines.awaitCall();
        }

        @Override
        public void resume() {
            subscription.resume();
        }

        @Override
        public void end() {
            subscription.unsubscribe();
            lines.end();
        }

        @Override
        public @Nullable String position() {
            return subscription.position();
        }
    }

    /** Follows by a stream with demand. */
    record ByStream(StreamLines lines) implements Following {
        @Override
        public void pause() {
            lines.pause();
        }

        @Override
        public void resume() {
            lines.resume();
        }

        @Override
        public void end() {
            lines.cancel();
        }

        @Override
        public @Nullable String position() {
            throw new UnsupportedOperationException("a stream does not give its position");
        }
    }
}

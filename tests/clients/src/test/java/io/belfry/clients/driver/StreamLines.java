package io.belfry.clients.driver;

import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.StreamItem;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Writes the items of one stream, and requests the next one unless the application pauses. Any thread. */
final class StreamLines implements Flow.Subscriber<StreamItem> {
    private final MessageLines lines;
    private Flow.@Nullable Subscription subscription;
    private boolean paused;
    private boolean requested;

    StreamLines(MessageLines lines) {
        this.lines = lines;
    }

    @Override
    public void onSubscribe(Flow.Subscription begun) {
        subscription = begun;
        requestNext();
    }

    @Override
    public void onNext(StreamItem item) {
        synchronized (this) {
            requested = false;
        }
        if (item instanceof Message message) {
            lines.onMessage(message);
        } else if (item instanceof Gap gap) {
            lines.onGap(gap);
        }
        requestNext();
    }

    private void requestNext() {
        Flow.Subscription from;
        synchronized (this) {
            if (paused || requested) {
                return;
            }
            requested = true;
            from = subscription;
        }
        if (from != null) {
            from.request(1);
        }
    }

    void pause() {
        synchronized (this) {
            paused = true;
        }
        lines.awaitCall();
    }

    void resume() {
        synchronized (this) {
            paused = false;
        }
        requestNext();
    }

    void cancel() {
        Flow.Subscription ended = subscription;
        if (ended != null) {
            ended.cancel();
        }
        lines.awaitCall();
    }

    /** The client reports the reason as a status. */
    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
}

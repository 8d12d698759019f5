package io.belfry.server.event;

import io.belfry.server.callback.SignedPosts;
import java.io.IOException;
import java.net.URI;

/** An endpoint of the application, which gets each batch as one signed request. Immutable. */
record EndpointReceiver(URI url, SignedPosts posts, long answerMillis) implements EventReceiver {
    private static final int GONE = 410;

    @Override
    public Outcome deliver(EventBatch batch) throws InterruptedException {
        try {
            int status = posts.post(url, batch.id(), batch.body(), answerMillis).status();
            if (status >= 200 && status < 300) {
                return ACCEPTED;
            }
            String reason = "status " + status;
            return status == GONE ? new Outcome.SwitchedOff(reason) : new Outcome.Refused(reason);
        } catch (IOException failed) {
            return new Outcome.Refused(String.valueOf(failed.getMessage()));
        }
    }
}

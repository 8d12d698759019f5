package io.belfry.server.workgroup;

import io.belfry.server.event.EventBatch;
import io.belfry.server.event.EventReceiver;
import io.belfry.server.workgroup.PublishBatch.Outcomes;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The subject {@code /$events}: each event is a message, published like those of clients. A repeated batch does not publish a message
 * twice while the history has it. Owner: the thread of the delivery.
 */
public final class EventSubject implements EventReceiver {
    /** The name of the subject. */
    public static final String NAME = "/$events";

    private static final byte[] SUBJECT = NAME.getBytes(StandardCharsets.UTF_8);

    private final CompletableFuture<Lane> publishing;
    private final long answerMillis;

    /**
     * Creates the receiver.
     *
     * @param publishing the lane that publishes, once there are lanes
     * @param answerMillis time after which a publish without an outcome is repeated
     */
    public EventSubject(CompletableFuture<Lane> publishing, long answerMillis) {
        this.publishing = publishing;
        this.answerMillis = answerMillis;
    }

    @Override
    public Outcome deliver(EventBatch batch) throws InterruptedException {
        try {
            return publish(PublishBatch.toOwnSubject(publishing.get(), SUBJECT, batch.messages()));
        } catch (RejectedExecutionException stopped) {
            return new Outcome.Refused("the server stops");
        } catch (ExecutionException failed) {
            return new Outcome.Refused(String.valueOf(failed.getCause()));
        }
    }

    private Outcome publish(PublishBatch publishes) throws InterruptedException, ExecutionException {
        publishes.start();
        try {
            return outcome(publishes.outcomes().get(answerMillis, TimeUnit.MILLISECONDS));
        } catch (TimeoutException late) {
            publishes.abandon();
            return new Outcome.Refused("not accepted within Events.AnswerTime");
        }
    }

    private static Outcome outcome(Outcomes outcomes) {
        for (PublishBatch.Outcome each : outcomes.each()) {
            if (each.code() != null) {
                return new Outcome.Refused(each.code().text() + ": " + each.reason());
            }
        }
        return ACCEPTED;
    }
}

package io.belfry.server.event;

/** A receiver of events in batches. One thread calls it, and repeats a batch until it is accepted. */
public interface EventReceiver {
    /** The outcome of a batch. */
    sealed interface Outcome {
        /** The events have arrived. */
        record Accepted() implements Outcome {}

        /** The events may have arrived in part; the batch is repeated. */
        record Refused(String reason) implements Outcome {}

        /** The receiver wants no further events of this run of the server. */
        record SwitchedOff(String reason) implements Outcome {}
    }

    /** The outcome of an accepted batch. */
    Outcome ACCEPTED = new Outcome.Accepted();

    /** Delivers a batch and waits until it has arrived. A repeated batch is the same object. */
    Outcome deliver(EventBatch batch) throws InterruptedException;

    /** Ends the receiver, after the last batch. */
    default void close() {}
}

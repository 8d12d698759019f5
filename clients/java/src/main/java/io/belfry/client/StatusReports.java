package io.belfry.client;

/** Passes the client's states to the application's listener, on the executor of its messages. Immutable. */
final class StatusReports {
    private final StatusListener listener;
    private final Delivery delivery;

    StatusReports(StatusListener listener, Delivery delivery) {
        this.listener = listener;
        this.delivery = delivery;
    }

    void report(Status status) {
        delivery.run(() -> listener.onStatus(status));
    }

    /** Reports a failed listener. An exception of the status listener itself cannot be reported to anyone. */
    static void listenerFailed(StatusListener listener, Throwable cause) {
        try {
            listener.onStatus(new Status.ListenerFailed(cause));
        } catch (RuntimeException again) {
            cause.addSuppressed(again);
        }
    }
}

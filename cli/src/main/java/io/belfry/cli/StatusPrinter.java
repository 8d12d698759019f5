package io.belfry.cli;

import io.belfry.client.Status;
import io.belfry.client.StatusListener;
import io.belfry.protocol.Recovery;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/** Prints the changes of a connection on standard error. Owner: the client's thread. */
final class StatusPrinter implements StatusListener {
    /** A user knows the request, and not the inbox for its reply. */
    private static final String INBOXES = "/$inbox/";

    private final PrintWriter err;
    private final boolean quiet;
    private final Consumer<String> refused;
    private final Set<String> known = new HashSet<>();

    /** {@code refused} gets the reason when the server refuses the client permanently. */
    StatusPrinter(PrintWriter err, boolean quiet, Consumer<String> refused) {
        this.err = err;
        this.quiet = quiet;
        this.refused = refused;
    }

    @Override
    public void onStatus(Status status) {
        switch (status) {
            case Status.Connected connected ->
                print("connected to " + connected.server()
                        + (connected.node().isEmpty() ? "" : ", node " + connected.node()));
            case Status.Disconnected ended ->
                print("disconnected from " + ended.server() + ": " + ended.code() + ": " + ended.reason()
                        + "; next attempt in " + ended.retryIn().toMillis() + " ms");
            case Status.ReconnectAsked asked -> print("the server asks to reconnect: " + asked.reason());
            case Status.Subscribed subscribed -> {
                // A slow reader pauses and resumes its subscription many times; these confirmations are not printed.
                if (!subscribed.subject().startsWith(INBOXES)
                        && (known.add(subscribed.subject()) || subscribed.recovery() != Recovery.COMPLETE)) {
                    print("subscribed to " + subscribed.subject() + ", recovery "
                            + subscribed.recovery().name().toLowerCase(Locale.ROOT));
                }
            }
            case Status.SubscribedByServer begun -> print("the server subscribed this client to " + begun.subject());
            case Status.Stale stale ->
                print(stale.stale() ? "the server is behind its cluster" : "the server is up to date again");
            case Status.CommandFailed failed -> print("refused: " + failed.code() + ": " + failed.reason());
            case Status.ListenerFailed failed ->
                print("failed: " + failed.cause().getMessage());
            case Status.Refused refusal ->
                refused.accept(refusal.server() + " refused: " + refusal.code() + ": " + refusal.reason());
            default -> {
                // Each of the others belongs to a call, which reports it.
            }
        }
    }

    private void print(String line) {
        if (!quiet) {
            err.println("belfry: " + line);
            err.flush();
        }
    }
}

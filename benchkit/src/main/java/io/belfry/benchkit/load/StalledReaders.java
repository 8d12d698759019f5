package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.DeliveryCheck;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;

/**
 * Readers that stop reading and may resume. They are counted separately, because messages that a server withholds from a
 * slow reader are not lost. Missing messages are counted by position, announced and unannounced ones separately. Owner:
 * the loop.
 */
final class StalledReaders {
    private final SubscriberLoop home;
    private final SubscriberOptions options;
    /** The counts that {@link DeliveryCheck} would make if these were ordinary readers. */
    private final Counts separate = new Counts();

    private boolean over;

    StalledReaders(SubscriberLoop home, SubscriberOptions options) {
        this.home = home;
        this.options = options;
    }

    /** Stops the configured share of the readers. */
    void begin() {
        for (SubscriberClient client : home.clients) {
            if (client.connection != null && isAmong(client.client)) {
                client.stalled = true;
                // From now on it is not verified, so only what it has received counts as expected.
                forEachSlot(client, (check, slot) -> home.counts.add(Count.EXPECTED, check.distinctMessages(slot)));
                home.counts.add(Count.STALLED);
            }
        }
        stall();
    }

    /** Spreads the stalled clients evenly: of a hundred clients and 2 %, the 50th and the 100th. */
    private boolean isAmong(int client) {
        return (long) ((client + 1) * options.stalledShare()) > (long) (client * options.stalledShare());
    }

    private void stall() {
        if (!over) {
            forEachConnection(ServerConnection::pauseReading);
            if (options.stallNanos() > 0) {
                home.loop.runAfter(options.stallNanos(), this::resume);
            }
        }
    }

    private void resume() {
        if (!over) {
            forEachConnection(ServerConnection::resumeReading);
            home.loop.runAfter(options.stallNanos(), this::stall);
        }
    }

    /** Lets all of them read until the end of the run. */
    void end() {
        over = true;
        forEachConnection(ServerConnection::resumeReading);
    }

    private void forEachConnection(Consumer<ServerConnection> action) {
        home.forEachOpen(client -> client.stalled, action);
    }

    /** Counts a reader that the server has disconnected; its missing messages no longer count. */
    void disconnected(SubscriberClient client) {
        client.check = null;
        home.counts.add(Count.STALLED_DISCONNECTED);
    }

    /** Counts a message of a stalled reader and the positions missing before it. */
    void received(SubscriberClient client, int slot, MessageView message) {
        DeliveryCheck check = client.check;
        if (check == null || slot < 0 || message.type() == MessageType.SNAPSHOT) {
            return;
        }
        home.counts.add(Count.STALLED_MESSAGES);
        long missing = separate.of(Count.POSITIONS_MISSING);
        long repeated = separate.of(Count.POSITIONS_REPEATED);
        check.position(slot, message.epoch(), message.seq(), SubscriberLoop.previousSeq(message), separate);
        home.counts.add(Count.STALLED_SKIPPED, separate.of(Count.POSITIONS_MISSING) - missing);
        home.counts.add(Count.STALLED_REPEATED, separate.of(Count.POSITIONS_REPEATED) - repeated);
    }

    /** Counts the messages that a gap event covers, from the reader's own position on. */
    void skipped(SubscriberClient client, int slot, Position to, String reason) {
        DeliveryCheck check = client.check;
        if (check != null && slot >= 0) {
            Count count = reason.equals(Code.CONFLATED.text()) ? Count.STALLED_CONFLATED : Count.STALLED_DROPPED;
            home.counts.add(count, check.untilGapEnds(slot, to.epoch(), to.seq()));
            check.gap(slot, to.epoch(), to.seq());
        }
    }

    /** Number of messages that other clients have received and connected stalled readers have not. */
    long behind() {
        long[] heads = new long[home.subjects.size()];
        for (SubscriberClient client : home.clients) {
            forEachSlot(client, (check, slot) -> {
                int subject = client.subjects[slot];
                heads[subject] = Math.max(heads[subject], check.seq(slot));
            });
        }
        long[] sum = new long[1];
        for (SubscriberClient client : home.clients) {
            if (client.stalled) {
                forEachSlot(client, (check, slot) -> sum[0] += heads[client.subjects[slot]] - check.seq(slot));
            }
        }
        return sum[0];
    }

    private static void forEachSlot(SubscriberClient client, ObjIntConsumer<DeliveryCheck> action) {
        DeliveryCheck check = client.check;
        for (int slot = 0; check != null && slot < client.subjects.length; slot++) {
            action.accept(check, slot);
        }
    }
}

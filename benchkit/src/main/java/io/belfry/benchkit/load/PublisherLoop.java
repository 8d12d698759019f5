package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Count;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Random32;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The publishers of one loop: connects them, runs their schedule, and handles acknowledgements. Owner: the loop. */
final class PublisherLoop extends FleetLoop<PublisherClient> {
    /** Id of a ping; the ids of publishes count up from 1. The pong says that all commands before it were handled. */
    private static final long PING_ID = 0;

    private static final int OK = 200;
    private static final int SHOWN_MAX = 200;
    /** Codes that every further publish would get too, so the run ends. */
    private static final Set<String> FINAL = Set.of("publish-denied", "unauthorized", "401", "403");

    private final PublisherOptions options;
    private final long[] acknowledgedOfSubject;
    final Outbox outbox;
    final PublishSchedule schedule;
    private boolean ending;
    private int pongsOpen;

    PublisherLoop(PublisherFleet fleet, PublisherOptions options, ClientLoop loop, int first, int count) {
        super(fleet, loop, count);
        this.options = options;
        Random32 random = new Random32(System.nanoTime());
        this.acknowledgedOfSubject =
                new long[options.acknowledged() ? options.subjects().size() : 0];
        this.outbox = new Outbox(this, options, first, random);
        this.schedule = new PublishSchedule(this, options, count, random);
    }

    @Override
    PublisherClient make(int index, long begunNanos) {
        return new PublisherClient(index, begunNanos);
    }

    @Override
    Route route(PublisherClient client) {
        return target.publishing(client.index);
    }

    /** Over a WebSocket, a pong shows that the server accepts commands; over HTTP, an open connection is ready. */
    @Override
    void opened(PublisherClient client, ServerConnection connection) {
        if (target.transport() == LoadTransport.WEBSOCKET) {
            ping(connection);
        } else {
            ready(client, loop.clock().getAsLong());
        }
    }

    private void ping(ServerConnection connection) {
        encoding.ping(command.clear(), PING_ID);
        connection.send(command, target.webSocketBinary());
    }

    @Override
    public void onPong(long id) {
        if (current().ready) {
            pongsOpen--;
        } else {
            ready(current(), readNanos);
        }
    }

    /** Ends the schedule, sends the end marks, and then asks each server whether it has handled every publish. */
    void settle() {
        schedule.stop();
        ending = true;
        pongsOpen = 0;
        schedule.sendEndMarks(this::askWhetherAllIsSeen);
    }

    private void askWhetherAllIsSeen() {
        if (target.transport() == LoadTransport.WEBSOCKET) {
            forEachOpen(client -> true, connection -> {
                pongsOpen++;
                ping(connection);
            });
        }
        ending = false;
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        acknowledged(current(), id, readNanos);
    }

    private void acknowledged(PublisherClient client, long id, long nanos) {
        AckWindow acks = client.acks;
        if (!acks.isOpen(id)) {
            counts.add(Count.ERRORS);
            fleet.incidents().add("the server acknowledged a publish that expects no acknowledgement");
            return;
        }
        long intendedNanos = acks.intendedNanos(id);
        if (options.acknowledged() && intendedNanos != Outbox.NOT_MEASURED) {
            counts.add(Count.ACKNOWLEDGED);
            acknowledgedOfSubject[acks.subject(id)]++;
            if (measuring) {
                figures.latencies().record(nanos - intendedNanos);
            }
        }
        acks.close(id);
    }

    @Override
    void answered(PublisherClient client, int status, ByteBuf body) {
        long id = client.acks.oldest();
        if (status == OK) {
            acknowledged(client, id, loop.clock().getAsLong());
            return;
        }
        counts.add(Count.ERRORS);
        String text = body.toString(StandardCharsets.UTF_8).strip();
        String sentence = "the server answered HTTP " + status + ": "
                + (text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text);
        fleet.incidents().add(sentence);
        refused(client, Integer.toString(status), sentence);
        client.acks.close(id);
    }

    @Override
    void writable() {
        schedule.roomMade();
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        super.onError(id, code, reason, subject);
        current().acks.close(id);
    }

    @Override
    void refused(PublisherClient client, String code, String sentence) {
        if (!client.ready || FINAL.contains(code)) {
            fleet.failed(sentence);
        }
    }

    @Override
    public void onMessage(MessageView message) {
        counts.add(Count.MISDELIVERED);
    }

    @Override
    void ended(PublisherClient client, Ending how) {
        if (client.frames != null) {
            client.frames.release();
            client.frames = null;
        }
        super.ended(client, how);
    }

    @Override
    void broken(PublisherClient client, Ending how) {
        counts.add(Count.DISCONNECTIONS);
        fleet.failed("a publisher's connection ended: " + how.sentence());
    }

    @Override
    long awaited() {
        long answers = clients.stream().mapToLong(client -> client.acks.open()).sum();
        return answers + pongsOpen + schedule.endMarksLeft + (ending ? 1 : 0);
    }

    @Override
    void clock(ClockOffset offset) {
        outbox.clock(offset);
    }

    /** Number of acknowledged publishes by subject index; a copy. */
    long[] acknowledgedOfSubject() {
        return acknowledgedOfSubject.clone();
    }

    @Override
    void finish() {
        schedule.stop();
        super.finish();
    }
}

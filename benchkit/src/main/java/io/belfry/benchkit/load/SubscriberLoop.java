package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.DeliveryCheck;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.SubscribeRequest;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The subscribers of one loop: connects and subscribes them and passes on what they receive. Owner: the loop. */
final class SubscriberLoop extends FleetLoop<SubscriberClient> {
    /** Subjects of one subscribe command: 32 KB at most, which is below every server's maximum message size. */
    private static final int SUBJECTS_PER_COMMAND = 128;

    private final SubscriberOptions options;
    final SubjectList subjects;
    final Deliveries deliveries;
    final StalledReaders stalled;
    private final int firstClient;
    /** Null if clients stay connected to the end. */
    private final @Nullable Churn churn;

    SubscriberLoop(SubscriberFleet fleet, SubscriberOptions options, ClientLoop loop, int firstClient, int count) {
        super(fleet, loop, count);
        this.options = options;
        this.subjects = options.subjects();
        this.firstClient = firstClient;
        this.deliveries = new Deliveries(this, options.correctClocks());
        this.stalled = new StalledReaders(this, options);
        this.churn = options.holdTime() == null ? null : new Churn(this, options.holdTime(), count);
    }

    @Override
    SubscriberClient make(int index, long begunNanos) {
        int client = firstClient + index;
        int[] assigned = options.assignment().of(client);
        return new SubscriberClient(subjects, index, client, assigned, options.verify(), begunNanos);
    }

    @Override
    Route route(SubscriberClient client) {
        return target.subscribing(client.index, subjects, client.subjects);
    }

    /** Subscribes over an open WebSocket; over HTTP the request has named the subjects. Each subject has its own answer. */
    @Override
    void opened(SubscriberClient client, ServerConnection connection) {
        if (target.transport() != LoadTransport.WEBSOCKET) {
            return;
        }
        for (int from = 0; from < client.subjects.length; from += SUBJECTS_PER_COMMAND) {
            int end = Math.min(from + SUBJECTS_PER_COMMAND, client.subjects.length);
            IntStream some = Arrays.stream(client.subjects, from, end);
            List<byte[]> names = some.mapToObj(subjects::copy).toList();
            encoding.subscribe(command.clear(), from + 1L, new SubscribeRequest(names, null, 0, 0));
            connection.send(command, target.webSocketBinary());
        }
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        SubscriberClient client = current();
        int slot = client.slotOf(subject);
        if (slot < 0) {
            return;
        }
        if (client.check != null && at != null) {
            client.check.subscribed(slot, at.epoch(), at.seq());
        }
        if (--client.answersOpen == 0) {
            client.readyNanos = readNanos;
            ready(client, readNanos);
            if (churn != null) {
                churn.hold(client);
            }
        }
    }

    @Override
    public void onMessage(MessageView message) {
        SubscriberClient client = current();
        int slot = client.slotOf(message);
        if (client.stalled) {
            stalled.received(client, slot, message);
        } else if (slot < 0) {
            counts.add(Count.MISDELIVERED);
        } else if (message.type() == MessageType.SNAPSHOT || message.type() == MessageType.HISTORY) {
            counts.add(Count.REPLAYED);
        } else {
            deliveries.received(client, slot, message, readNanos);
        }
    }

    /** The seq of the message before this one of its subject. */
    static long previousSeq(MessageView message) {
        return message.prev() == MessageView.NO_PREV ? message.seq() - 1 : message.prev();
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        SubscriberClient client = current();
        int slot = client.slotOf(subject);
        if (client.stalled) {
            stalled.skipped(client, slot, to, reason);
            return;
        }
        super.onGap(subject, from, to, reason);
        if (client.check != null && slot >= 0) {
            client.check.gap(slot, to.epoch(), to.seq());
        }
    }

    @Override
    void refused(SubscriberClient client, String code, String sentence) {
        if (!client.ready) {
            fleet.failed(sentence);
        }
    }

    @Override
    boolean retries(SubscriberClient client, Ending ending) {
        return churn != null && churn.retries(client, ending);
    }

    @Override
    void broken(SubscriberClient client, Ending ending) {
        if (client.stalled) {
            stalled.disconnected(client);
            return;
        }
        if (churn == null || ending.cause() != Ending.Cause.FINISHED) {
            counts.add(Count.DISCONNECTIONS);
            fleet.incidents().add("connection ended: " + ending.sentence());
        }
        if (churn != null) {
            churn.comeBack(client);
        }
    }

    /** With a hold time: lets fewer and fewer clients connect again; see {@link Churn}. */
    void rampDown(long nanos) {
        if (churn != null) {
            churn.rampDown(nanos);
        }
    }

    @Override
    long awaited() {
        return deliveries.endMarksMissing();
    }

    @Override
    void clock(ClockOffset own) {
        deliveries.publishers.own(own);
    }

    /** Number of deliveries to expect if each subject has the given number of messages. */
    long expected(long[] messagesOfSubject) {
        return clients.stream()
                .flatMapToInt(client -> Arrays.stream(client.subjects))
                .mapToLong(subject -> messagesOfSubject[subject])
                .sum();
    }

    /** Number of those deliveries that have not arrived. */
    long missing(long[] messagesOfSubject) {
        long sum = 0;
        for (SubscriberClient client : clients) {
            DeliveryCheck check = client.check;
            for (int slot = 0; slot < client.subjects.length; slot++) {
                long received = check == null ? 0 : check.distinctMessages(slot);
                sum += Math.max(0, messagesOfSubject[client.subjects[slot]] - received);
            }
        }
        return sum;
    }
}

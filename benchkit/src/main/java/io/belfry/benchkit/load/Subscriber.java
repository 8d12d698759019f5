package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.DeliveryCheck;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.Ending;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** One client's part of the state; what it does is its loop's. Owner: the loop. */
final class Subscriber extends LoadClient {
    final SubscriberLoop home;
    final int client;
    final int[] subjects;

    /** Null where nothing is verified, and of a stalled reader that was disconnected. */
    @Nullable
    DeliveryCheck check;

    /** Subjects whose subscription is not answered. */
    int answersOpen;

    /** When the last of them was answered. */
    long readyNanos;

    /** It stops reading, as it was told; see {@link StalledReaders}. */
    boolean stalled;

    Subscriber(SubscriberLoop home, int index, int client, int[] subjects, boolean verify, long begunNanos) {
        super(index, begunNanos);
        this.home = home;
        this.client = client;
        this.subjects = subjects;
        this.answersOpen = subjects.length;
        this.check = verify ? new DeliveryCheck(subjects.length) : null;
    }

    /** Which of its subjects these bytes are, -1 if none. */
    int slotOf(SubjectList list, ByteBuf bytes, int offset, int length) {
        if (subjects.length == 1) {
            return list.is(subjects[0], bytes, offset, length) ? 0 : -1;
        }
        int subject = list.indexOf(bytes, offset, length);
        for (int slot = 0; subject >= 0 && slot < subjects.length; slot++) {
            if (subjects[slot] == subject) {
                return slot;
            }
        }
        return -1;
    }

    @Override
    public void onOpen(Connection opened) {
        connection = opened;
        home.subscribe(this, opened);
    }

    @Override
    public void onMessage(Connection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {
        home.events().read(this, bytes, offset, length, readNanos);
    }

    @Override
    public void onReadEnd(Connection from, int bytes) {
        home.events().readEnd(bytes);
    }

    @Override
    public void onEnd(Ending ending) {
        home.clients().ended(this, ending);
    }
}

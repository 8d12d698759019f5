package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.DeliveryCheck;
import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** The state of one subscriber; {@link SubscriberLoop} has the behaviour. Owner: the loop. */
final class SubscriberClient extends LoadClient {
    private final SubjectList all;
    /** Index among the clients of all loops. */
    final int client;
    /** Indexes into the subject list; the place in this array is the client's slot. */
    final int[] subjects;
    /** Null if deliveries are not verified, and for a stalled reader that the server disconnected. */
    @Nullable
    DeliveryCheck check;
    /** Number of subjects whose subscription is not yet answered. */
    int answersOpen;
    /** The time at which the last subscription was answered. */
    long readyNanos;
    /** The client has stopped reading on purpose; see {@link StalledReaders}. */
    boolean stalled;

    /** {@code all} is the list that {@code subjects} are indexes into. */
    SubscriberClient(SubjectList all, int index, int client, int[] subjects, boolean verify, long begunNanos) {
        super(index, begunNanos);
        this.all = all;
        this.client = client;
        this.subjects = subjects;
        this.answersOpen = subjects.length;
        this.check = verify ? new DeliveryCheck(subjects.length) : null;
    }

    /** Returns the slot of a message's subject, or -1 if the client is not subscribed to it. */
    int slotOf(MessageView message) {
        return slotOf(message.subject(), message.subjectOffset(), message.subjectLength());
    }

    int slotOf(byte[] subject) {
        return slotOf(Unpooled.wrappedBuffer(subject), 0, subject.length);
    }

    private int slotOf(ByteBuf bytes, int offset, int length) {
        if (subjects.length == 1) {
            return all.is(subjects[0], bytes, offset, length) ? 0 : -1;
        }
        int subject = all.indexOf(bytes, offset, length);
        for (int slot = 0; subject >= 0 && slot < subjects.length; slot++) {
            if (subjects[slot] == subject) {
                return slot;
            }
        }
        return -1;
    }
}

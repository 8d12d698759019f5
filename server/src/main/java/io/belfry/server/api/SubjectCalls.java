package io.belfry.server.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.protocol.Code;
import io.belfry.protocol.HistoryRemoval;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import io.belfry.server.json.JsonBytes;
import io.belfry.server.monitor.HttpRefusal;
import io.belfry.server.presence.PresenceList;
import io.belfry.server.workgroup.LaneOperator;
import io.belfry.server.workgroup.Sliced;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The calls about one subject: its stored messages and its members. Any thread, except an event loop: the methods wait for the lanes. */
final class SubjectCalls {
    /** Maximum size of the data in one answer; a message more is always allowed. */
    private static final int HISTORY_BYTES_MAX = 1 << 20;

    private static final long SLICE_NANOS = 500_000;
    private static final int MESSAGES_PER_LOOK = 16;

    private final List<ApiLane> lanes;
    private final String node;

    SubjectCalls(List<ApiLane> lanes, String node) {
        this.lanes = lanes;
        this.node = node;
    }

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Message(long seq, long timeMillis, boolean retained, Map<String, String> headers, byte[] data) {
        static Message of(MessageView view) {
            byte[] data = new byte[view.dataLength()];
            view.data().getBytes(view.dataOffset(), data);
            return new Message(view.seq(), view.timeMillis(), view.retained(), MessageHeaders.of(view), data);
        }
    }

    private record Stored(long epoch, long seq, List<Message> messages, boolean more) {}

    /** Returns the plain subject of the parameter {@code subject}. */
    static byte[] subject(ApiRequest request) {
        byte[] subject = request.parameter("subject")
                .orElseThrow(() -> new HttpRefusal(Code.BAD_REQUEST, "the parameter subject is missing"))
                .getBytes(StandardCharsets.UTF_8);
        String problem = Subjects.problem(subject, 0, subject.length, false);
        if (problem != null) {
            throw new HttpRefusal(Subjects.code(problem), problem);
        }
        return subject;
    }

    ApiReply history(ApiRequest request) {
        byte[] subject = subject(request);
        Optional<Position> after = request.parameter("after")
                .map(text -> Optional.ofNullable(Position.parse(text))
                        .orElseThrow(() -> new HttpRefusal(Code.BAD_POSITION)));
        int limit = request.number("limit", SessionCalls.LIMIT, SessionCalls.LIMIT_MAX);
        int home = Sliced.on(
                lanes.getFirst().inspector(),
                lane -> lanes.getFirst().operator().homeOf(subject));
        Stored stored = Sliced.sliced(
                lanes.get(home).inspector(),
                new HistoryCopy(
                        lanes.get(home).operator(),
                        subject,
                        after.map(Position::seq).orElse(0L),
                        limit));
        if (after.isPresent() && after.get().epoch() != stored.epoch()) {
            throw new HttpRefusal(Code.EPOCH_CHANGED);
        }
        return ApiReply.object(json -> {
            SessionCalls.scope(json, node);
            json.writeStringField("subject", new String(subject, StandardCharsets.UTF_8));
            json.writeNumberField("epoch", stored.epoch());
            json.writeNumberField("seq", stored.seq());
            json.writeArrayFieldStart("messages");
            for (Message each : stored.messages()) {
                write(json, each);
            }
            json.writeEndArray();
            json.writeBooleanField("more", stored.more());
        });
    }

    ApiReply presence(ApiRequest request) {
        byte[] subject = subject(request);
        byte[] presence = Subjects.presenceOf(subject);
        if (presence == null) {
            throw new HttpRefusal(Code.BAD_SUBJECT, "a subject of more than 245 bytes has no presence");
        }
        int home = Sliced.on(
                lanes.getFirst().inspector(),
                lane -> lanes.getFirst().operator().homeOf(presence));
        PresenceList list = Sliced.on(
                lanes.get(home).inspector(), lane -> lanes.get(home).operator().members(presence));
        return ApiReply.object(json -> {
            SessionCalls.scope(json, node);
            json.writeStringField("subject", new String(subject, StandardCharsets.UTF_8));
            json.writeNumberField("users", list.users());
            json.writeNumberField("sessions", list.sessions());
            List<PresenceList.Entry> members = list.members();
            if (members != null) {
                json.writeArrayFieldStart("members");
                for (PresenceList.Entry each : members) {
                    write(json, each);
                }
                json.writeEndArray();
            }
        });
    }

    private static void write(JsonGenerator json, PresenceList.Entry member) throws IOException {
        json.writeStartObject();
        json.writeStringField("user", member.user());
        json.writeNumberField("sessions", member.sessions());
        String info = member.info();
        if (info != null) {
            json.writeFieldName("info");
            json.writeRawValue(info);
        }
        json.writeEndObject();
    }

    /** Copies the stored messages of a subject after a seq, at its home. */
    private static final class HistoryCopy implements Sliced.Work<Stored> {
        private final LaneOperator home;
        private final byte[] subject;
        private final int limit;
        private final List<Message> messages = new ArrayList<>();
        private long after;
        private int bytes;
        private long sliceEndNanos;
        private boolean more;
        private boolean paused;

        HistoryCopy(LaneOperator home, byte[] subject, long after, int limit) {
            this.home = home;
            this.subject = subject;
            this.after = after;
            this.limit = limit;
        }

        @Override
        public boolean work() {
            paused = false;
            sliceEndNanos = home.clockNanos() + SLICE_NANOS;
            int id = home.find(subject);
            if (id >= 0) {
                home.history(id, after, Integer.MAX_VALUE, this::add);
            }
            return !paused;
        }

        private boolean add(MessageView message) {
            if (!HistoryRemoval.is(message)) {
                if (messages.size() == limit || bytes > HISTORY_BYTES_MAX) {
                    more = true;
                    return false;
                }
                messages.add(Message.of(message));
                bytes += message.dataLength();
            }
            after = message.seq();
            paused = messages.size() % MESSAGES_PER_LOOK == 0 && home.clockNanos() - sliceEndNanos >= 0;
            return !paused;
        }

        @Override
        public Stored result() {
            int id = home.find(subject);
            return new Stored(home.epoch(), id < 0 ? 0 : home.seq(id), messages, more);
        }
    }

    private static void write(JsonGenerator json, Message message) throws IOException {
        json.writeStartObject();
        json.writeNumberField("seq", message.seq());
        json.writeNumberField("time", message.timeMillis());
        if (message.retained()) {
            json.writeBooleanField("retained", true);
        }
        JsonBytes.data(json, message.data());
        if (!message.headers().isEmpty()) {
            JsonBytes.texts(json, "headers", message.headers());
        }
        json.writeEndObject();
    }
}

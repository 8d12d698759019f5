package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.Subjects;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Terms;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code /poll}: subscribes, answers with the first messages or after a wait, and unsubscribes. Owner: the
 * loop.
 */
final class PollCall implements ApiCall, Runnable {
    /**
     * Largest answer of a poll that can be continued. On a network that breaks connections a short answer is more likely
     * to arrive, and each one that arrives moves the client forward.
     */
    static final int CONTINUED_BYTES_MAX = 64 << 10;

    private final ApiSession api;
    private final List<byte[]> subjects;
    private final CollectedMessages collected;
    private final PollTimer timer;

    /** The position from which the next poll of a single subject continues. */
    private @Nullable Position reached;

    /** The position before the messages of a pattern. */
    private @Nullable PatternPosition before;

    private PollCall(ApiSession api, List<byte[]> subjects, @Nullable Position from) {
        this.api = api;
        this.subjects = subjects;
        collected = new CollectedMessages(api, from == null ? HistoryCall.ANSWER_BYTES_MAX : CONTINUED_BYTES_MAX);
        reached = from;
        timer = new PollTimer(api.answer().context().eventLoop(), this);
    }

    static void serve(EndpointExchange http, HttpRequest request) {
        http.admit(request, principal -> begin(http, request, principal));
    }

    private static void begin(EndpointExchange http, HttpRequest request, Principal principal) {
        List<byte[]> subjects = StreamRequest.followedOf(request);
        String fromText = request.query().first("from");
        Position from = fromText == null ? null : Position.parse(fromText);
        PatternPosition patternFrom = from != null ? null : ofPattern(subjects, fromText);
        int wait = PollTimer.waitMillis(request.query().first("wait"));
        HttpAnswer answer = http.answer();
        if (fromText != null && ((from == null && patternFrom == null) || subjects.size() != 1)) {
            answer.refuse(
                    Code.BAD_POSITION,
                    "from must be one position, epoch:seq or that of a pattern, and needs exactly one subject");
        } else if (wait < 0) {
            answer.refuse(Code.BAD_REQUEST, "wait must be a time up to 60s, such as 25s or 500ms");
        } else if (ReadChecks.passes(
                http,
                request,
                principal,
                subjects,
                from == null ? null : "from requires a subject without wildcards")) {
            ApiSession api = http.api();
            api.as(principal);
            if (patternFrom != null) {
                new PatternPollCall(api, subjects.getFirst()).begin(patternFrom, wait);
            } else {
                new PollCall(api, subjects, from).begin(from, wait);
            }
        }
    }

    /** Returns the position of patterns if the text is one and the only subject is a pattern. */
    private static @Nullable PatternPosition ofPattern(List<byte[]> subjects, @Nullable String text) {
        return text != null && subjects.size() == 1 && Subjects.isPattern(subjects.getFirst())
                ? PatternPosition.parse(text)
                : null;
    }

    private void begin(@Nullable Position from, int waitMillis) {
        api.begin(this);
        api.connection().probeWhileSilent();
        timer.begin(subjects.size(), Math.min(waitMillis, api.untilExpiry()));
        Terms terms = new Terms(from, 0, 0, true);
        for (byte[] subject : subjects) {
            if (api.isRunning(this)) {
                api.lane()
                        .commands(api.session())
                        .subscribe(COMMAND_ID, subject, terms, Decision.ALLOWED, () -> api.isRunning(this));
            }
        }
    }

    @Override
    public boolean isPolling() {
        return true;
    }

    // ---- replies of the lane ----

    @Override
    public void message(MessageView message) {
        if (message.type() != MessageType.SNAPSHOT) {
            if (collected.add(message)) {
                reached = new Position(message.epoch(), message.seq());
            }
            finishSoon();
        }
    }

    @Override
    public void gap(byte[] subject, @Nullable Position from, Position at, Code reason) {
        if (collected.addGap(subject, from, at, reason)) {
            reached = at;
            finishSoon();
        }
    }

    @Override
    public void subscribed(byte[] subject, @Nullable Position at, Recovery recovery) {
        if (at != null && recovery == Recovery.NONE) {
            reached = at;
        }
        if (Subjects.isPattern(subject)) {
            timer.answered();
            finishSoon();
        }
    }

    @Override
    public void patternSubscribed(byte[] pattern, PatternPosition at, Recovery recovery) {
        before = at;
        subscribed(pattern, null, recovery);
    }

    @Override
    public void caughtUp() {
        timer.answered();
        finishSoon();
    }

    // ---- the end ----

    private void finishSoon() {
        timer.endSoon(!collected.isEmpty(), collected.isTruncated());
    }

    /** Ends the poll and answers. Has no effect if the poll has ended. */
    @Override
    public void run() {
        if (!api.end(this)) {
            return;
        }
        timer.cancel();
        leave();
        if (timer.isAwaiting() && !hasPosition()) {
            // The client could not continue after this answer, and would lose what is published before its next poll.
            collected.release();
            api.holds(0);
            api.answer().refuseForTime();
            return;
        }
        ByteBuf out = api.connection().newBuffer();
        out.writeByte('{');
        if (subjects.size() == 1) {
            writePosition(out, subjects.getFirst());
        }
        collected.answer(out);
    }

    /** Returns whether the answer has the position that it must have; that of several subjects has none. */
    private boolean hasPosition() {
        return subjects.size() > 1 || reached != null || before != null;
    }

    private void writePosition(ByteBuf out, byte[] subject) {
        if (Subjects.isPattern(subject)) {
            CollectedMessages.writePosition(out, subject, before);
            out.writeByte(',');
        } else if (reached != null) {
            CollectedMessages.writePosition(out, subject, reached.epoch(), reached.seq());
            out.writeByte(',');
        }
    }

    private void leave() {
        for (byte[] subject : subjects) {
            api.lane().routing().unsubscribe(api.session(), CommandHandler.NO_ID, subject);
        }
    }

    @Override
    public void onError() {
        leave();
    }

    @Override
    public void release() {
        timer.cancel();
        collected.release();
    }
}

package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.session.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code /poll} of a pattern from a position: reads the messages after it and answers with the position that
 * the reading reached. Without messages it waits for a live one and then reads again, because a live message has no position
 * of patterns. Owner: the loop.
 */
final class PatternPollCall implements ApiCall, Runnable {
    /** The end of a gap of a pattern, which has none. */
    private static final Position NOWHERE = new Position(0, 0);

    private final ApiSession api;
    private final byte[] pattern;
    private final EventLoop loop;
    private final CollectedMessages collected;
    private final PollTimer timer;
    private @Nullable PatternPosition reached;
    private boolean reading;

    /** Whether a message arrived that the last reading may not include. */
    private boolean live;

    /** Whether Limit.AnswerBytes prevented the answer. */
    private boolean refused;

    PatternPollCall(ApiSession api, byte[] pattern) {
        this.api = api;
        this.pattern = pattern;
        loop = api.answer().context().eventLoop();
        collected = new CollectedMessages(api, HistoryCall.ANSWER_BYTES_MAX);
        timer = new PollTimer(loop, this);
    }

    void begin(PatternPosition from, int waitMillis) {
        api.begin(this);
        api.connection().probeWhileSilent();
        timer.begin(1, Math.min(waitMillis, api.untilExpiry()));
        read(from);
    }

    private void read(PatternPosition from) {
        reached = from;
        reading = true;
        live = false;
        api.lane()
                .commands(api.session())
                .subscribe(
                        COMMAND_ID,
                        pattern,
                        new Terms(null, from, 0, 0, true),
                        Decision.ALLOWED,
                        () -> api.isRunning(this));
    }

    private void readAgain() {
        PatternPosition from = reached;
        if (api.isRunning(this) && from != null) {
            leave();
            read(from);
        }
    }

    @Override
    public boolean isPolling() {
        return true;
    }

    // ---- replies of the lane ----

    @Override
    public void message(MessageView message) {
        if (message.type() == MessageType.RECOVERED) {
            if (!collected.add(message) && !refused && !api.hasRoom()) {
                refused = true;
                loop.execute(this);
            }
        } else if (message.type() == MessageType.LIVE) {
            live = true;
            readLater();
        }
    }

    /** Reads again after the present task, which may be delivering to subscriptions. */
    private void readLater() {
        if (live && !reading && collected.isEmpty()) {
            reading = true;
            timer.awaitAgain();
            loop.execute(this::readAgain);
        }
    }

    @Override
    public void gap(byte[] subject, @Nullable Position from, Position at, Code reason) {
        collected.addGap(subject, from, at, reason);
    }

    @Override
    public void patternSubscribed(byte[] confirmed, PatternPosition at, Recovery recovery) {
        onRead(at);
    }

    @Override
    public void subscribed(byte[] confirmed, @Nullable Position at, Recovery recovery) {
        onRead(null);
    }

    /** Ends a long answer here, so that a client whose connections often break moves forward with each answer. */
    @Override
    public void progress(PatternPosition at) {
        if (!collected.isTruncated()) {
            reached = at;
            collected.cover();
            timer.endSoon(true, collected.bytes() >= PollCall.CONTINUED_BYTES_MAX);
        }
    }

    private void onRead(@Nullable PatternPosition at) {
        reached = at;
        reading = false;
        timer.answered();
        if (collected.isTruncated()) {
            collected.addGapForOmitted(pattern, NOWHERE, Code.SLOW_CONSUMER);
        }
        readLater();
        timer.endSoon(!collected.isEmpty(), false);
    }

    // ---- the end ----

    /** Ends the poll and answers. Has no effect if the poll has ended. */
    @Override
    public void run() {
        if (!api.end(this)) {
            return;
        }
        leave();
        if (refused) {
            release();
            api.holds(0);
            api.answer().refuseForRoom();
            return;
        }
        timer.cancel();
        if (timer.isAwaiting()) {
            // The reading has not ended, and the next poll reads again from the position that it has reached.
            collected.removeUncovered();
        }
        ByteBuf out = api.connection().newBuffer();
        out.writeByte('{');
        CollectedMessages.writePosition(out, pattern, reached);
        out.writeByte(',');
        collected.answer(out);
    }

    private void leave() {
        api.lane().routing().unsubscribe(api.session(), CommandHandler.NO_ID, pattern);
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

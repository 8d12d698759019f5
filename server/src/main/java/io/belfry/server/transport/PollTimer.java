package io.belfry.server.transport;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a poll ends: with its first message or when its wait is over, but in both cases only after the lanes of
 * its subjects have answered. Owner: the loop.
 */
final class PollTimer {
    private static final int WAIT_MILLIS_DEFAULT = 25_000;
    private static final int WAIT_MILLIS_MAX = 60_000;

    /** Time after the wait of a poll within which the lanes of its subjects may still answer. */
    private static final int LATE_MILLIS_MAX = 1000;

    private static final Pattern DURATION = Pattern.compile("([0-9]{1,11})(ms|s|m|h)?");

    private final EventLoop loop;
    private final Runnable poll;
    private int awaited;
    private boolean finishing;

    /** Whether the wait of the poll is over, so that the poll ends with the last awaited answer. */
    private boolean due;

    private @Nullable Future<?> deadline;

    /** The timer runs the poll to end it, on this loop. */
    PollTimer(EventLoop loop, Runnable poll) {
        this.loop = loop;
        this.poll = poll;
    }

    /** Returns the wait that a request asks for; -1 if the text is not a time, or above the maximum. */
    static int waitMillis(@Nullable String text) {
        if (text == null) {
            return WAIT_MILLIS_DEFAULT;
        }
        long wait = millis(text);
        return wait > WAIT_MILLIS_MAX ? -1 : (int) wait;
    }

    /** Returns the milliseconds of a time such as {@code 25s} or {@code 500ms}, or -1 if the text is none. */
    static long millis(String text) {
        Matcher duration = DURATION.matcher(text);
        return duration.matches() ? Long.parseLong(duration.group(1)) * unitMillis(duration.group(2)) : -1;
    }

    private static long unitMillis(@Nullable String unit) {
        return switch (unit == null ? "ms" : unit) {
            case "s" -> 1000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 1;
        };
    }

    /** Begins a poll of this many subjects, whose lanes each answer once. */
    void begin(int subjects, long waitMillis) {
        finishing = false;
        due = false;
        awaited = subjects;
        deadline = loop.schedule(this::onDeadline, waitMillis, TimeUnit.MILLISECONDS);
    }

    /** Awaits one more answer. */
    void awaitAgain() {
        awaited++;
    }

    /** Counts the answer of one lane. */
    void answered() {
        awaited--;
    }

    /** Returns whether a lane still owes an answer. */
    boolean isAwaiting() {
        return awaited > 0;
    }

    /**
     * Schedules the end of the poll once all recovered messages are here, so that messages of the same turn are
     * included. A full poll does not wait for the rest.
     */
    void endSoon(boolean hasMessages, boolean full) {
        if ((full || (awaited <= 0 && (hasMessages || due))) && !finishing) {
            finishing = true;
            loop.execute(poll);
        }
    }

    /** The lane of a subject may still owe its position, without which the client cannot continue after this poll. */
    private void onDeadline() {
        if (awaited > 0) {
            due = true;
            deadline = loop.schedule(poll, LATE_MILLIS_MAX, TimeUnit.MILLISECONDS);
        } else {
            poll.run();
        }
    }

    void cancel() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }
}

package io.belfry.server.home;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Subjects;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.LogOrder;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.ToEdge;
import io.belfry.server.handoff.ToHome;
import io.belfry.server.history.History;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.turn.Turn;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Reads a lane's messages for patterns from a position on. Owner: the lane's loop.
 *
 * <p>A read visits the records of all subjects in their order, so it may visit many that do not match. The requests wait in
 * a queue and are served in slices. Between two slices the lane serves its sockets and is idle for a while, so that reads
 * take a fifth of a processor at most. The last piece of a read and the report that the home delivers live messages from
 * now on are in one step, so no message is between them.
 */
final class PatternReader {
    /** Maximum time of a slice. */
    private static final long SLICE_NANOS = 250_000;

    /** Time between two slices. */
    private static final long REST_NANOS = 1_000_000;

    /** Maximum records visited for one request before the clock is read. */
    private static final int PIECE_RECORDS = 512;

    /** Maximum pieces for one request. The edge then requests the rest, if its session still exists. */
    private static final int PIECES_OF_REQUEST = 16;

    /**
     * Minimum pieces of a slice, if requests wait. On a busy machine the clock also counts the time of other processes, and a
     * slice would end after one piece, so that the reading might be slower than the publishing.
     */
    private static final int PIECES_OF_SLICE_MIN = 6;

    /** Maximum pieces of a slice, whatever the clock says. */
    private static final int PIECES_OF_SLICE = 64;

    /** Bytes of messages after which a request is answered. */
    private static final int BYTES_OF_REQUEST = ToHome.READ_BYTES / 4;

    private static final long PAUSE_NANOS = 10_000_000;
    private static final int PAUSES_MAX = 500;

    /** A request of an edge, and where its reading stands. */
    private static final class Request {
        final int edge;
        final long session;
        final int ticket;
        final byte[] pattern;
        final long[] from;
        long cursor;
        int pieces;
        int bytes;
        boolean gap;
        boolean ended;

        Request(int edge, long session, int ticket, byte[] pattern, long[] from, long cursor) {
            this.edge = edge;
            this.session = session;
            this.ticket = ticket;
            this.pattern = pattern;
            this.from = from;
            this.cursor = cursor;
        }
    }

    private final Turn turn;
    private final LaneCalls calls;
    private final LaneSubjects subjects;
    private final LoopCounters counters;
    private final Broker broker;
    private final Lifetime lifetime;
    private final LogOrder order;
    private final byte[] name = new byte[Subjects.MAX_BYTES];
    private final ByteBuf nameBuffer = Unpooled.wrappedBuffer(name);
    private final MessageView view = new MessageView();
    private final Deque<Request> waiting = new ArrayDeque<>();
    private boolean scheduled;

    PatternReader(
            Turn turn,
            LaneCalls calls,
            LaneSubjects subjects,
            LoopCounters counters,
            Broker broker,
            Lifetime lifetime,
            LogOrder order) {
        this.turn = turn;
        this.calls = calls;
        this.subjects = subjects;
        this.counters = counters;
        this.broker = broker;
        this.lifetime = lifetime;
        this.order = order;
    }

    void read(int edge, long session, int ticket, byte[] pattern, long[] from, long cursor) {
        Request request = new Request(edge, session, ticket, pattern, from, cursor);
        if (cursor == 0) {
            begin(request, PAUSES_MAX);
        } else {
            queue(request);
        }
    }

    /** Starts a read when this node has reached its position, which another node may have reported, or after a short time. */
    private void begin(Request request, int pauses) {
        if (order.isReached(request.from)) {
            // Messages up to the position may still be queued; they must precede the answer.
            broker.behindMessages(() -> start(request, order.doubt(request.from)));
        } else if (pauses == 0) {
            start(request, Code.EPOCH_CHANGED);
        } else {
            turn.after(PAUSE_NANOS, () -> begin(request, pauses - 1));
        }
    }

    private void start(Request request, @Nullable Code doubt) {
        if (doubt != null) {
            lose(request, doubt);
        }
        request.cursor =
                doubt == null ? order.start(request.from) : broker.history().start();
        queue(request);
    }

    private void lose(Request request, Code reason) {
        if (!request.gap) {
            request.gap = true;
            calls.edge(request.edge).patternGap(request.session, request.ticket, request.pattern, reason);
        }
    }

    /** Announces once that messages ended before they were delivered. */
    private void end(Request request) {
        counters.increment(Counter.MESSAGES_EXPIRED);
        if (!request.ended) {
            request.ended = true;
            calls.edge(request.edge).patternGap(request.session, request.ticket, request.pattern, Code.MESSAGE_EXPIRED);
        }
    }

    private void queue(Request request) {
        waiting.add(request);
        if (!scheduled) {
            scheduled = true;
            turn.next(this::slice);
        }
    }

    private void slice() {
        long endNanos = turn.clockNanos() + SLICE_NANOS;
        int pieces = 0;
        boolean over = false;
        try {
            for (Request next = waiting.poll(); next != null; next = over ? null : waiting.poll()) {
                piece(next);
                pieces++;
                over = pieces == PIECES_OF_SLICE
                        || (pieces >= PIECES_OF_SLICE_MIN && turn.clockNanos() - endNanos >= 0);
            }
        } finally {
            scheduled = !waiting.isEmpty();
            if (scheduled) {
                turn.after(REST_NANOS, this::slice);
            }
        }
    }

    private void piece(Request request) {
        History history = broker.history();
        if (request.cursor < history.start()) {
            lose(request, Code.HISTORY_GONE);
            request.cursor = history.start();
        }
        ToEdge answer = calls.edge(request.edge);
        request.pieces++;
        request.cursor = history.scan(
                request.cursor, PIECE_RECORDS, (subject, address) -> visit(request, answer, subject, address));
        if (request.cursor >= history.end()) {
            answer(request, Retained.END, order.ends());
        } else if (request.bytes >= BYTES_OF_REQUEST || request.pieces == PIECES_OF_REQUEST) {
            // The edge requests the rest when its session has taken these messages.
            answer(request, request.cursor, order.placesAt(request.from, request.cursor));
        } else {
            waiting.add(request);
        }
    }

    private void answer(Request request, long cursor, long[] places) {
        calls.edge(request.edge)
                .patternRead(calls.index(), request.session, request.ticket, request.pattern, cursor, places);
    }

    /** Forwards the message if it matches and is after the position; returns whether one more fits into the answer. */
    private boolean visit(Request request, ToEdge answer, int subject, long address) {
        counters.increment(Counter.PATTERN_RECORDS_READ);
        int length = subjects.table().copyKey(subject, name);
        if (!Subjects.matches(request.pattern, name, length)) {
            return true;
        }
        int log = order.log(subject);
        long place = order.place(address);
        if (place < request.from[log]) {
            return true;
        }
        if (broker.history().isExpired(address, turn.nowMillis())) {
            lose(request, Code.HISTORY_GONE);
            return true;
        }
        view.subject(nameBuffer, 0, length).type(MessageType.RECOVERED).prev(MessageView.NO_PREV);
        broker.history().show(address, view);
        if (lifetime.hasEnded(view)) {
            end(request);
            return true;
        }
        answer.patternMessage(calls.index(), request.session, request.ticket, request.pattern, log, place, view);
        request.bytes += view.contentLength() + view.subjectLength();
        return request.bytes < BYTES_OF_REQUEST;
    }
}

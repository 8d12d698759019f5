package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.protocol.WireFormat;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.HttpResponses;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request for a stream asks for. Immutable.
 *
 * @param code of the problem, where there is one
 * @param problem why it cannot be served, or null
 * @param from for each subject where to resume, or null
 * @param conflateMillis of each subject at most one message in this time, the latest; 0 = all
 */
record StreamRequest(
        Code code,
        @Nullable String problem,
        boolean lines,
        List<byte[]> subjects,
        List<@Nullable Position> from,
        int history,
        int conflateMillis) {
    static final int HISTORY_MAX = 1_000_000;

    static StreamRequest of(HttpRequest request) {
        List<byte[]> subjects = subjectsOf(request);
        String accept = request.header("Accept");
        boolean lines = accept != null && accept.contains(HttpResponses.NDJSON);
        String problem = problemOf(subjects);
        Code code = problem == null || subjects.isEmpty() ? Code.BAD_REQUEST : Code.BAD_SUBJECT;
        if (problem == null
                && subjects.stream().map(ByteBuffer::wrap).distinct().count() < subjects.size()) {
            problem = "a subject stands there twice";
        }
        if (problem == null && !request.http11()) {
            problem = "a stream needs HTTP/1.1";
        }
        int history = number(request.query().first("history"), 0);
        if (problem == null && history < 0) {
            problem = "history is a whole number from 0";
        }
        int conflate = whole(request.query().first("conflate"), 0);
        if (problem == null && (conflate < 0 || conflate > SubscribeRequest.CONFLATE_MILLIS_MAX)) {
            problem = "conflate is a whole number of ms from 0 to " + SubscribeRequest.CONFLATE_MILLIS_MAX;
        }
        List<@Nullable Position> from = new ArrayList<>();
        if (problem == null) {
            problem = readPositions(request, subjects, from);
            code = Code.BAD_POSITION;
        }
        return new StreamRequest(code, problem, lines, subjects, from, Math.max(0, history), Math.max(0, conflate));
    }

    static List<byte[]> subjectsOf(HttpRequest request) {
        return request.query().all("subject").stream()
                .map(subject -> subject.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    static @Nullable String problemOf(List<byte[]> subjects) {
        if (subjects.isEmpty()) {
            return "the parameter subject is missing";
        }
        for (byte[] subject : subjects) {
            String problem = Subjects.problem(subject, 0, subject.length, true);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /** Absent is the default, anything else than a whole number from 0 is -1. */
    static int number(@Nullable String text, int absent) {
        return Math.min(whole(text, absent), HISTORY_MAX);
    }

    private static int whole(@Nullable String text, int absent) {
        if (text == null) {
            return absent;
        }
        if (!text.matches("[0-9]{1,7}")) {
            return -1;
        }
        return Integer.parseInt(text);
    }

    /** A Last-Event-ID, which a browser sends when it reconnects by itself, outranks the address it once connected to. */
    private static @Nullable String readPositions(
            HttpRequest request, List<byte[]> subjects, List<@Nullable Position> from) {
        String header = request.header("Last-Event-ID");
        String text =
                header != null && !header.isEmpty() ? header : request.query().first("from");
        String[] parts = text == null || text.isEmpty() ? new String[0] : text.split(",", -1);
        int plain = 0;
        for (byte[] subject : subjects) {
            String part = Subjects.isPattern(subject) || plain >= parts.length ? "" : parts[plain];
            plain += Subjects.isPattern(subject) ? 0 : 1;
            Position position = part.isEmpty() ? null : Position.parse(part.strip());
            if (!part.isEmpty() && position == null) {
                return "a position is written epoch:seq, not " + part;
            }
            from.add(position);
        }
        return parts.length > plain ? "more positions than plain subjects" : null;
    }

    String contentType() {
        return lines ? HttpResponses.NDJSON : HttpResponses.EVENT_STREAM;
    }

    /** Null: each event's id names the positions of several subjects, which is another text for each stream. */
    @Nullable
    WireFormat sharedFormat() {
        if (lines) {
            return WireFormat.NDJSON;
        }
        if (subjects.stream().allMatch(Subjects::isPattern)) {
            return WireFormat.SSE_OF_PATTERNS;
        }
        return subjects.size() == 1 ? WireFormat.SSE : null;
    }
}

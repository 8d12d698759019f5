package io.belfry.server.transport;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.Subjects;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.HttpResponses;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request for a stream. Immutable.
 *
 * @param code code of the problem, if there is one
 * @param problem why the request cannot be served, or null
 * @param chunked whether the client supports chunks, which HTTP/1.0 does not
 * @param from the positions at which to resume
 * @param conflateMillis interval in ms in which at most one message per subject is sent, the latest; 0 sends all
 * @param pingMillis requested ping interval in ms, or 0 for none
 */
record StreamRequest(
        Code code,
        @Nullable String problem,
        boolean lines,
        boolean chunked,
        List<byte[]> subjects,
        StreamPositions from,
        int history,
        int conflateMillis,
        long pingMillis) {
    static final int HISTORY_MAX = 1_000_000;

    static StreamRequest of(HttpRequest request) {
        List<byte[]> subjects = followedOf(request);
        String accept = request.header("Accept");
        boolean lines = accept != null && accept.contains(HttpResponses.NDJSON);
        String problem = problemOf(request);
        Code code = codeOf(subjects, problem);
        if (problem == null
                && subjects.stream().map(ByteBuffer::wrap).distinct().count() < subjects.size()) {
            problem = "a subject is given twice";
        }
        int history = number(request.query().first("history"), 0);
        if (problem == null && history < 0) {
            problem = "history must be a whole number from 0";
        }
        int conflate = whole(request.query().first("conflate"), 0);
        if (problem == null && (conflate < 0 || conflate > SubscribeRequest.CONFLATE_MILLIS_MAX)) {
            problem = "conflate must be a whole number of ms from 0 to " + SubscribeRequest.CONFLATE_MILLIS_MAX;
        }
        long ping = ping(request.query().first("ping"));
        if (problem == null && ping < 0) {
            problem = "ping must be a whole number of ms from 1 to " + ConnectRequest.PING_MILLIS_MAX;
        }
        StreamPositions from = positions(request, subjects);
        if (problem == null) {
            problem = from.problem();
            code = Code.BAD_POSITION;
        }
        return new StreamRequest(
                code,
                problem,
                lines,
                request.http11(),
                subjects,
                from,
                Math.max(0, history),
                Math.max(0, conflate),
                Math.max(0, ping));
    }

    static List<byte[]> subjectsOf(HttpRequest request) {
        List<String> names = request.query().all("subject");
        List<byte[]> subjects = new ArrayList<>(names.size());
        for (String name : names) {
            subjects.add(name.getBytes(StandardCharsets.UTF_8));
        }
        return subjects;
    }

    /** Returns what the request reads: its subjects, and inboxes without their keys, which {@link #problemOf} has checked. */
    static List<byte[]> followedOf(HttpRequest request) {
        return subjectsOf(request).stream().map(Subjects::followed).toList();
    }

    static @Nullable String problemOf(HttpRequest request) {
        List<byte[]> subjects = subjectsOf(request);
        if (subjects.isEmpty()) {
            return "the parameter subject is missing";
        }
        for (byte[] subject : subjects) {
            String problem = Subjects.followProblem(subject, true);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /** Returns the code of a refusal with the problem of {@link #problemOf}, or of another one if that is null. */
    static Code codeOf(List<byte[]> subjects, @Nullable String problem) {
        return problem == null || subjects.isEmpty() ? Code.BAD_REQUEST : Subjects.code(problem);
    }

    /** Returns the number; the default if the text is absent, -1 if it is not a whole number from 0. */
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

    /** Returns the interval; 0 if it is absent, -1 if it is invalid. */
    private static long ping(@Nullable String text) {
        if (text == null) {
            return 0;
        }
        long millis = text.matches("[0-9]{1,10}") ? Long.parseLong(text) : 0;
        return millis == 0 || millis > ConnectRequest.PING_MILLIS_MAX ? -1 : millis;
    }

    /**
     * Reads the positions; Last-Event-ID overrides the query, because a reconnecting browser sends it with the old
     * URL.
     */
    private static StreamPositions positions(HttpRequest request, List<byte[]> subjects) {
        String header = request.header("Last-Event-ID");
        return StreamPositions.parse(
                header != null && !header.isEmpty() ? header : request.query().first("from"), subjects);
    }

    String contentType() {
        return lines ? HttpResponses.NDJSON : HttpResponses.EVENT_STREAM;
    }

    /**
     * Returns null if each event's id names the positions of several subjects, because that text differs per stream. All
     * patterns of a stream have one position, so several patterns are no different from one.
     */
    @Nullable
    BelfryFormat sharedFormat() {
        if (lines) {
            return inForm(BelfryFormat.NDJSON);
        }
        if (subjects.stream().allMatch(Subjects::isPattern)) {
            return inForm(BelfryFormat.SSE_OF_PATTERNS);
        }
        return subjects.size() == 1 ? inForm(BelfryFormat.SSE) : null;
    }

    /** Returns the format as this client reads it, with or without chunks. */
    BelfryFormat inForm(BelfryFormat format) {
        return chunked ? format : format.unchunked();
    }
}

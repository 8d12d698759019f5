package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Settings of the server API. Immutable.
 *
 * @param requests maximum number of requests served at the same time
 * @param bodyBytes maximum size of a request body
 * @param answerBytes number of bytes of unread answers at which further calls that read are refused
 * @param batchLines maximum number of publishes of one request
 * @param callMillis time within which a request is answered
 * @param nodes the server APIs of all nodes; empty if each call concerns the node that is called
 */
public record ApiConfig(
        ListenAddress address,
        Path keyFile,
        int requests,
        int bodyBytes,
        int answerBytes,
        int batchLines,
        long callMillis,
        Revoking revoking,
        List<ApiNode> nodes) {
    /**
     * The bound and the file of the revoked tokens. Immutable.
     *
     * @param file empty if a restart forgets the revocations
     */
    public record Revoking(int entriesMax, Optional<Path> file) {
        public Revoking {
            InvalidSetting.unlessWithin(1, MAX_REVOCATIONS, "Api.Revocations", entriesMax);
        }
    }

    static final int MAX_REQUESTS = 1000;
    static final int MAX_REVOCATIONS = 1_000_000;
    static final int MIN_BODY_BYTES = 1 << 10;
    static final int MAX_BODY_BYTES = 256 << 20;
    static final int MIN_ANSWER_BYTES = 64 << 10;
    static final int MAX_ANSWER_BYTES = 1 << 30;
    static final int MAX_BATCH_LINES = 1_000_000;
    static final int MIN_CALL_MILLIS = 100;

    /** Less than the 30 s after which the JDK's server ends a response. */
    static final int MAX_CALL_MILLIS = 25_000;

    public ApiConfig {
        nodes = List.copyOf(nodes);
        InvalidSetting.unlessWithin(1, MAX_REQUESTS, "Api.Requests", requests);
        InvalidSetting.unlessWithin(MIN_BODY_BYTES, MAX_BODY_BYTES, "Api.BodyBytes", bodyBytes);
        InvalidSetting.unlessWithin(MIN_ANSWER_BYTES, MAX_ANSWER_BYTES, "Api.AnswerBytes", answerBytes);
        InvalidSetting.unlessWithin(1, MAX_BATCH_LINES, "Api.BatchLines", batchLines);
        InvalidSetting.unlessWithin(MIN_CALL_MILLIS, MAX_CALL_MILLIS, "Api.CallTime", callMillis);
    }
}

package io.belfry.protocol;

/**
 * The stable reason codes of errors, gaps, reconnect notices and closes. Clients compare the text of a code, so it
 * never changes. docs/protocol.md lists all codes, and a test compares that list with this enum.
 */
public enum Code {
    BAD_REQUEST("bad-request", 400, 1008, "A field of the request or command is missing or invalid."),
    BAD_JSON("bad-json", 400, 1008, "The text frame or body is not a JSON object within the bounds."),
    BAD_FRAME("bad-frame", 400, 1008, "The binary frame is not exactly one command."),
    BAD_HTTP("bad-http", 400, 1002, "The HTTP request breaks RFC 9112; the connection is closed."),
    PROTOCOL_ERROR("protocol-error", 400, 1002, "The WebSocket frame breaks RFC 6455; the connection is closed."),
    BAD_UTF8("bad-utf8", 400, 1007, "The text is not UTF-8; the connection is closed."),
    BAD_DEFLATE(
            "bad-deflate", 400, 1007, "The compressed WebSocket message breaks RFC 7692; the connection is closed."),
    UNKNOWN_OP("unknown-op", 400, 1008, "The command is unknown."),
    BAD_SUBJECT("bad-subject", 400, 1008, "The subject or pattern breaks the rules of subjects."),
    BAD_POSITION(
            "bad-position",
            400,
            1008,
            "The position is malformed; that of a subject is epoch:seq, two whole numbers up to 2^53."),
    BAD_HEADERS("bad-headers", 400, 1008, "The headers of the message break a rule or a limit of headers."),
    WILDCARD_NOT_ALLOWED("wildcard-not-allowed", 400, 1008, "A pattern is not allowed here, only a plain subject."),
    NOT_SUBSCRIBED("not-subscribed", 400, 1008, "The session has no such subscription."),
    ALREADY_SUBSCRIBED("already-subscribed", 400, 1008, "The session already has this subscription."),
    UNAUTHORIZED("unauthorized", 401, 1008, "The token is missing, malformed or not accepted."),
    TOKEN_EXPIRED("token-expired", 401, 4012, "The token has expired; reconnect with a new one."),
    TOKEN_REVOKED("token-revoked", 401, 4012, "The application has revoked the token; reconnect with a new one."),
    SUBSCRIBE_DENIED("subscribe-denied", 403, 1008, "The entitlement does not allow this subscription."),
    PUBLISH_DENIED("publish-denied", 403, 1008, "The entitlement does not allow publishing to this subject."),
    KEY_DENIED("key-denied", 403, 1008, "The key of the server API does not have the right that the call needs."),
    ORIGIN_DENIED("origin-denied", 403, 1008, "The page's origin is not among AllowedOrigins."),
    NOT_FOUND("not-found", 404, 1008, "The server has no resource at this path."),
    METHOD_NOT_ALLOWED("method-not-allowed", 405, 1008, "The path does not support this method."),
    MESSAGE_TOO_LARGE("message-too-large", 413, 1009, "The message is larger than MaxMessageSize."),
    BODY_TOO_LARGE("body-too-large", 413, 1009, "The body of a call of the server API is larger than Api.BodyBytes."),
    TOO_MANY_LINES(
            "too-many-lines", 413, 1009, "A call of the server API publishes more messages than Api.BatchLines."),
    INFLATE_RATIO("inflate-ratio", 413, 1009, "The message inflates by more than Limit.InflateRatio allows."),
    HEADER_TOO_LARGE("header-too-large", 431, 1009, "The request line or headers are larger than allowed."),
    MISDIRECTED("misdirected", 421, 1008, "The target is an https address and the connection is not encrypted."),
    UPGRADE_REQUIRED("upgrade-required", 426, 1002, "The path supports WebSocket version 13 only."),
    TOO_MANY_CONNECTIONS("too-many-connections", 503, 1013, "Limit.Connections is reached."),
    TOO_MANY_FROM_ADDRESS("too-many-from-address", 429, 1013, "Limit.ConnectionsPerAddress is reached."),
    TOO_MANY_UNKNOWN("too-many-unknown", 429, 1013, "Limit.UnknownPerAddress is reached."),
    CONNECT_RATE("connect-rate", 503, 1013, "Limit.ConnectRate is exceeded."),
    TLS_RATE("tls-rate", 503, 1013, "Limit.TlsHandshakeRate is exceeded; the connection is closed without an answer."),
    ADDRESS_CONNECT_RATE("address-connect-rate", 429, 1013, "Limit.ConnectRatePerAddress is exceeded."),
    TOKEN_RATE(
            "token-rate",
            429,
            1013,
            "Limit.FailedTokensPerAddress is exceeded; new tokens are not checked for a while."),
    REQUEST_RATE("request-rate", 429, 1013, "Limit.RequestRate is exceeded; the connection is closed."),
    COMMAND_RATE("command-rate", 429, 1013, "Limit.CommandRate or Limit.CommandRatePerUser is exceeded."),
    TOO_MANY_SUBJECTS("too-many-subjects", 429, 1008, "Limit.SubjectsPerSession is reached."),
    TOO_MANY_PATTERNS("too-many-patterns", 429, 1008, "Limit.PatternsPerSession is reached."),
    PATTERNS_FULL("patterns-full", 503, 1013, "Limit.Patterns is reached."),
    SUBJECTS_FULL("subjects-full", 503, 1013, "Limit.Subjects is reached; existing subjects are still served."),
    REVOCATIONS_FULL("revocations-full", 503, 1013, "Api.Revocations is reached; nothing was revoked."),
    CLIENT_NAMES_FULL("client-names-full", 503, 1013, "Limit.ClientNames is reached."),
    TOO_MANY_OF_USER("too-many-of-user", 429, 1013, "Limit.SessionsPerUser is reached; the new session is refused."),
    PUBLISH_RATE("publish-rate", 429, 1013, "Limit.PublishRate is exceeded."),
    ADDRESS_PUBLISH_RATE("address-publish-rate", 429, 1013, "Limit.PublishRatePerAddress is exceeded."),
    USER_PUBLISH_RATE("user-publish-rate", 429, 1013, "Limit.PublishRatePerUser is exceeded."),
    OVERLOADED("overloaded", 503, 1013, "A bound inside the server is reached; retry later."),
    DECIDE_TIMEOUT("decide-timeout", 503, 1013, "The entitlement did not decide within Entitlement.DecideTime."),
    NODE_UNREACHABLE("node-unreachable", 503, 1013, "A node did not execute a call of the server API."),
    NOT_READY("not-ready", 503, 1013, "The server is starting, draining or disconnected from its cluster."),
    RETAINED_FULL("retained-full", 503, 1013, "The bound on retained messages is reached."),
    HISTORY_FULL("history-full", 503, 1013, "The disk of the history is full; nothing was published."),
    HISTORY_FAILED("history-failed", 503, 1013, "The history cannot be written to its disk; nothing was published."),
    CLUSTER_UNREACHABLE(
            "cluster-unreachable", 503, 1013, "The cluster's log could not be reached in time; nothing was published."),
    CLUSTER_FULL("cluster-full", 503, 1013, "Kafka.PublishBuffer is full; nothing was published."),
    PUBLISH_UNKNOWN(
            "publish-unknown",
            504,
            1013,
            "The outcome of the publish is unknown; a retry with the same msgId is delivered once."),
    UNSUPPORTED("unsupported", 501, 1008, "The server does not implement this request."),
    SLOW_CONSUMER("slow-consumer", 503, 4008, "The session read messages too slowly."),
    CONFLATED("conflated", 503, 4008, "The session read too slowly and gets only the latest message of the subject."),
    CONFLATE_REQUESTED(
            "conflate-requested",
            503,
            1013,
            "A later message replaced this one, as the subscription's conflate requests."),
    RETAIN_DENIED("retain-denied", 403, 1008, "The subject has no retained messages."),
    NO_INBOX("no-inbox", 404, 1008, "The inbox does not exist; its client has ended or does not follow it any more."),
    MESSAGE_EXPIRED("message-expired", 404, 4009, "The time to live of the messages ended before they were delivered."),
    HISTORY_GONE("history-gone", 404, 4009, "The history no longer has the messages after the position."),
    HISTORY_REMOVED("history-removed", 404, 4009, "The application has removed the messages."),
    EPOCH_CHANGED("epoch-changed", 409, 4010, "The position belongs to another epoch."),
    LOG_CUT(
            "log-cut",
            409,
            4010,
            "The end of the cluster's log was lost, including messages before the position; their replacements"
                    + " follow."),
    HANDSHAKE_TIMEOUT("handshake-timeout", 408, 1008, "The request was not complete in time."),
    TLS_FAILED("tls-failed", 400, 1015, "The TLS handshake failed; the connection is closed without an answer."),
    BAD_PROXY_HEADER(
            "bad-proxy-header",
            400,
            1002,
            "A trusted proxy did not begin with a PROXY header of version 2; the connection is closed."),
    PING_TIMEOUT("ping-timeout", 408, 4011, "The client did not answer pings."),
    SESSION_TAKEN("session-taken", 409, 4013, "Another connection continues the session."),
    CLIENT_TAKEN("client-taken", 409, 4014, "Another connection has taken the name of the client."),
    USER_REPLACED(
            "user-replaced",
            409,
            4014,
            "A newer session of the same user has replaced this one; see Limit.SessionsPerUser."),
    DISCONNECTED(
            "disconnected",
            409,
            4014,
            "The application has closed the session, or ended a subscription, by the server API."),
    DRAIN("drain", 503, 1001, "The server is being drained; reconnect."),
    SHUTDOWN("shutdown", 503, 1001, "The server is stopping."),
    CLIENT_CLOSED("client-closed", 400, 1000, "The client closed the connection."),
    CONNECTION_LOST("connection-lost", 400, 1006, "The connection broke without a close."),
    INTERNAL("internal", 500, 1011, "An internal error of the server; details are in its log.");

    private final String text;
    private final int httpStatus;
    private final int closeCode;
    private final String sentence;

    Code(String text, int httpStatus, int closeCode, String sentence) {
        this.text = text;
        this.httpStatus = httpStatus;
        this.closeCode = closeCode;
        this.sentence = sentence;
    }

    /** Returns the code as it is sent to clients. */
    public String text() {
        return text;
    }

    /** Returns the status of an HTTP response with this code. */
    public int httpStatus() {
        return httpStatus;
    }

    /** Returns the WebSocket close code with which the connection ends for this reason. */
    public int closeCode() {
        return closeCode;
    }

    /** Returns the description in docs/protocol.md. */
    public String sentence() {
        return sentence;
    }
}

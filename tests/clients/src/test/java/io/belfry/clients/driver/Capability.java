package io.belfry.clients.driver;

/** The capabilities of the driver protocol, with the reason why the Java client lacks one. */
enum Capability {
    WEB_SOCKET("webSocket"),
    HTTP_STREAM("httpStream"),
    SSE("sse"),
    LONG_POLL("longPoll", "the client uses streams over HTTP"),
    JSON("json"),
    BINARY("binary"),
    COMPRESSION("compression"),
    FALLBACK("fallback", "the application chooses the transport"),
    PATTERNS("patterns"),
    HISTORY("history"),
    CONFLATE("conflate"),
    PUBLISH("publish"),
    PENDING_BOUND("pendingBound"),
    PUBLISH_ONCE("publishOnce"),
    WATCH("watch"),
    CALLBACK("callback"),
    ITERATOR("iterator"),
    PAUSE("pause"),
    TOKEN_SOURCE("tokenSource"),
    RETRY("retry"),
    PING("ping"),
    KEEP_SESSION("keepSession"),
    CLIENT_NAME("clientName"),
    PATTERN_POSITIONS("patternPositions"),
    REQUESTS("requests"),
    NO_ECHO("noEcho"),
    DELTA("delta"),
    CLOCK("clock"),
    RESOURCES("resources"),
    TABS("tabs", "a Java program has no tabs"),
    PAGE_LIFE("pageLife", "a Java program is no page");

    private final String text;
    private final String whyNot;

    Capability(String text) {
        this(text, "");
    }

    Capability(String text, String whyNot) {
        this.text = text;
        this.whyNot = whyNot;
    }

    String text() {
        return text;
    }

    boolean isPresent() {
        return whyNot.isEmpty();
    }

    String whyNot() {
        return whyNot;
    }
}

package io.belfry.server.config;

import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about the server API; {@code ConfigKey} lists them. Immutable. */
final class ServerApiKeys {
    static final TopicKey API_LISTEN = new TopicKey(
            ConfigTopic.SERVER_API,
            "Api.Listen",
            ValueType.text("address"),
            "Address of the server API for backends, such as `127.0.0.1:4001`. Without a value there is no API. Needs"
                    + " `Api.KeyFile`.");

    static final TopicKey API_KEY_FILE = new TopicKey(
            ConfigTopic.SERVER_API,
            "Api.KeyFile",
            ValueType.path(),
            "File with the keys of the server API. Each line has the name of a key, its rights (`publish`, `read`,"
                    + " `act`) with commas between them, and the key of 32 or more characters. A reload reads the file"
                    + " again.");

    static final TopicKey API_REQUESTS = new TopicKey(
            ConfigTopic.SERVER_API,
            "Api.Requests",
            ValueType.number(1, ApiConfig.MAX_REQUESTS),
            "8",
            "Maximum number of requests of the server API that are served at the same time; a further one is refused"
                    + " with `overloaded`.");

    static final TopicKey API_BODY_BYTES = new TopicKey(
            ConfigTopic.SERVER_API,
            "Api.BodyBytes",
            ValueType.size(SizeUnit.B, ApiConfig.MIN_BODY_BYTES, ApiConfig.MAX_BODY_BYTES),
            "8 MB",
            "Maximum size of a request body of the server API; a larger one is refused with `body-too-large`, and"
                    + " nothing of it is published.");

    static final TopicKey API_ANSWER_BYTES = new TopicKey(
            ConfigTopic.SERVER_API,
            "Api.AnswerBytes",
            ValueType.size(SizeUnit.B, ApiConfig.MIN_ANSWER_BYTES, ApiConfig.MAX_ANSWER_BYTES),
            "16 MB",
            "Number of bytes of unread answers of the server API, for all calls together, at which further calls that read"
                    + " are refused with `overloaded`. Calls that publish or act are served.");

    static final TopicKey API_BATCH_LINES = new TopicKey(
            ConfigTopic.SERVER_API,
            "Api.BatchLines",
            ValueType.number(1, ApiConfig.MAX_BATCH_LINES),
            "10000",
            "Maximum number of lines of a batch; a larger batch is refused with `too-many-lines`, and nothing of it is"
                    + " published.");

    static final TopicKey API_CALL_TIME = new TopicKey(
            ConfigTopic.SERVER_API,
            "Api.CallTime",
            ValueType.time(TimeScale.S, ApiConfig.MIN_CALL_MILLIS, ApiConfig.MAX_CALL_MILLIS),
            "10 s",
            "Time within which the server API answers. A publish without an outcome by then gets `publish-unknown`,"
                    + " and another call `overloaded`.");

    static final TopicKey API_NODES = new TopicKey(
            ConfigTopic.SERVER_API,
            "Api.Nodes",
            ValueType.list("list of nodes"),
            "Server APIs of all nodes, `NAME=HOST:PORT` each, such as `a=10.0.0.1:4001`. Calls about sessions then act on"
                    + " all of these nodes. All nodes need the same list and the same keys. Without a value a call"
                    + " concerns the node that is called.");

    static final TopicKey API_REVOCATIONS = new TopicKey(
            ConfigTopic.SERVER_API,
            "Api.Revocations",
            ValueType.number(1, ApiConfig.MAX_REVOCATIONS),
            "10000",
            "Maximum number of revocations that have not ended; a further one is refused with `revocations-full`.");

    static final TopicKey API_REVOCATION_FILE = new TopicKey(
            ConfigTopic.SERVER_API,
            "Api.RevocationFile",
            ValueType.path(),
            "File in which the server stores the revoked tokens. Without a value a restart forgets them.");

    private ServerApiKeys() {}
}

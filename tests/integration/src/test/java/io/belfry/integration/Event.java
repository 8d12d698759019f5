package io.belfry.integration;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An event that a session received. */
public sealed interface Event {
    record Connected(long id, String session, String node, long pingMillis, int maxMessage) implements Event {}

    record Subscribed(long id, String subject, @Nullable Position at, Recovery recovery) implements Event {}

    record Unsubscribed(long id, String subject) implements Event {}

    /** The server ended a subscription without a request. */
    record Ended(String subject, String reason) implements Event {}

    record TokenToExpire(long afterMillis) implements Event {}

    record Published(long id, Position at) implements Event {}

    record Message(
            String subject,
            String data,
            Position at,
            long prev,
            MessageType type,
            boolean retained,
            Map<String, String> headers)
            implements Event {}

    record Gap(String subject, @Nullable Position from, Position to, String reason) implements Event {}

    record Failed(
            long id, String code, String reason, @Nullable String subject, long afterMillis) implements Event {}

    record Reconnect(long afterMillis, String reason) implements Event {}

    record Pong(long id) implements Event {}

    record Interest(String subject, boolean subscribers) implements Event {}

    record Closed(int code, String reason) implements Event {}
}

package io.belfry.client;

import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.PublishOrigins;
import java.security.SecureRandom;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a client: the secret key that it sends with publishes without echo, and the tag that the server computes from the key
 * and gives these messages. Chosen with the first such publish and kept for the life of the client, so the tag is the same on
 * all its connections. Any thread may call the methods.
 */
final class OwnOrigin {
    private static final int KEY_BYTES = 24;

    /** Null before the first publish without echo, so that other clients look at no header. */
    private volatile @Nullable String tag;

    /** Assigned before the tag. */
    private String key = "";

    /** Returns the key, chosen by the first call. */
    String key() {
        if (tag == null) {
            choose();
        }
        return key;
    }

    private synchronized void choose() {
        if (tag == null) {
            byte[] random = new byte[KEY_BYTES];
            new SecureRandom().nextBytes(random);
            key = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
            tag = PublishOrigins.of(key);
        }
    }

    /**
     * Returns whether a message is an echo: one of this client that nobody asked for. Retained messages and history are what the
     * application requested, so they include its own messages.
     */
    boolean isEcho(Message message) {
        String own = tag;
        return own != null
                && (message.type() == MessageType.LIVE || message.type() == MessageType.RECOVERED)
                && own.equals(message.header(MessageHeaders.ORIGIN));
    }
}

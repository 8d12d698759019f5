package io.belfry.server.tls;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Thrown when a certificate, key or store cannot be used. The message names the configuration key and the problem. */
public final class TlsException extends IOException {
    TlsException(String message) {
        super(message);
    }

    TlsException(String message, Throwable cause) {
        super(message + ": " + reason(cause), cause);
    }

    /** Returns the message of the innermost cause, because the outer messages contain no detail. */
    private static String reason(Throwable cause) {
        Throwable innermost = cause;
        for (@Nullable Throwable next = cause; next != null; next = next.getCause()) {
            innermost = next;
        }
        return innermost.getMessage() == null ? innermost.toString() : innermost.getMessage();
    }
}

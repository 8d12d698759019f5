package io.belfry.server.tls;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A certificate, key or store that cannot serve. The message names the key of the configuration and what is wrong. */
public final class TlsException extends IOException {
    TlsException(String message) {
        super(message);
    }

    TlsException(String message, Throwable cause) {
        super(message + ": " + reason(cause), cause);
    }

    /** The innermost message: the outer ones say only that something failed. */
    private static String reason(Throwable cause) {
        Throwable innermost = cause;
        for (@Nullable Throwable next = cause; next != null; next = next.getCause()) {
            innermost = next;
        }
        return innermost.getMessage() == null ? innermost.toString() : innermost.getMessage();
    }
}

package io.belfry.server.entitlement;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.server.json.JsonBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * A question to the application. Equal facts have equal bodies, so that the digest of the body finds a cached answer.
 * Immutable.
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record DecisionQuestion(byte[] body) {
    static DecisionQuestion of(Entitlement.Credentials credentials) {
        return new DecisionQuestion(JsonBytes.object(json -> {
            json.writeStringField("type", "connect");
            text(json, "token", credentials.token());
            text(json, "certificate", credentials.certificate());
            json.writeBooleanField("loopback", credentials.loopback());
            if (credentials.facts() != null) {
                write(json, credentials.facts());
            }
        }));
    }

    static DecisionQuestion of(AskedCommand command) {
        return new DecisionQuestion(JsonBytes.object(json -> {
            json.writeStringField("type", command.kind().text());
            json.writeStringField("subject", command.subject());
            text(json, "user", command.user());
            json.writeStringField("session", command.session());
        }));
    }

    private static void write(JsonGenerator json, Entitlement.Facts facts) throws IOException {
        json.writeStringField("address", facts.address());
        json.writeStringField("transport", facts.transport());
        text(json, "path", facts.path());
        text(json, "client", facts.client());
        JsonBytes.texts(json, "headers", facts.headers());
    }

    private static void text(JsonGenerator json, String name, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(name, value);
        }
    }

    /** Returns a key that only the same question has. It does not reveal the token. */
    String digest() {
        try {
            return new String(MessageDigest.getInstance("SHA-256").digest(body), StandardCharsets.ISO_8859_1);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }

    @Override
    public String toString() {
        return "DecisionQuestion[" + body.length + " bytes]";
    }
}

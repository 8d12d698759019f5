package io.belfry.server.edge;

import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.session.Session;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The ids with which clients continue their sessions: the session's name and a proof that only this process can compute. An id
 * names its lane, so no table of ids is needed. Owner: a lane's loop.
 */
public final class SessionIds {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int PROOF_BYTES = 16;

    private final NodeFacts facts;
    private final Mac mac;

    /** The place of a session. Immutable. */
    record Location(int lane, long reference) {}

    public SessionIds(NodeFacts facts) {
        this.facts = facts;
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(facts.identity().secret(), ALGORITHM));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(ALGORITHM + " is part of every JDK", impossible);
        }
    }

    String of(int lane, Session session) {
        String name = facts.sessionName(lane, session);
        return name + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(proof(name));
    }

    private byte[] proof(String name) {
        return Arrays.copyOf(mac.doFinal(name.getBytes(StandardCharsets.UTF_8)), PROOF_BYTES);
    }

    /** Returns where the session of an id is, or was; null for an id that this process did not issue. */
    @Nullable
    Location find(String id) {
        int dot = id.lastIndexOf('.');
        if (dot < 0) {
            return null;
        }
        String name = id.substring(0, dot);
        try {
            byte[] given = Base64.getUrlDecoder().decode(id.substring(dot + 1));
            // In a time that does not depend on how many bytes are correct.
            return MessageDigest.isEqual(given, proof(name)) ? location(name) : null;
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    /** Reads the numbers at the end of a session's name. */
    private static Location location(String name) {
        String[] parts = name.split("-", -1);
        int count = parts.length;
        int slot = HexFormat.fromHexDigits(parts[count - 2]);
        int generation = HexFormat.fromHexDigits(parts[count - 1]);
        return new Location(Integer.parseInt(parts[count - 3]), Session.reference(slot, generation));
    }
}

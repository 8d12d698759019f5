package io.belfry.server.entitlement;

import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The rules of users' names, and their place in permissions. Pure. */
final class UserNames {
    /** Maximum length of a name in UTF-8. */
    static final int BYTES_MAX = 255;

    /** The segment of a permission that stands for the name of the user. */
    static final String PLACEHOLDER = "{user}";

    private UserNames() {}

    /** Returns the rule that a name breaks, or null if it is valid. */
    static @Nullable String problem(String name) {
        // A name with half of a surrogate pair would be the same as another one when it is encoded.
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            return "must be valid Unicode";
        }
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > BYTES_MAX) {
            return "must have 1 to " + BYTES_MAX + " bytes";
        }
        return name.chars().anyMatch(Character::isISOControl) ? "must not have control characters" : null;
    }

    /**
     * Returns a permission with the user's name in place of each segment {@code {user}}. Throws an IllegalArgumentException if there
     * is no user, or if the name is not exactly one plain segment: a name with a wildcard or a slash would widen the permission.
     */
    static String expanded(String permission, @Nullable String user) {
        if (!permission.contains(PLACEHOLDER)) {
            return permission;
        }
        if (user == null) {
            throw new IllegalArgumentException(PLACEHOLDER + " in a permission needs a user");
        }
        byte[] alone = ("/" + user).getBytes(StandardCharsets.UTF_8);
        if (user.indexOf('/') >= 0 || Subjects.problem(alone, 0, alone.length, false) != null) {
            throw new IllegalArgumentException(
                    "the name of the user cannot be a segment of a subject, as " + PLACEHOLDER + " requires");
        }
        String[] segments = permission.split("/", -1);
        for (int i = 0; i < segments.length; i++) {
            if (segments[i].equals(PLACEHOLDER)) {
                segments[i] = user;
            } else if (segments[i].contains(PLACEHOLDER)) {
                throw new IllegalArgumentException(PLACEHOLDER + " must be a whole segment of a permission");
            }
        }
        return String.join("/", Arrays.asList(segments));
    }
}

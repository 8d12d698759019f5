package io.belfry.client.api;

/** The sessions that a call concerns: those of a user, or one. Immutable. */
public record ApiTarget(String member, String name) {
    /** Returns all sessions of a user. */
    public static ApiTarget user(String name) {
        return new ApiTarget("user", name);
    }

    /** Returns one session by its name. */
    public static ApiTarget session(String name) {
        return new ApiTarget("session", name);
    }
}

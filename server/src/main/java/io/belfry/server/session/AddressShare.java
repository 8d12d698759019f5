package io.belfry.server.session;

/** What all clients of a session's address may take together. Any thread. */
public interface AddressShare {
    /** For clients without an address. */
    AddressShare UNBOUNDED = new AddressShare() {
        @Override
        public long takePublish(int perSecond, long nowNanos) {
            return 0;
        }

        @Override
        public long tokenWaitMillis(String token, int failuresPerMinute, long nowNanos) {
            return 0;
        }

        @Override
        public void onTokenAccepted(String token) {
            // Nobody to remember it for.
        }

        @Override
        public void onTokenFailed(int failuresPerMinute, long nowNanos) {
            // Nobody to count it for.
        }
    };

    /** Takes one of so many publishes; answers 0, or if there is none in how many ms there is. */
    long takePublish(int perSecond, long nowNanos);

    /**
     * 0 if this token may be looked at, or in how many ms; no rate of 0 stops any. One that was accepted lately always may,
     * so that who guesses does not shut out those behind the same address.
     */
    long tokenWaitMillis(String token, int failuresPerMinute, long nowNanos);

    /** A token was accepted. */
    void onTokenAccepted(String token);

    /** A token was not accepted. */
    void onTokenFailed(int failuresPerMinute, long nowNanos);
}

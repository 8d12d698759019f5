package io.belfry.server.session;

/** Rates that all clients of one address share. Used by any thread. */
public interface AddressShare {
    /** The rates of clients without an address: unlimited. */
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
            // No address to remember it for.
        }

        @Override
        public void onTokenFailed(int failuresPerMinute, long nowNanos) {
            // No address to count it for.
        }
    };

    /** Returns the address for operators, of IPv6 the network that counts as one; empty for clients without an address. */
    default String text() {
        return "";
    }

    /** Takes one publish of the address's rate; returns 0, or the milliseconds until a publish is available. */
    long takePublish(int perSecond, long nowNanos);

    /**
     * Returns 0 if this token may be checked, or the milliseconds to wait; a rate of 0 is no limit. A token that was accepted
     * recently may always be checked, so that a client that guesses tokens does not block others behind the same address.
     */
    long tokenWaitMillis(String token, int failuresPerMinute, long nowNanos);

    /** Records an accepted token. */
    void onTokenAccepted(String token);

    /** Records a rejected token. */
    void onTokenFailed(int failuresPerMinute, long nowNanos);
}

package io.belfry.server.transport;

import io.belfry.server.session.AddressShare;
import org.jspecify.annotations.Nullable;

/** The token buckets of one address; each is created when it is first used. Any thread. */
class AddressRates implements AddressShare {
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long MINUTE_NANOS = 60 * SECOND_NANOS;

    private volatile @Nullable SharedRate connects;
    private volatile @Nullable SharedRate publishes;
    private volatile @Nullable SharedRate failedTokens;
    private volatile @Nullable KnownTokens acceptedTokens;

    /** Takes one connect of {@code perSecond} connects; returns 0, or the time in ms until one is available. */
    long takeConnect(int perSecond, long nowNanos) {
        SharedRate rate = connects;
        if (rate == null) {
            synchronized (this) {
                rate = connects;
                if (rate == null) {
                    connects = rate = new SharedRate(SECOND_NANOS, nowNanos);
                }
            }
        }
        return rate.take(perSecond, nowNanos);
    }

    @Override
    public long takePublish(int perSecond, long nowNanos) {
        SharedRate rate = publishes;
        if (rate == null) {
            synchronized (this) {
                rate = publishes;
                if (rate == null) {
                    publishes = rate = new SharedRate(SECOND_NANOS, nowNanos);
                }
            }
        }
        return rate.take(perSecond, nowNanos);
    }

    @Override
    public long tokenWaitMillis(String token, int failuresPerMinute, long nowNanos) {
        SharedRate rate = failedTokens;
        KnownTokens accepted = acceptedTokens;
        if (rate == null || failuresPerMinute == 0 || (accepted != null && accepted.has(token))) {
            return 0;
        }
        return rate.waitMillis(failuresPerMinute, nowNanos);
    }

    @Override
    public void onTokenAccepted(String token) {
        KnownTokens accepted = acceptedTokens;
        if (accepted == null) {
            synchronized (this) {
                accepted = acceptedTokens;
                if (accepted == null) {
                    acceptedTokens = accepted = new KnownTokens();
                }
            }
        }
        accepted.add(token);
    }

    @Override
    public void onTokenFailed(int failuresPerMinute, long nowNanos) {
        if (failuresPerMinute == 0) {
            return;
        }
        SharedRate rate = failedTokens;
        if (rate == null) {
            synchronized (this) {
                rate = failedTokens;
                if (rate == null) {
                    failedTokens = rate = new SharedRate(MINUTE_NANOS, nowNanos);
                }
            }
        }
        rate.take(failuresPerMinute, nowNanos);
    }

    /** Returns whether all buckets are full again, so that the address needs no entry. */
    boolean isForgettable(long nowNanos) {
        return isForgettable(connects, nowNanos)
                && isForgettable(publishes, nowNanos)
                && isForgettable(failedTokens, nowNanos);
    }

    private static boolean isForgettable(@Nullable SharedRate rate, long nowNanos) {
        return rate == null || rate.isFull(nowNanos);
    }
}

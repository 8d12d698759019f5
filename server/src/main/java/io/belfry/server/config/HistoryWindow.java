package io.belfry.server.config;

import io.belfry.settings.SizeUnit;

/** Describes in one sentence, for {@code check}, how far back a subject's history reaches. Pure. */
public final class HistoryWindow {
    private HistoryWindow() {}

    /** Returns the sentence, which begins with {@code history window:}. */
    public static String sentence(ServerConfig config) {
        HistoryConfig history = config.history();
        if (history.keepsNothing()) {
            return "history window: none, because CacheSize is 0; clients cannot recover any message";
        }
        String age = history.expires() ? "not older than " + time(history.cacheExpireMillis()) : "of any age";
        return String.format(
                java.util.Locale.ROOT,
                "history window: the last %,d messages of each subject, %s, within %s; %s",
                history.cacheSize(),
                age,
                room(history),
                restart(config));
    }

    private static String room(HistoryConfig history) {
        return history.kind() == HistoryConfig.Kind.DISK
                ? SizeUnit.write(history.diskBytes()) + " of disk for all subjects (History.DiskBytes)"
                : SizeUnit.write(history.cacheMemoryBytes()) + " of memory for all subjects (CacheMemory)";
    }

    private static String restart(ServerConfig config) {
        if (config.kafka().isPresent()) {
            return "a start reads them again from "
                    + config.kafka().get().topics().log();
        }
        return config.history().kind() == HistoryConfig.Kind.DISK ? "a restart keeps them" : "a restart loses them";
    }

    private static String time(long millis) {
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
    }
}

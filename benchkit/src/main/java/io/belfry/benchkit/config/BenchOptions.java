package io.belfry.benchkit.config;

import io.belfry.benchkit.load.Assignment;
import io.belfry.benchkit.load.HoldTime;
import io.belfry.benchkit.load.LoadTarget;
import io.belfry.benchkit.load.PublisherOptions;
import io.belfry.benchkit.load.SubjectList;
import io.belfry.benchkit.load.SubscriberOptions;
import io.belfry.benchkit.measure.Stamp;
import io.belfry.client.connection.SourceAddresses;
import io.belfry.settings.Problems;
import io.belfry.settings.Ranges;
import io.belfry.settings.Settings;
import io.belfry.settings.SettingsException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Converts settings to options; a wrong setting is thrown as a {@link SettingsException} that names the key. Pure, but for
 * the lookup of host names and of this machine's addresses.
 */
public record BenchOptions(Settings settings) {
    private static final int READ_BUFFER_MIN = 64 << 10;

    /** Throws a {@link SettingsException} with every setting that is invalid or conflicts with another. */
    public BenchOptions {
        Problems problems = new Problems(settings);
        problems.throwIfAny();
        checkCombinations(settings, problems);
        problems.throwIfAny();
    }

    /** Reports settings without effect, because the user expects an effect of every written setting. */
    private static void checkCombinations(Settings settings, Problems problems) {
        boolean webSocket = settings.choice(BenchKey.TRANSPORT).equals("websocket");
        if (settings.isWritten(BenchKey.ENCODING)
                && settings.choice(BenchKey.ENCODING).equals("binary")
                && !webSocket) {
            problems.add(BenchKey.ENCODING, "binary requires Transport = websocket; messages over HTTP are JSON");
        }
        if (settings.flag(BenchKey.COMPRESSION) && !webSocket) {
            problems.add(BenchKey.COMPRESSION, "requires Transport = websocket");
        }
        for (BenchKey key : List.of(BenchKey.TRUST_CERTIFICATE, BenchKey.TRUST_ANY)) {
            if (settings.isWritten(key) && !settings.flag(BenchKey.ENCRYPTED)) {
                problems.add(key, "requires Encrypted = true");
            }
        }
        if (settings.keys().keys().contains(BenchKey.HOLD_TIME)) {
            boolean churning = settings.text(BenchKey.HOLD_TIME).isPresent();
            if (!churning && settings.timeMillis(BenchKey.RAMP_DOWN) > 0) {
                problems.add(BenchKey.RAMP_DOWN, "requires HoldTime");
            }
            if (settings.timeMillis(BenchKey.STALL_TIME) > 0 && !settings.isWritten(BenchKey.STALLED_READERS)) {
                problems.add(BenchKey.STALL_TIME, "requires StalledReaders");
            }
            if (churning && settings.isWritten(BenchKey.STALLED_READERS)) {
                problems.add(BenchKey.STALLED_READERS, "conflicts with HoldTime: a client that leaves does not stall");
            }
        }
    }

    /** The options of benchsub's clients. */
    public SubscriberOptions subscribers() {
        int clients = settings.whole(BenchKey.CLIENTS);
        int perClient = settings.whole(BenchKey.SUBJECTS_PER_CLIENT);
        boolean oneToOne = settings.flag(BenchKey.ONE_TO_ONE);
        SubjectList subjects = subjects("");
        long seed = ThreadLocalRandom.current().nextLong();
        Assignment assignment =
                valid(BenchKey.SUBJECTS_PER_CLIENT, () -> new Assignment(subjects.size(), perClient, oneToOne, seed));
        Optional<String> hold = settings.text(BenchKey.HOLD_TIME);
        @Nullable
        HoldTime holdTime = hold.isEmpty() ? null : valid(BenchKey.HOLD_TIME, () -> Forms.holdTime(hold.get()));
        String share = settings.text(BenchKey.STALLED_READERS).orElseThrow();
        double stalled = valid(BenchKey.STALLED_READERS, () -> Forms.share(share));
        long rampUpMillis = settings.timeMillis(BenchKey.RAMP_UP);
        double connectRate = rampUpMillis == 0 ? settings.number(BenchKey.CONNECT_RATE) : clients * 1e3 / rampUpMillis;
        LoadTarget target = target(clients, connectRate, holdTime != null);
        return valid(
                BenchKey.ONE_TO_ONE,
                () -> new SubscriberOptions(
                        clients,
                        subjects,
                        assignment,
                        settings.flag(BenchKey.VERIFY),
                        settings.flag(BenchKey.CORRECT_CLOCKS),
                        holdTime,
                        stalled,
                        settings.timeMillis(BenchKey.STALL_TIME) * 1_000_000,
                        target));
    }

    /** The options of benchpub's clients. */
    public PublisherOptions publishers() {
        int publishers = settings.whole(BenchKey.PUBLISHERS);
        String type = settings.text(BenchKey.PUBLISHER_TYPE).orElse("");
        String frequency = settings.text(BenchKey.FREQUENCY).orElseThrow();
        int size = valid(BenchKey.MESSAGE_SIZE, () -> messageSize(settings.sizeBytes(BenchKey.MESSAGE_SIZE)));
        return new PublisherOptions(
                publishers,
                subjects(type.isEmpty() || type.startsWith("/") ? type : "/" + type),
                valid(BenchKey.FREQUENCY, () -> Forms.frequency(frequency)),
                settings.whole(BenchKey.BURST),
                size,
                settings.flag(BenchKey.ACKNOWLEDGED),
                firstPublisher(publishers),
                settings.whole(BenchKey.END_MARKS),
                target(publishers, (double) settings.number(BenchKey.CONNECT_RATE), false));
    }

    private static int messageSize(long bytes) {
        if (bytes < Stamp.BYTES) {
            throw new IllegalArgumentException(
                    "must be at least " + Stamp.BYTES + ", the size of the stamp of a message");
        }
        return Math.toIntExact(bytes);
    }

    private int firstPublisher(int publishers) {
        return settings.isWritten(BenchKey.PUBLISHER_ID)
                ? settings.whole(BenchKey.PUBLISHER_ID)
                : ThreadLocalRandom.current().nextInt(Stamp.PUBLISHER_MAX - publishers);
    }

    /** Duration of the warm-up; 0 = none. */
    public Duration warmUp() {
        return Duration.ofMillis(settings.timeMillis(BenchKey.WARM_UP_TIME));
    }

    /** Duration of the measurement; 0 = until stopped. */
    public Duration duration() {
        return Duration.ofMillis(settings.timeMillis(BenchKey.DURATION));
    }

    /** Duration of the ramp down, which only benchsub has; 0 = none. */
    public Duration rampDown() {
        return settings.keys().keys().contains(BenchKey.RAMP_DOWN)
                ? Duration.ofMillis(settings.timeMillis(BenchKey.RAMP_DOWN))
                : Duration.ZERO;
    }

    /** Number of event loops. */
    public int eventLoops() {
        return settings.whole(BenchKey.EVENT_LOOPS);
    }

    /** Size of the read buffer of an event loop. */
    public int readBufferBytes() {
        return (int) Math.max(READ_BUFFER_MIN, settings.sizeBytes(BenchKey.BUFFER_SIZE));
    }

    private SubjectList subjects(String prefix) {
        Ranges ranges = settings.list(BenchKey.SUBJECTS).orElseThrow();
        return valid(BenchKey.SUBJECTS, () -> SubjectList.of(prefix, ranges));
    }

    private LoadTarget target(int clients, double connectRate, boolean again) {
        List<InetSocketAddress> servers = valid(BenchKey.SERVER_ADDRESSES, () -> TargetSettings.servers(settings));
        SourceAddresses sources =
                valid(BenchKey.LOCAL_ADDRESSES, () -> TargetSettings.sources(settings, servers, clients, again));
        return valid(
                BenchKey.TRUST_CERTIFICATE,
                () -> LoadTarget.of(servers, TargetSettings.connectOptions(settings), sources, connectRate));
    }

    private <T> T valid(BenchKey key, Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw new SettingsException(List.of(settings.problem(key.keyName(), String.valueOf(e.getMessage()))));
        }
    }
}

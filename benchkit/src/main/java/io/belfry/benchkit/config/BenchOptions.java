package io.belfry.benchkit.config;

import io.belfry.benchkit.load.Assignment;
import io.belfry.benchkit.load.HoldTime;
import io.belfry.benchkit.load.PublisherOptions;
import io.belfry.benchkit.load.SubjectList;
import io.belfry.benchkit.load.SubscriberOptions;
import io.belfry.benchkit.load.Target;
import io.belfry.benchkit.measure.Stamp;
import io.belfry.client.connection.SourceAddresses;
import io.belfry.settings.Problems;
import io.belfry.settings.Ranges;
import io.belfry.settings.Settings;
import io.belfry.settings.SettingsException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns settings into options; what is wrong is thrown as a {@link SettingsException} that names the key. Pure, but for
 * looking up host names and this machine's addresses.
 */
public final class BenchOptions {
    private static final int READ_BUFFER_MIN = 64 << 10;

    private final Settings settings;

    public BenchOptions(Settings settings) {
        this.settings = settings;
        Problems problems = new Problems(settings);
        problems.throwIfAny();
        refuseWhatDoesNotGoTogether(problems);
        problems.throwIfAny();
    }

    /** A value that would change nothing must not look as if it had been given. */
    private void refuseWhatDoesNotGoTogether(Problems problems) {
        if (settings.isWritten(BenchKey.ENCODING)
                && settings.choice(BenchKey.ENCODING).equals("binary")
                && !settings.choice(BenchKey.TRANSPORT).equals("websocket")) {
            problems.add(BenchKey.ENCODING, "binary goes with Transport = websocket; over HTTP it is JSON");
        }
        if (settings.flag(BenchKey.COMPRESSION)
                && !settings.choice(BenchKey.TRANSPORT).equals("websocket")) {
            problems.add(BenchKey.COMPRESSION, "goes with Transport = websocket");
        }
        for (BenchKey key : List.of(BenchKey.TRUST_CERTIFICATE, BenchKey.TRUST_ANY)) {
            if (settings.isWritten(key) && !settings.flag(BenchKey.ENCRYPTED)) {
                problems.add(key, "goes with Encrypted = true");
            }
        }
        if (settings.keys().keys().contains(BenchKey.HOLD_TIME)) {
            boolean churning = settings.text(BenchKey.HOLD_TIME).isPresent();
            if (!churning && settings.timeMillis(BenchKey.RAMP_DOWN) > 0) {
                problems.add(BenchKey.RAMP_DOWN, "goes with HoldTime");
            }
            if (settings.timeMillis(BenchKey.STALL_TIME) > 0 && !settings.isWritten(BenchKey.STALLED_READERS)) {
                problems.add(BenchKey.STALL_TIME, "goes with StalledReaders");
            }
            if (churning && settings.isWritten(BenchKey.STALLED_READERS)) {
                problems.add(
                        BenchKey.STALLED_READERS, "does not go with HoldTime: a client that leaves does not stall");
            }
        }
    }

    public SubscriberOptions subscribers() {
        int clients = settings.whole(BenchKey.CLIENTS);
        SubjectList subjects = subjects("");
        Assignment assignment = valid(
                BenchKey.SUBJECTS_PER_CLIENT,
                () -> new Assignment(
                        subjects.size(),
                        settings.whole(BenchKey.SUBJECTS_PER_CLIENT),
                        settings.flag(BenchKey.ONE_TO_ONE),
                        ThreadLocalRandom.current().nextLong()));
        @Nullable HoldTime holdTime = holdTime();
        double stalled = valid(
                BenchKey.STALLED_READERS,
                () -> Forms.share(settings.text(BenchKey.STALLED_READERS).orElseThrow()));
        Target target = target(clients, connectRate(clients), holdTime != null);
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

    private @Nullable HoldTime holdTime() {
        String text = settings.text(BenchKey.HOLD_TIME).orElse(null);
        return text == null ? null : valid(BenchKey.HOLD_TIME, () -> Forms.holdTime(text));
    }

    private double connectRate(int clients) {
        long rampUpMillis = settings.timeMillis(BenchKey.RAMP_UP);
        return rampUpMillis == 0 ? settings.number(BenchKey.CONNECT_RATE) : clients * 1e3 / rampUpMillis;
    }

    public PublisherOptions publishers() {
        int publishers = settings.whole(BenchKey.PUBLISHERS);
        int size = valid(
                BenchKey.MESSAGE_SIZE, () -> messageSize(Math.toIntExact(settings.sizeBytes(BenchKey.MESSAGE_SIZE))));
        return new PublisherOptions(
                publishers,
                subjects(settings.text(BenchKey.PUBLISHER_TYPE)
                        .map(BenchOptions::segment)
                        .orElse("")),
                valid(
                        BenchKey.FREQUENCY,
                        () -> Forms.frequency(settings.text(BenchKey.FREQUENCY).orElseThrow())),
                settings.whole(BenchKey.BURST),
                size,
                settings.flag(BenchKey.ACKNOWLEDGED),
                firstPublisher(publishers),
                settings.whole(BenchKey.END_MARKS),
                target(publishers, (double) settings.number(BenchKey.CONNECT_RATE), false));
    }

    public Duration warmUp() {
        return Duration.ofMillis(settings.timeMillis(BenchKey.WARM_UP_TIME));
    }

    public Duration duration() {
        return Duration.ofMillis(settings.timeMillis(BenchKey.DURATION));
    }

    /** Of benchsub only. */
    public Duration rampDown() {
        return settings.keys().keys().contains(BenchKey.RAMP_DOWN)
                ? Duration.ofMillis(settings.timeMillis(BenchKey.RAMP_DOWN))
                : Duration.ZERO;
    }

    public int eventLoops() {
        return settings.whole(BenchKey.EVENT_LOOPS);
    }

    public int readBufferBytes() {
        return (int) Math.max(READ_BUFFER_MIN, settings.sizeBytes(BenchKey.BUFFER_SIZE));
    }

    private static int messageSize(int bytes) {
        if (bytes < Stamp.BYTES) {
            throw new IllegalArgumentException(
                    "must be at least " + Stamp.BYTES + ", the size of the stamp in each message");
        }
        return bytes;
    }

    private int firstPublisher(int publishers) {
        return settings.isWritten(BenchKey.PUBLISHER_ID)
                ? settings.whole(BenchKey.PUBLISHER_ID)
                : ThreadLocalRandom.current().nextInt(Stamp.PUBLISHER_MAX - publishers);
    }

    /** {@code p} and {@code /p} are both {@code /p}. */
    private static String segment(String type) {
        return type.startsWith("/") ? type : "/" + type;
    }

    private SubjectList subjects(String prefix) {
        Ranges ranges = settings.list(BenchKey.SUBJECTS).orElseThrow();
        return valid(BenchKey.SUBJECTS, () -> SubjectList.of(prefix, ranges));
    }

    private Target target(int clients, double connectRate, boolean again) {
        List<InetSocketAddress> servers = valid(BenchKey.SERVER_ADDRESSES, () -> TargetSettings.servers(settings));
        SourceAddresses sources =
                valid(BenchKey.LOCAL_ADDRESSES, () -> TargetSettings.sources(settings, servers, clients, again));
        return valid(
                BenchKey.TRUST_CERTIFICATE,
                () -> Target.of(servers, TargetSettings.manner(settings), sources, connectRate));
    }

    private <T> T valid(BenchKey key, Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw new SettingsException(List.of(settings.problem(key.keyName(), String.valueOf(e.getMessage()))));
        }
    }
}

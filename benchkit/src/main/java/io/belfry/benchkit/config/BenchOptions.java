package io.belfry.benchkit.config;

import io.belfry.benchkit.load.Assignment;
import io.belfry.benchkit.load.HoldTime;
import io.belfry.benchkit.load.LoadTarget;
import io.belfry.benchkit.load.LoadTarget.ConnectOptions;
import io.belfry.benchkit.load.LoadTransport;
import io.belfry.benchkit.load.PublisherOptions;
import io.belfry.benchkit.load.SubjectList;
import io.belfry.benchkit.load.SubscriberOptions;
import io.belfry.benchkit.measure.Require;
import io.belfry.benchkit.measure.Stamp;
import io.belfry.client.connection.ClientTls;
import io.belfry.client.connection.SourceAddresses;
import io.belfry.settings.BadValue;
import io.belfry.settings.Problems;
import io.belfry.settings.Ranges;
import io.belfry.settings.Settings;
import io.belfry.settings.SettingsException;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts settings to options; a wrong setting is thrown as a {@link SettingsException} that names the key. Pure, but for
 * the lookup of host names, this machine's addresses and certificates.
 */
public record BenchOptions(Settings settings) {
    private static final int READ_BUFFER_MIN = 64 << 10;
    private static final Pattern HOST_PORT = Pattern.compile("(?:\\[([^\\]]+)]|([^:\\[\\]]+)):(\\d{1,5})");
    private static final Pattern PORTS = Pattern.compile("(\\d{1,5})\\s*-\\s*(\\d{1,5})");
    private static final String AUTO = "auto";
    private static final Pattern HOLD_TIME = Pattern.compile("(.+?)(?:\\s*(?:\\+-|\\+/-|±)\\s*([\\d.]+)\\s*%)?");
    private static final Pattern SHARE = Pattern.compile("([\\d.]+)\\s*%");
    private static final ValueType<Long> TIME = ValueType.time(TimeScale.S, 1, Long.MAX_VALUE / 1_000_000);

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
        @Nullable HoldTime holdTime = hold.isEmpty() ? null : valid(BenchKey.HOLD_TIME, () -> holdTime(hold.get()));
        String share = settings.text(BenchKey.STALLED_READERS).orElseThrow();
        double stalled = valid(BenchKey.STALLED_READERS, () -> share(share));
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
                valid(BenchKey.FREQUENCY, () -> frequency(frequency)),
                settings.whole(BenchKey.BURST),
                size,
                settings.flag(BenchKey.ACKNOWLEDGED),
                firstPublisher(publishers),
                settings.whole(BenchKey.END_MARKS),
                target(publishers, (double) settings.number(BenchKey.CONNECT_RATE), false));
    }

    private static int messageSize(long bytes) {
        Require.that(bytes >= Stamp.BYTES, "must be at least " + Stamp.BYTES + ", the size of the stamp of a message");
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
        List<InetSocketAddress> servers = valid(BenchKey.SERVER_ADDRESSES, this::servers);
        SourceAddresses sources = valid(BenchKey.LOCAL_ADDRESSES, () -> sources(servers, clients, again));
        return valid(BenchKey.TRUST_CERTIFICATE, () -> LoadTarget.of(servers, connectOptions(), sources, connectRate));
    }

    private List<InetSocketAddress> servers() {
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String text : settings.list(BenchKey.SERVER_ADDRESSES).orElseThrow()) {
            Matcher form = HOST_PORT.matcher(text);
            boolean valid = form.matches() && Integer.parseInt(form.group(3)) <= 65_535;
            Require.that(valid, text + " must be host:port or [ipv6]:port");
            String host = form.group(1) == null ? form.group(2) : form.group(1);
            servers.add(new InetSocketAddress(address(host), Integer.parseInt(form.group(3))));
        }
        return servers;
    }

    private ConnectOptions connectOptions() {
        String transport = settings.choice(BenchKey.TRANSPORT);
        return new ConnectOptions(
                LoadTransport.valueOf(transport.toUpperCase(Locale.ROOT).replace('-', '_')),
                settings.choice(BenchKey.ENCODING).equals("binary"),
                settings.flag(BenchKey.COMPRESSION),
                settings.text(BenchKey.ENTITLEMENT_TOKEN).orElse(null),
                settings.flag(BenchKey.ENCRYPTED) ? tls() : server -> null);
    }

    private Function<InetSocketAddress, @Nullable ClientTls> tls() {
        if (settings.flag(BenchKey.TRUST_ANY)) {
            return ConnectOptions.trustingAny();
        }
        Optional<Path> file = settings.path(BenchKey.TRUST_CERTIFICATE);
        return file.isPresent()
                ? server -> ClientTls.trusting(file.get(), server.getHostString(), server.getPort())
                : server -> ClientTls.to(server.getHostString(), server.getPort());
    }

    private SourceAddresses sources(List<InetSocketAddress> servers, int clients, boolean again) {
        Ranges ranges = settings.list(BenchKey.LOCAL_ADDRESSES).orElse(null);
        if (ranges == null) {
            return SourceAddresses.towards(servers, clients);
        }
        List<InetAddress> addresses = new ArrayList<>();
        ranges.forEach(text -> addresses.add(address(text)));
        String ports = settings.text(BenchKey.LOCAL_PORTS).orElse(AUTO);
        return ports.equalsIgnoreCase(AUTO) ? SourceAddresses.automatic(addresses) : explicit(addresses, ports, again);
    }

    private static SourceAddresses explicit(List<InetAddress> addresses, String ports, boolean again) {
        Matcher form = PORTS.matcher(ports);
        Require.that(form.matches(), "LocalPorts must be first-last or auto");
        int first = Integer.parseInt(form.group(1));
        int last = Integer.parseInt(form.group(2));
        Require.that(first >= 1 && last >= first && last <= 65_535, "LocalPorts must lie within 1-65535");
        return again
                ? SourceAddresses.explicitAgain(addresses, first, last)
                : SourceAddresses.explicit(addresses, first, last);
    }

    private static InetAddress address(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(host + " is neither an address nor a known host", e);
        }
    }

    /** Parses {@code 1 s +-10 %}; without a share the time is exact. */
    private static HoldTime holdTime(String text) {
        Matcher form = HOLD_TIME.matcher(text);
        Require.that(form.matches(), "must be a time with an optional share: 1 s +-10 %");
        double percent = form.group(2) == null ? 0 : number(form.group(2));
        Require.that(percent <= 100, "a hold time varies by at most 100 %");
        try {
            return new HoldTime(Duration.ofMillis(TIME.parse(form.group(1))), percent / 100);
        } catch (BadValue e) {
            throw new IllegalArgumentException(e.rule() + ": 1 s +-10 %", e);
        }
    }

    /** Parses {@code 1 %} to 0.01. */
    private static double share(String text) {
        Matcher form = SHARE.matcher(text);
        double percent = form.matches() ? number(form.group(1)) : -1;
        Require.that(percent >= 0 && percent <= 100, "must be a share from 0 % to 100 %");
        return percent / 100;
    }

    private static double frequency(String text) {
        double perSecond = number(text);
        Require.that(perSecond > 0 && perSecond <= 1e9, "must be above 0");
        return perSecond;
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a number", e);
        }
    }

    private <T> T valid(BenchKey key, Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw new SettingsException(List.of(settings.problem(key.keyName(), String.valueOf(e.getMessage()))));
        }
    }
}

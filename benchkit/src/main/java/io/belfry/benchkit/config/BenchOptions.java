package io.belfry.benchkit.config;

import io.belfry.benchkit.load.Assignment;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns settings into options; what is wrong is thrown as a {@link SettingsException} that names the key. Pure, but for
 * looking up host names and this machine's addresses.
 */
public final class BenchOptions {
    private static final int READ_BUFFER_MIN = 64 << 10;
    private static final Pattern HOST_PORT = Pattern.compile("(?:\\[([^\\]]+)]|([^:\\[\\]]+)):(\\d{1,5})");
    private static final Pattern PORTS = Pattern.compile("(\\d{1,5})\\s*-\\s*(\\d{1,5})");
    private static final String AUTO = "auto";

    private final Settings settings;
    private final Problems problems;

    public BenchOptions(Settings settings) {
        this.settings = settings;
        this.problems = new Problems(settings);
        refuseUnbuilt();
        problems.throwIfAny();
    }

    /** A value that asks for what is not there must not look as if it had been given. */
    private void refuseUnbuilt() {
        if (!problems.found().isEmpty()) {
            return;
        }
        if (!settings.choice(BenchKey.TRANSPORT).equals("websocket")) {
            problems.add(BenchKey.TRANSPORT, "not built yet; use websocket");
        }
        if (settings.flag(BenchKey.ENCRYPTED)) {
            problems.add(BenchKey.ENCRYPTED, "not built yet; use false");
        }
        if (settings.keys().keys().contains(BenchKey.HOLD_TIME) && settings.isWritten(BenchKey.HOLD_TIME)) {
            problems.add(BenchKey.HOLD_TIME, "not built yet; remove this line");
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
        return valid(
                BenchKey.ONE_TO_ONE,
                () -> new SubscriberOptions(
                        clients, subjects, assignment, settings.flag(BenchKey.VERIFY), target(clients)));
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
                valid(BenchKey.FREQUENCY, this::frequency),
                settings.whole(BenchKey.BURST),
                size,
                settings.flag(BenchKey.ACKNOWLEDGED),
                firstPublisher(publishers),
                target(publishers));
    }

    public Duration warmUp() {
        return Duration.ofMillis(settings.timeMillis(BenchKey.WARM_UP_TIME));
    }

    public Duration duration() {
        return Duration.ofMillis(settings.timeMillis(BenchKey.DURATION));
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

    private double frequency() {
        String text = settings.text(BenchKey.FREQUENCY).orElseThrow();
        try {
            double perSecond = Double.parseDouble(text);
            if (perSecond > 0 && perSecond <= 1e9) {
                return perSecond;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a number", e);
        }
        throw new IllegalArgumentException("must be above 0");
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

    private Target target(int clients) {
        List<InetSocketAddress> servers = valid(BenchKey.SERVER_ADDRESSES, this::servers);
        SourceAddresses sources = valid(BenchKey.LOCAL_ADDRESSES, () -> sources(servers, clients));
        return Target.of(servers, settings.choice(BenchKey.ENCODING).equals("binary"), token(), sources, (double)
                settings.number(BenchKey.CONNECT_RATE));
    }

    private @Nullable String token() {
        return settings.text(BenchKey.ENTITLEMENT_TOKEN).orElse(null);
    }

    private List<InetSocketAddress> servers() {
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String text : settings.list(BenchKey.SERVER_ADDRESSES).orElseThrow()) {
            Matcher form = HOST_PORT.matcher(text);
            if (!form.matches() || Integer.parseInt(form.group(3)) > 65_535) {
                throw new IllegalArgumentException(text + " must be host:port or [ipv6]:port");
            }
            String host = form.group(1) == null ? form.group(2) : form.group(1);
            servers.add(new InetSocketAddress(address(host), Integer.parseInt(form.group(3))));
        }
        return servers;
    }

    private SourceAddresses sources(List<InetSocketAddress> servers, int clients) {
        Ranges ranges = settings.list(BenchKey.LOCAL_ADDRESSES).orElse(null);
        if (ranges == null) {
            return SourceAddresses.towards(servers, clients);
        }
        List<InetAddress> addresses = new ArrayList<>();
        for (String text : ranges) {
            addresses.add(address(text));
        }
        String ports = settings.text(BenchKey.LOCAL_PORTS).orElse(AUTO);
        return ports.equalsIgnoreCase(AUTO) ? SourceAddresses.automatic(addresses) : explicit(addresses, ports);
    }

    private static SourceAddresses explicit(List<InetAddress> addresses, String ports) {
        Matcher form = PORTS.matcher(ports);
        if (!form.matches()) {
            throw new IllegalArgumentException("LocalPorts must be first-last or auto");
        }
        int first = Integer.parseInt(form.group(1));
        int last = Integer.parseInt(form.group(2));
        if (first < 1 || last < first || last > 65_535) {
            throw new IllegalArgumentException("LocalPorts must lie within 1-65535");
        }
        return SourceAddresses.explicit(addresses, first, last);
    }

    private static InetAddress address(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(host + " is no address and no known host", e);
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

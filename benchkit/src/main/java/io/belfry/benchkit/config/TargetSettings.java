package io.belfry.benchkit.config;

import io.belfry.benchkit.load.LoadTarget.ConnectOptions;
import io.belfry.benchkit.load.LoadTransport;
import io.belfry.client.connection.ClientTls;
import io.belfry.client.connection.SourceAddresses;
import io.belfry.settings.Ranges;
import io.belfry.settings.Settings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the servers and the connect options from the settings; throws {@link IllegalArgumentException} with the rule for
 * an invalid one. Pure, but for the lookup of host names, this machine's addresses and certificates.
 */
final class TargetSettings {
    private static final Pattern HOST_PORT = Pattern.compile("(?:\\[([^\\]]+)]|([^:\\[\\]]+)):(\\d{1,5})");
    private static final Pattern PORTS = Pattern.compile("(\\d{1,5})\\s*-\\s*(\\d{1,5})");
    private static final String AUTO = "auto";

    private TargetSettings() {}

    static List<InetSocketAddress> servers(Settings settings) {
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

    static ConnectOptions connectOptions(Settings settings) {
        String transport = settings.choice(BenchKey.TRANSPORT);
        return new ConnectOptions(
                LoadTransport.valueOf(transport.toUpperCase(Locale.ROOT).replace('-', '_')),
                settings.choice(BenchKey.ENCODING).equals("binary"),
                settings.flag(BenchKey.COMPRESSION),
                settings.text(BenchKey.ENTITLEMENT_TOKEN).orElse(null),
                settings.flag(BenchKey.ENCRYPTED) ? tls(settings) : server -> null);
    }

    private static Function<InetSocketAddress, @Nullable ClientTls> tls(Settings settings) {
        if (settings.flag(BenchKey.TRUST_ANY)) {
            return ConnectOptions.trustingAny();
        }
        Optional<Path> file = settings.path(BenchKey.TRUST_CERTIFICATE);
        return file.isPresent()
                ? server -> ClientTls.trusting(file.get(), server.getHostString(), server.getPort())
                : server -> ClientTls.to(server.getHostString(), server.getPort());
    }

    static SourceAddresses sources(Settings settings, List<InetSocketAddress> servers, int clients, boolean again) {
        Ranges ranges = settings.list(BenchKey.LOCAL_ADDRESSES).orElse(null);
        if (ranges == null) {
            return SourceAddresses.towards(servers, clients);
        }
        List<InetAddress> addresses = new ArrayList<>();
        for (String text : ranges) {
            addresses.add(address(text));
        }
        String ports = settings.text(BenchKey.LOCAL_PORTS).orElse(AUTO);
        return ports.equalsIgnoreCase(AUTO) ? SourceAddresses.automatic(addresses) : explicit(addresses, ports, again);
    }

    private static SourceAddresses explicit(List<InetAddress> addresses, String ports, boolean again) {
        Matcher form = PORTS.matcher(ports);
        if (!form.matches()) {
            throw new IllegalArgumentException("LocalPorts must be first-last or auto");
        }
        int first = Integer.parseInt(form.group(1));
        int last = Integer.parseInt(form.group(2));
        if (first < 1 || last < first || last > 65_535) {
            throw new IllegalArgumentException("LocalPorts must lie within 1-65535");
        }
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
}

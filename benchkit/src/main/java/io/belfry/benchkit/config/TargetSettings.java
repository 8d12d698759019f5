package io.belfry.benchkit.config;

import io.belfry.benchkit.load.Target.Manner;
import io.belfry.benchkit.load.Transport;
import io.belfry.client.connection.SourceAddresses;
import io.belfry.client.connection.Tls;
import io.belfry.settings.Ranges;
import io.belfry.settings.Settings;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Where clients connect and how, from the settings; what is wrong is thrown as an {@link IllegalArgumentException} with
 * the rule. Pure, but for looking up host names, this machine's addresses and certificates.
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

    static Manner manner(Settings settings) {
        Transport transport = Transport.valueOf(
                settings.choice(BenchKey.TRANSPORT).toUpperCase(Locale.ROOT).replace('-', '_'));
        return new Manner(
                transport,
                settings.choice(BenchKey.ENCODING).equals("binary"),
                settings.flag(BenchKey.COMPRESSION),
                settings.text(BenchKey.ENTITLEMENT_TOKEN).orElse(null),
                settings.flag(BenchKey.ENCRYPTED) ? tls(settings) : server -> null);
    }

    private static Function<InetSocketAddress, @Nullable Tls> tls(Settings settings) {
        if (settings.flag(BenchKey.TRUST_ANY)) {
            SslContext any = trustingAny();
            return server -> Tls.with(any, server.getHostString(), server.getPort());
        }
        return settings.path(BenchKey.TRUST_CERTIFICATE)
                .<Function<InetSocketAddress, @Nullable Tls>>map(
                        file -> server -> Tls.trusting(file, server.getHostString(), server.getPort()))
                .orElse(server -> Tls.to(server.getHostString(), server.getPort()));
    }

    private static SslContext trustingAny() {
        try {
            return SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .endpointIdentificationAlgorithm(null)
                    .build();
        } catch (SSLException e) {
            throw new IllegalArgumentException("no TLS: " + e.getMessage(), e);
        }
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
            throw new IllegalArgumentException(host + " is no address and no known host", e);
        }
    }
}

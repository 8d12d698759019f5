package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.ClientTls;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.HttpCalls;
import io.belfry.client.connection.Opening;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.Upgrade;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Prepares a link: looks up the host name, obtains the token, builds the handshake. Steps that may block run on a thread of
 * their own. The client may be closed meanwhile, and its loop with it: the result is then dropped. Owner: the client's
 * loop.
 */
final class Dialer {
    private static final Ending NONE = new Ending(Ending.Cause.FINISHED, "");

    /** Receives the result of a dial, on the loop: a link that is not open yet, or the reason for the failure. */
    interface Outcome {
        void dialled(@Nullable Link link, Ending failure);
    }

    /** Receives the result of a token renewal, on the loop: a token, or the reason for the failure. */
    private interface Renewal {
        void renewed(@Nullable String token, String failure);
    }

    /** The results of the steps that may block. */
    private record Prepared(
            InetSocketAddress address,
            @Nullable String token,
            @Nullable ClientTls tls) {}

    private final ClientOptions options;
    private final ClientLoop loop;
    private final Link.Owner owner;

    Dialer(ClientOptions options, ClientLoop loop, Link.Owner owner) {
        this.options = options;
        this.loop = loop;
        this.owner = owner;
    }

    void dial(ServerAddress server, Outcome outcome) {
        if (isKnown(server)) {
            prepare(server, outcome);
            return;
        }
        Thread preparing = new Thread(() -> prepare(server, outcome), "belfry-client-dial");
        preparing.setDaemon(true);
        preparing.start();
    }

    /** Whether no step can block: then no thread is needed, even if thousands of clients lose a server at once. */
    private boolean isKnown(ServerAddress server) {
        return options.credentials().token() == null
                && !server.encrypted()
                && (NetUtil.isValidIpV4Address(server.host()) || NetUtil.isValidIpV6Address(server.host()));
    }

    /** Obtains a new token, if the client can, and presents it to the link, unless another link has replaced it. */
    void renew(Supplier<@Nullable Link> link, Consumer<Status> statuses) {
        Supplier<@Nullable String> source = options.credentials().token();
        Link expiring = link.get();
        if (source == null || expiring == null || !options.credentials().tokenRenewable()) {
            return;
        }
        ask(source, (token, failure) -> {
            if (!expiring.equals(link.get())) {
                return;
            }
            if (token == null) {
                statuses.accept(new Status.CommandFailed("token-to-expire", "no new token: " + failure));
            } else {
                expiring.renew(token);
            }
        });
    }

    /** Asks the source for a new token; {@code outcome} is called on the loop. */
    private void ask(Supplier<@Nullable String> source, Renewal outcome) {
        Thread asking = new Thread(
                () -> {
                    try {
                        String token = source.get();
                        loop.tryRun(() -> outcome.renewed(token, ""));
                    } catch (RuntimeException e) {
                        loop.tryRun(() -> outcome.renewed(null, String.valueOf(e)));
                    }
                },
                "belfry-client-token");
        asking.setDaemon(true);
        asking.start();
    }

    private void prepare(ServerAddress server, Outcome outcome) {
        try {
            InetAddress[] addresses = InetAddress.getAllByName(server.host());
            InetSocketAddress address = new InetSocketAddress(
                    addresses[ThreadLocalRandom.current().nextInt(addresses.length)], server.port());
            Supplier<@Nullable String> token = options.credentials().token();
            Prepared prepared =
                    new Prepared(address, token == null ? null : token.get(), server.encrypted() ? tls(server) : null);
            loop.tryRun(() -> outcome.dialled(link(server, prepared), NONE));
        } catch (UnknownHostException e) {
            fail(outcome, Ending.Cause.UNREACHABLE, "unknown host " + server.host() + ": " + e.getMessage());
        } catch (RuntimeException e) {
            fail(
                    outcome,
                    Ending.Cause.UNREACHABLE,
                    "cannot prepare the connection to " + server + " (token or TLS): " + e);
        }
    }

    private void fail(Outcome outcome, Ending.Cause cause, String sentence) {
        loop.tryRun(() -> outcome.dialled(null, new Ending(cause, sentence)));
    }

    private ClientTls tls(ServerAddress server) {
        ClientOptions.Credentials credentials = options.credentials();
        if (credentials.sslContext() != null) {
            return ClientTls.with(credentials.sslContext(), server.host(), server.port());
        }
        return credentials.trusted() == null
                ? ClientTls.to(server.host(), server.port())
                : ClientTls.trusting(credentials.trusted(), server.host(), server.port());
    }

    private Link link(ServerAddress server, Prepared prepared) {
        ClientOptions.Wire wire = options.wire();
        boolean webSocket = wire.transport() == Transport.WEBSOCKET;
        String host = server.hostHeader();
        Opening opening = webSocket
                ? Upgrade.to(
                        host,
                        server.path(),
                        wire.encoding().commands().subprotocol(),
                        prepared.token(),
                        wire.compression())
                : HttpCalls.to(host, prepared.token());
        Route route = Route.to(prepared.address(), opening).encrypted(prepared.tls());
        if (webSocket) {
            return new WebSocketLink(loop, route, wire, options.times().requestedPingMillis(), owner);
        }
        boolean serverSentEvents = wire.transport() == Transport.SSE;
        return new HttpLink(
                loop, route, server, serverSentEvents, options.times().requestedPingMillis(), prepared.token(), owner);
    }
}

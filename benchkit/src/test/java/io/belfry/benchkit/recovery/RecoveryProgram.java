package io.belfry.benchkit.recovery;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.Upgrade;
import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.settings.ExitCode;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Measures recovery around a restart of the server, for {@code tests/load/recovery}. {@code fill HOST:PORT SESSIONS
 * MESSAGES} publishes the messages of each session to its own subject and prints the epoch. {@code recover HOST:PORT SESSIONS
 * MESSAGES EPOCH} reconnects the sessions and prints the time until each has received all of its messages.
 */
public final class RecoveryProgram {
    static final int DATA_BYTES = 100;

    private static final int READ_BUFFER_BYTES = 1 << 20;
    private static final long SECONDS_MAX = 300;

    private RecoveryProgram() {}

    public static void main(String[] arguments) throws InterruptedException {
        System.exit(run(arguments));
    }

    private static int run(String[] arguments) throws InterruptedException {
        boolean filling = arguments.length == 4 && arguments[0].equals("fill");
        if (!filling && !(arguments.length == 5 && arguments[0].equals("recover"))) {
            System.err.println("usage: fill HOST:PORT SESSIONS MESSAGES | recover HOST:PORT SESSIONS MESSAGES EPOCH");
            return ExitCode.WRONG_USAGE;
        }
        int sessions = Integer.parseInt(arguments[2]);
        int messages = Integer.parseInt(arguments[3]);
        ClientLoop loop = new ClientLoop("recovery", READ_BUFFER_BYTES, System::nanoTime);
        CompletableFuture<String> done = filling
                ? RecoveryPublisher.begin(loop, route(arguments[1]), sessions, messages)
                : new RecoverySubscribers(loop, route(arguments[1]), sessions, messages, Long.parseLong(arguments[4]))
                        .begin();
        try {
            System.out.println(done.get(SECONDS_MAX, TimeUnit.SECONDS));
            return ExitCode.WELL;
        } catch (ExecutionException | TimeoutException e) {
            System.err.println(e.getCause() == null ? "not within " + SECONDS_MAX + " s" : e.getCause());
            return ExitCode.FAILED;
        }
    }

    private static Route route(String server) {
        int colon = server.lastIndexOf(':');
        InetSocketAddress address =
                new InetSocketAddress(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
        return Route.to(address, Upgrade.to(server, new BinaryClientEncoding().subprotocol(), null));
    }

    static byte[] subject(int session) {
        return ("/recovery/" + session).getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] data() {
        byte[] data = new byte[DATA_BYTES];
        Arrays.fill(data, (byte) '.');
        return data;
    }
}

package io.belfry.benchkit.recovery;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.Upgrade;
import io.belfry.protocol.BinaryClientEncoding;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * {@code fill HOST:PORT SESSIONS MESSAGES} publishes so many messages for each of so many sessions, every one under a
 * subject of its own, and says the epoch; {@code recover HOST:PORT SESSIONS MESSAGES EPOCH} connects the sessions, each
 * from before its first message, and says when all had everything. {@code tests/load/recovery} runs both around a restart.
 */
public final class RecoveryProgram {
    static final int DATA_BYTES = 100;

    private static final int READ_BUFFER_BYTES = 1 << 20;
    private static final long PATIENCE_SECONDS = 300;
    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;

    private RecoveryProgram() {}

    public static void main(String[] words) throws InterruptedException {
        System.exit(run(words));
    }

    private static int run(String[] words) throws InterruptedException {
        boolean filling = words.length == 4 && words[0].equals("fill");
        if (!filling && !(words.length == 5 && words[0].equals("recover"))) {
            System.err.println("usage: fill HOST:PORT SESSIONS MESSAGES | recover HOST:PORT SESSIONS MESSAGES EPOCH");
            return WRONG_USAGE;
        }
        int sessions = Integer.parseInt(words[2]);
        int messages = Integer.parseInt(words[3]);
        ClientLoop loop = new ClientLoop("recovery", READ_BUFFER_BYTES, System::nanoTime);
        CompletableFuture<String> done = filling
                ? new Filling(loop, route(words[1]), sessions, messages).begin()
                : new Recovering(loop, route(words[1]), sessions, messages, Long.parseLong(words[4])).begin();
        try {
            System.out.println(done.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            return OK;
        } catch (ExecutionException | TimeoutException e) {
            System.err.println(e.getCause() == null ? "not within " + PATIENCE_SECONDS + " s" : e.getCause());
            return FAILED;
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

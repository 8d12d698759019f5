package io.belfry.server.control;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's end of the control socket: one request line, one answer, one connection after the other, each
 * with a deadline and a maximum size, so that neither a silent nor a flooding client blocks it. Only the owner of the server
 * may connect (mode 0600).
 *
 * <p>Owner: its own daemon thread; {@link #close()} may be called from any.
 */
public final class ControlSocket implements Closeable {
    /** Maximum size of a request, which is a word and a time; a larger one is not from our command line. */
    static final int REQUEST_BYTES_MAX = 256;

    private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);
    private static final int BACKLOG = 16;
    private static final long PAUSE_AFTER_FAILURE_NANOS = 100_000_000;

    private final Path path;
    private final ServerSocketChannel channel;
    private final ControlTarget target;
    private final Duration patience;

    private ControlSocket(Path path, ServerSocketChannel channel, ControlTarget target, Duration patience) {
        this.path = path;
        this.channel = channel;
        this.target = target;
        this.patience = patience;
    }

    /**
     * Opens the socket at this path. The run folder must be claimed: an existing socket file then belongs to a dead server
     * and is replaced.
     */
    public static ControlSocket open(Path path, ControlTarget target) throws IOException {
        return open(path, target, Duration.ofSeconds(2));
    }

    static ControlSocket open(Path path, ControlTarget target, Duration patience) throws IOException {
        Files.deleteIfExists(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(path), BACKLOG);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        ControlSocket socket = new ControlSocket(path, channel, target, patience);
        Thread.ofPlatform().name("belfry-control").daemon().start(socket::serve);
        return socket;
    }

    private void serve() {
        while (channel.isOpen()) {
            try (SocketChannel client = channel.accept()) {
                serve(client);
            } catch (ClosedChannelException e) {
                LOG.trace("control socket closed", e);
            } catch (IOException e) {
                LOG.warn("control socket failed; commands for the running server may not work: {}", e.getMessage());
                // Without free file descriptors accept fails at once and repeatedly; the pause keeps this thread from
                // spinning.
                LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
            }
        }
    }

    private void serve(SocketChannel client) {
        try (ControlLine line = new ControlLine(client, patience)) {
            answer(line, line.readLine(REQUEST_BYTES_MAX));
        } catch (IOException e) {
            LOG.debug("control connection failed", e);
        }
    }

    private void answer(ControlLine line, String text) throws IOException {
        ControlRequest request;
        try {
            request = ControlRequest.parse(text);
        } catch (IllegalArgumentException e) {
            line.write(ControlAnswer.error(String.valueOf(e.getMessage())).toWire());
            return;
        }
        line.write(answer(request).toWire());
        if (request instanceof ControlRequest.Stop) {
            // On a thread of its own, because stopping closes this socket and the answer must be sent before.
            Thread.ofPlatform().name("belfry-stop").start(target::stop);
        }
    }

    private ControlAnswer answer(ControlRequest request) {
        try {
            return ControlAnswer.ok(perform(request));
        } catch (RuntimeException e) {
            LOG.warn("'{}' failed: {}", request.toWire(), e.getMessage());
            LOG.debug("the failure", e);
            return ControlAnswer.error(String.valueOf(e.getMessage()));
        }
    }

    private List<String> perform(ControlRequest request) {
        return switch (request) {
            case ControlRequest.Status status -> target.status().lines().toList();
            case ControlRequest.Reload reload -> target.reload();
            case ControlRequest.Drain drain -> drain(drain.over());
            case ControlRequest.Stop stop -> List.of("stopping");
        };
    }

    private List<String> drain(Duration over) {
        target.drain(over);
        return List.of("draining over " + over.toSeconds() + " s");
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(path);
    }
}

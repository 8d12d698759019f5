package io.belfry.server.control;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

/** The command line's end of the control socket. Immutable; each request uses a connection of its own. */
public final class ControlClient {
    private static final int ANSWER_BYTES_MAX = 4 << 20;

    private final Path path;
    private final Duration patience;

    public ControlClient(Path path, Duration patience) {
        this.path = path;
        this.patience = patience;
    }

    /** Returns the server's answer; throws an {@link IOException} if no server listens or it does not answer in time. */
    public ControlAnswer ask(ControlRequest request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
                ControlLine line = new ControlLine(channel, patience)) {
            line.write(request.toWire() + "\n");
            return ControlAnswer.parse(line.readAll(ANSWER_BYTES_MAX));
        }
    }
}

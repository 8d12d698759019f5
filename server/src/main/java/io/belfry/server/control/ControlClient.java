package io.belfry.server.control;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

/** The command line's end of the control socket. Immutable; each request is a connection of its own. */
public final class ControlClient {
    private static final int ANSWER_BYTES_MAX = 4 << 20;

    private final Path path;
    private final Duration patience;

    public ControlClient(Path path, Duration patience) {
        this.path = path;
        this.patience = patience;
    }

    /** The server's answer; an {@link IOException} when no server listens there or it does not answer in time. */
    public ControlAnswer ask(ControlRequest request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
                ControlLine line = new ControlLine(channel, patience)) {
            line.write(request.toWire() + "\n");
            return ControlAnswer.parse(line.readAll(ANSWER_BYTES_MAX));
        }
    }
}

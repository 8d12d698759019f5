package io.belfry.server.transport;

/**
 * What a client has not taken of its answer, or of its echo: for how long it takes nothing, and the memory that a file is meanwhile.
 * Owner: the loop.
 */
final class UnsentAnswer {
    private final Connection connection;
    private boolean unsent;

    /** What was left when it was looked at last. */
    private int leftBytes;

    private int fileBytes;

    UnsentAnswer(Connection connection) {
        this.connection = connection;
    }

    /** Sends what is staged; answers whether all of it is taken. */
    boolean send() {
        unsent = !connection.flushStaged();
        if (unsent) {
            leftBytes = connection.queuedBytes();
            connection.watch();
        }
        return !unsent;
    }

    /** Whether not all of it is taken: until it is, the next request waits. */
    boolean isUnsent() {
        return unsent;
    }

    /** The socket has taken what it left; answers whether that was of an answer. */
    boolean onTaken() {
        boolean wasUnsent = unsent;
        unsent = false;
        return wasUnsent;
    }

    /** Whether some of it was taken since this was asked last. */
    boolean isMoving() {
        int left = connection.queuedBytes();
        boolean taken = left < leftBytes;
        leftBytes = left;
        return taken;
    }

    /** Files that are not taken are memory as histories are, and share their bound. */
    boolean hasRoomForFile() {
        return connection.context().hasRoomForAnswer(0);
    }

    void holdFile(int bytes) {
        connection.context().holdsAnswer(bytes, fileBytes);
        fileBytes = bytes;
    }

    /** It is taken, or the connection gone. */
    void release() {
        if (fileBytes > 0) {
            holdFile(0);
        }
    }
}

package io.belfry.server.transport;

/**
 * Tracks the part of an answer or echo that the client has not read: whether it progresses, and the memory of a file
 * in it. Owner: the loop.
 */
class UnsentAnswer {
    private final Connection connection;
    private boolean unsent;

    /** Number of unsent bytes at the last check. */
    private int leftBytes;

    private int fileBytes;

    UnsentAnswer(Connection connection) {
        this.connection = connection;
    }

    Connection connection() {
        return connection;
    }

    /** Sends the staged bytes; returns whether the socket accepted all of them. */
    boolean send() {
        unsent = !connection.flushStaged();
        if (unsent) {
            leftBytes = connection.queuedBytes();
            connection.watch();
        }
        return !unsent;
    }

    /** Returns whether part of the answer is unsent, so that the next request must wait. */
    boolean isUnsent() {
        return unsent;
    }

    /** Called when the socket has accepted the queued bytes; returns whether they were part of an answer. */
    boolean onTaken() {
        boolean wasUnsent = unsent;
        unsent = false;
        return wasUnsent;
    }

    /** Returns whether some bytes were accepted since the last call. */
    boolean isMoving() {
        int left = connection.queuedBytes();
        boolean taken = left < leftBytes;
        leftBytes = left;
        return taken;
    }

    /** Returns whether the bound on answers permits a file; unsent files share that bound with histories. */
    boolean hasRoomForFile() {
        return connection.context().hasRoomForAnswer(0);
    }

    void holdFile(int bytes) {
        connection.context().holdsAnswer(bytes, fileBytes);
        fileBytes = bytes;
    }

    /** Releases the memory of a file from the bound, after the file was sent or the connection closed. */
    void release() {
        if (fileBytes > 0) {
            holdFile(0);
        }
    }
}

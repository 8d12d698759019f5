package io.belfry.server.disk;

import io.belfry.server.history.MappedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;

/** Files on a disk that fails on request, and of a process that is killed in the middle of a write. Owner: the test. */
final class FaultyFiles implements SegmentFiles {
    private final SegmentFiles files;
    private final Random random;

    /** Number of bytes that are still written before the failure; negative if no failure is planned. */
    private long bytesLeft = -1;

    private boolean killed;
    private boolean cutOffFails;

    /** Set if a failed batch could not be truncated and no later record marks it as failed. */
    private boolean leftBehind;

    private String failure = "";

    FaultyFiles(SegmentFiles files, Random random) {
        this.files = files;
        this.random = random;
    }

    /** Kills the process after this many bytes: later writes do not reach the disk. */
    void killAfter(long bytes) {
        bytesLeft = bytes;
        failure = "killed";
    }

    void kill() {
        killed = true;
    }

    /** Fails the disk after this many bytes. */
    void failAfter(long bytes, String message) {
        bytesLeft = bytes;
        failure = message;
        cutOffFails = random.nextBoolean();
    }

    void works() {
        bytesLeft = -1;
        cutOffFails = false;
    }

    /** Returns whether failed batches may be present at the next start. */
    boolean isLeftBehind() {
        return leftBehind;
    }

    boolean isKilled() {
        return killed;
    }

    private void requireAlive() throws IOException {
        if (killed) {
            throw new IOException("killed");
        }
    }

    private void fail() throws IOException {
        killed = failure.equals("killed");
        throw new IOException(failure);
    }

    @Override
    public Open create(long segment) throws IOException {
        requireAlive();
        if (bytesLeft == 0) {
            fail();
        }
        Open open = files.create(segment);
        return new Open() {
            @Override
            public void write(ByteBuffer bytes, long at) throws IOException {
                requireAlive();
                if (bytesLeft < 0) {
                    open.write(bytes, at);
                    leftBehind = false;
                    return;
                }
                int part = (int) Math.min(bytesLeft, bytes.remaining());
                bytesLeft -= part;
                boolean whole = part == bytes.remaining();
                open.write(bytes.slice(bytes.position(), part), at);
                if (!whole) {
                    fail();
                }
                leftBehind = false;
            }

            @Override
            public void force() throws IOException {
                requireAlive();
                if (bytesLeft == 0) {
                    fail();
                }
                open.force();
            }

            @Override
            public void close() throws IOException {
                open.close();
            }
        };
    }

    @Override
    public MappedFile map(long segment, long bytes) throws IOException {
        requireAlive();
        return files.map(segment, bytes);
    }

    @Override
    public void truncate(long segment, long bytes) throws IOException {
        requireAlive();
        if (cutOffFails) {
            leftBehind = true;
            throw new IOException(failure);
        }
        files.truncate(segment, bytes);
    }

    @Override
    public void delete(long segment) throws IOException {
        requireAlive();
        if (cutOffFails) {
            leftBehind = true;
            throw new IOException(failure);
        }
        files.delete(segment);
    }
}

package io.belfry.server.disk;

import io.belfry.server.history.MappedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Files on a disk that keeps forced data and any part of the rest. A power cut keeps or loses each block written since
 * the last force, shortens files and brings back deleted ones. Owner: the test.
 */
final class PowerCutFiles implements SegmentFiles {
    /** Smaller than a real disk's block, as the segments are smaller. */
    private static final int BLOCK = 64;

    private static final byte[] NOTHING = {};

    private final FolderFiles files;

    /** Contents of this run's files as they were last forced. */
    private final Map<Long, byte[]> forced = new HashMap<>();

    /** Files deleted since the folder was last forced. */
    private final Map<Long, byte[]> deleted = new HashMap<>();

    PowerCutFiles(FolderFiles files) {
        this.files = files;
    }

    private byte[] content(long segment) throws IOException {
        return Files.readAllBytes(files.path(segment));
    }

    @Override
    public Open create(long segment) throws IOException {
        Open open = files.create(segment);
        deleted.clear();
        forced.put(segment, NOTHING);
        return new Open() {
            @Override
            public void write(ByteBuffer bytes, long at) throws IOException {
                open.write(bytes, at);
            }

            @Override
            public void force() throws IOException {
                forced.put(segment, content(segment));
            }

            @Override
            public void close() throws IOException {
                open.close();
            }
        };
    }

    @Override
    public MappedFile map(long segment, long bytes) throws IOException {
        return files.map(segment, bytes);
    }

    @Override
    public void truncate(long segment, long bytes) throws IOException {
        files.truncate(segment, bytes);
        forced.put(segment, content(segment));
    }

    @Override
    public void delete(long segment) throws IOException {
        Path path = files.path(segment);
        if (Files.exists(path)) {
            byte[] last = forced.remove(segment);
            deleted.put(segment, last == null ? content(segment) : last);
        }
        files.delete(segment);
    }

    /** Simulates the power failure; no file is open any more. */
    void cut(Random random) throws IOException {
        for (Map.Entry<Long, byte[]> file : forced.entrySet()) {
            Files.write(files.path(file.getKey()), torn(file.getValue(), content(file.getKey()), random));
        }
        for (Map.Entry<Long, byte[]> file : deleted.entrySet()) {
            if (random.nextBoolean()) {
                Files.write(files.path(file.getKey()), file.getValue());
            }
        }
    }

    private static byte[] torn(byte[] sure, byte[] written, Random random) {
        int length = sure.length + random.nextInt(written.length - sure.length + 1);
        byte[] left = Arrays.copyOf(sure, random.nextBoolean() ? written.length : length);
        for (int at = sure.length; at < left.length; at += BLOCK) {
            if (random.nextBoolean()) {
                System.arraycopy(written, at, left, at, Math.min(BLOCK, left.length - at));
            }
        }
        return left;
    }
}

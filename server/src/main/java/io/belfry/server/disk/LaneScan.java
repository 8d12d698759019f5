package io.belfry.server.disk;

import io.belfry.server.history.Batches;
import io.belfry.server.history.MappedFile;
import io.belfry.server.history.StoredSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a lane's files at start and decides which parts are valid. Owner: the starting thread.
 *
 * <p>Every batch is verified. The log may end in an incomplete batch that was being written at a crash; it was
 * never acknowledged, and it is cut off. Everything else is damage: an invalid batch before valid
 * ones, a file that ends before the next file says it did, a missing file. A damaged file is set aside under
 * another name, and the log reports what is lost.
 */
final class LaneScan {
    private static final Logger LOG = LoggerFactory.getLogger(LaneScan.class);
    private static final int ALIGNMENT = 8;
    private static final long UNKNOWN = -1;

    private final FolderFiles files;
    private final Batches batches = new Batches();
    private final List<StoredSegment> segments = new ArrayList<>();
    private final List<String> damages = new ArrayList<>();

    /** End of the log according to the files read so far. */
    private long end = UNKNOWN;

    /** The oldest segment at the time the last batch was written. */
    private long tailSegment = UNKNOWN;

    private boolean hole;

    /** An unreadable file, until the next file shows whether any of its content counted; or UNKNOWN. */
    private long unread = UNKNOWN;

    private LaneScan(FolderFiles files) {
        this.files = files;
    }

    /** The result of a scan. Immutable. {@code end} is the address after the last batch, or negative if there is none. */
    record Found(List<StoredSegment> segments, List<String> damages, long end) {
        void close() {
            segments.forEach(segment -> segment.file().close());
        }
    }

    /** Scans a lane's files; {@code torn} says whether the log may end in an incomplete batch. */
    static Found read(FolderFiles files, boolean torn) throws IOException {
        LaneScan scan = new LaneScan(files);
        List<Long> numbers = scan.withoutLeft(files.segments());
        for (int i = 0; i < numbers.size(); i++) {
            scan.read(numbers.get(i), i == numbers.size() - 1, torn);
        }
        if (!scan.segments.isEmpty() && scan.segments.getFirst().number() > scan.tailSegment) {
            scan.damaged("files are missing before "
                    + files.path(scan.segments.getFirst().number()));
        }
        return new Found(scan.segments, scan.damages, scan.end);
    }

    /** Deletes files of segments that had been removed before the last batch; a power failure may have restored them. */
    private List<Long> withoutLeft(List<Long> numbers) throws IOException {
        for (int i = numbers.size() - 1; i > 0 && tailSegment == UNKNOWN; i--) {
            findTail(numbers.get(i));
        }
        List<Long> kept = new ArrayList<>();
        for (long number : numbers) {
            if (number >= tailSegment) {
                kept.add(number);
            } else {
                LOG.info("{}: deleted again, its messages had left the history", files.path(number));
                files.delete(number);
            }
        }
        return kept;
    }

    private void findTail(long number) throws IOException {
        long size = files.size(number);
        if (size > 0) {
            MappedFile file = files.map(number, size);
            soundBytes(file, number);
            file.close();
        }
    }

    private void read(long number, boolean last, boolean mayBeTorn) throws IOException {
        long size = files.size(number);
        MappedFile file = size == 0 ? null : files.map(number, size);
        int sound = file == null ? 0 : soundBytes(file, number);
        if (file == null || sound == 0) {
            boolean torn = last && mayBeTorn && (file == null || !hasBatchAfter(file, 0, number));
            if (file != null) {
                file.close();
            }
            if (unread != UNKNOWN) {
                judgeUnread(false);
            }
            unread = number;
            if (last) {
                judgeUnread(torn);
            }
            return;
        }
        follow(number, Batches.markAt(buffer(file), 0).endBefore());
        if (last && sound < size) {
            boolean torn = mayBeTorn && !hasBatchAfter(file, sound, number);
            file.close();
            cutOff(number, sound, size, torn);
            file = files.map(number, sound);
        }
        segments.add(new StoredSegment(number, file, sound, hole));
        hole = false;
        end = Batches.address(number, sound);
    }

    private static ByteBuffer buffer(MappedFile file) {
        return file.bytes().nioBuffer();
    }

    private int soundBytes(MappedFile file, long number) {
        ByteBuffer bytes = buffer(file);
        int size = bytes.limit();
        int at = 0;
        for (int length = -1; length != 0; at += length) {
            length = batches.verify(bytes, at, size, Batches.address(number, at));
            if (length > 0) {
                tailSegment = Batches.markAt(bytes, at).tailSegment();
            }
        }
        return at;
    }

    private boolean hasBatchAfter(MappedFile file, int from, long number) {
        ByteBuffer bytes = buffer(file);
        int size = bytes.limit();
        for (int at = from + ALIGNMENT; at < size; at += ALIGNMENT) {
            if (batches.verify(bytes, at, size, Batches.address(number, at)) > 0) {
                return true;
            }
        }
        return false;
    }

    private void judgeUnread(boolean unacknowledged) throws IOException {
        long size = files.size(unread);
        if (unacknowledged || size == 0) {
            LOG.info("{}: discarded {} unacknowledged bytes after restart", files.path(unread), size);
            files.delete(unread);
        } else {
            damaged(files.path(unread) + ": none of its " + size + " bytes can be read; it is set aside as "
                    + files.setAside(unread).getFileName());
            hole = true;
        }
        unread = UNKNOWN;
    }

    /** Compares the end of the log with the end that the file of this number reports. */
    private void follow(long number, long endBefore) throws IOException {
        if (unread != UNKNOWN) {
            judgeUnread(end == UNKNOWN ? Batches.segment(endBefore) < unread : endBefore == end);
        }
        if (end == UNKNOWN) {
            hole |= !damages.isEmpty();
            return;
        }
        if (endBefore < end) {
            dropAfter(endBefore);
        }
        if (segments.isEmpty() || endBefore == end) {
            return;
        }
        long before = Batches.segment(end);
        StoredSegment previous = segments.getLast();
        hole = true;
        String lost = Batches.segment(endBefore) == before
                ? "%s: %d bytes from byte %d on cannot be read"
                        .formatted(files.path(before), endBefore - end, previous.end())
                : "files are missing between " + files.path(before) + " and " + files.path(number);
        damaged(lost + "; older messages of this log are discarded, because subjects would have a hole"
                + (Batches.segment(endBefore) == before
                        ? "; it is set aside as " + files.nameDamaged(before).getFileName()
                        : ""));
    }

    /** Drops the bytes after an address: records that could not be written completely and were written to a later file. */
    private void dropAfter(long address) throws IOException {
        while (!segments.isEmpty() && Batches.address(segments.getLast().number(), 0) >= address) {
            StoredSegment dropped = segments.removeLast();
            dropped.file().close();
            files.delete(dropped.number());
            hole |= dropped.afterHole();
        }
        end = UNKNOWN;
        if (!segments.isEmpty()) {
            StoredSegment last = segments.removeLast();
            int sound = (int) Math.min(last.end(), address - Batches.address(last.number(), 0));
            segments.add(new StoredSegment(last.number(), last.file(), sound, last.afterHole()));
            end = Batches.address(last.number(), sound);
        }
    }

    private void cutOff(long number, int sound, long size, boolean torn) throws IOException {
        if (torn) {
            LOG.info("{}: discarded {} bytes of an incomplete, unacknowledged batch", files.path(number), size - sound);
            files.truncate(number, sound);
        } else {
            damaged(files.path(number) + ": " + (size - sound) + " bytes from byte " + sound
                    + " on cannot be read and are lost; it is set aside as "
                    + files.setAsideAfter(number, sound).getFileName());
        }
    }

    private void damaged(String what) {
        damages.add(what);
        LOG.error("history is damaged: {}", what);
    }
}

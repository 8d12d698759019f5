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
 * Reads a lane's files at start and says what of them can be trusted. Owner: whoever starts the server.
 *
 * <p>Every batch is verified. The log may end in a torn batch: it was being written when the process or the power went, so
 * nobody was told of it, and it is cut off. Anything else that is wrong is damage: a batch that is not sound though sound
 * ones follow, a file that ends before the next one says it did, a file that is missing. Then the file is set aside under
 * another name, and the log says what is lost.
 */
final class LaneScan {
    private static final Logger LOG = LoggerFactory.getLogger(LaneScan.class);
    private static final int ALIGNMENT = 8;
    private static final long UNKNOWN = -1;

    private final FolderFiles files;
    private final Batches batches = new Batches();
    private final List<StoredSegment> segments = new ArrayList<>();
    private final List<String> damages = new ArrayList<>();

    /** Where the log ends by what was read so far. */
    private long end = UNKNOWN;

    /** The oldest segment that was there when the last batch was written. */
    private long tailSegment = UNKNOWN;

    private boolean hole;

    /** A file of which nothing can be read, until the next one says whether anything of it counted; or unknown. */
    private long unread = UNKNOWN;

    private LaneScan(FolderFiles files) {
        this.files = files;
    }

    /** What was found. Immutable. {@code end} is the address behind the last batch, or below zero where there is none. */
    record Found(List<StoredSegment> segments, List<String> damages, long end) {
        void close() {
            segments.forEach(segment -> segment.file().close());
        }
    }

    /** {@code torn} says whether the log may end in the middle of a batch. */
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

    /** What had left the log when its last batch was written was deleted, and a power cut may have brought it back. */
    private List<Long> withoutLeft(List<Long> numbers) throws IOException {
        for (int i = numbers.size() - 1; i > 0 && tailSegment == UNKNOWN; i--) {
            findTail(numbers.get(i));
        }
        List<Long> kept = new ArrayList<>();
        for (long number : numbers) {
            if (number >= tailSegment) {
                kept.add(number);
            } else {
                LOG.info("{} had left the history; deleted again", files.path(number));
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

    private void judgeUnread(boolean nobodyWasTold) throws IOException {
        long size = files.size(unread);
        if (nobodyWasTold || size == 0) {
            LOG.info("{} had {} bytes that nobody was told of; dropped", files.path(unread), size);
            files.delete(unread);
        } else {
            damaged(files.path(unread) + ": nothing of its " + size + " bytes can be read; it is set aside as "
                    + files.setAside(unread).getFileName());
            hole = true;
        }
        unread = UNKNOWN;
    }

    /** The file of this number says where the log ended before it. */
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
        damaged(lost + "; older messages of this log are given up, for subjects would have a hole"
                + (Batches.segment(endBefore) == before
                        ? "; it is set aside as " + files.nameDamaged(before).getFileName()
                        : ""));
    }

    /** What could not be written whole and went to a later file then. */
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
            LOG.info(
                    "{} ended in {} bytes of a batch that nobody was told of; dropped",
                    files.path(number),
                    size - sound);
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

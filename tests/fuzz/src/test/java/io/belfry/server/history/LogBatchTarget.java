package io.belfry.server.history;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.NullMarked;

/**
 * Batches of records as read after a crash: any bytes are one complete batch within the limit, or none. Random bytes have
 * wrong checksums, so each input is also read with correct ones.
 */
@NullMarked
public final class LogBatchTarget {
    private static final long ADDRESS = Batches.address(3, 0);
    private static final int MAGIC_AT = RecordLayout.HEADER;
    private static final int BATCH_BYTES_AT = RecordLayout.HEADER + 8;
    private static final int RECORDS_AT = RecordLayout.HEADER + 12;
    private static final int CHECKSUMS_AT = RecordLayout.HEADER + 32;
    private static final long MAGIC = 0x42454C4652590001L;

    private LogBatchTarget() {}

    /** Called by Jazzer and by the replay of the corpus for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        verify(input.clone(), false);
        if (input.length >= Batches.MARK_BYTES) {
            byte[] sealed = input.clone();
            verify(sealed, seal(ByteBuffer.wrap(sealed)));
        }
    }

    private static void verify(byte[] bytes, boolean valid) {
        Batches batches = new Batches();
        for (int limit : new int[] {bytes.length, bytes.length / 2}) {
            int length = batches.verify(ByteBuffer.wrap(bytes), 0, limit, ADDRESS);
            if (length < 0 || length > limit || (length > 0 && length < Batches.MARK_BYTES)) {
                throw new AssertionError("a batch of " + length + " bytes exceeds the limit " + limit);
            }
            if (valid && limit == bytes.length && length == 0) {
                throw new AssertionError("a valid batch was rejected");
            }
        }
    }

    /** Writes header and checksums of a batch as far as the lengths allow; returns whether the bytes are a valid batch now. */
    private static boolean seal(ByteBuffer bytes) {
        int end = bytes.capacity();
        bytes.putLong(MAGIC_AT, MAGIC).putLong(RecordLayout.SEQ, ADDRESS).putInt(BATCH_BYTES_AT, end);
        CRC32C all = new CRC32C();
        int records = 0;
        int at = Batches.MARK_BYTES;
        while (end - at >= RecordLayout.HEADER) {
            long length = length(bytes, at);
            if (length < RecordLayout.HEADER || length > end - at) {
                break;
            }
            int checksum = checksum(bytes, at, (int) length);
            bytes.putInt(at + RecordLayout.CHECKSUM, checksum);
            all.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, checksum));
            records++;
            at += (int) length;
        }
        bytes.putInt(RECORDS_AT, records).putInt(CHECKSUMS_AT, (int) all.getValue());
        bytes.putInt(RecordLayout.CHECKSUM, checksum(bytes, 0, Batches.MARK_BYTES));
        return at == end;
    }

    private static long length(ByteBuffer bytes, int at) {
        long parts = (long) (bytes.get(at + RecordLayout.ID_LENGTH) & 0xff)
                + (bytes.get(at + RecordLayout.NAME_LENGTH) & 0xff)
                + bytes.getInt(at + RecordLayout.DATA_LENGTH);
        return (RecordLayout.HEADER + parts + 7) & ~7L;
    }

    private static int checksum(ByteBuffer bytes, int at, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.slice(at, RecordLayout.CHECKSUM));
        checksum.update(bytes.slice(at + RecordLayout.NAME_LENGTH, length - RecordLayout.NAME_LENGTH));
        return (int) checksum.getValue();
    }
}

package io.belfry.twin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.rocksdb.util.Environment;

/**
 * RocksDB as a history: the key is subject and seq, a group is one batch, and the log it writes ahead is synced with each.
 * The last messages of a subject are read backwards from behind its last key.
 */
final class RocksStore implements Store {
    /** How it merges what it wrote. */
    enum Compaction {
        LEVEL,
        UNIVERSAL
    }

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Message(long seq, byte[] data) {}

    private static final int KEY_BYTES = Integer.BYTES + Long.BYTES;

    private final Options options;
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final WriteBatch batch = new WriteBatch();
    private final RocksDB db;

    private RocksStore(Options options, RocksDB db) {
        this.options = options;
        this.db = db;
    }

    static RocksStore open(Path folder, Compaction compaction) throws IOException {
        load(folder.resolveSibling("native"));
        Options options = new Options()
                .setCreateIfMissing(true)
                // Ours does not compress, and what is measured would not shrink.
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setCompactionStyle(compaction == Compaction.LEVEL ? CompactionStyle.LEVEL : CompactionStyle.UNIVERSAL);
        try {
            return new RocksStore(options, RocksDB.open(options, folder.toString()));
        } catch (RocksDBException e) {
            options.close();
            throw new IOException(e);
        }
    }

    /** Unpacked once, beside the store: by itself every process unpacks its own, and one that is killed leaves it behind. */
    private static void load(Path folder) throws IOException {
        Files.createDirectories(folder);
        // Found under another name in a folder than in the jar.
        String packedName = Environment.getJniLibraryFileName("rocksdb");
        Path library = folder.resolve(Environment.getJniLibraryFileName("rocksdbjni"));
        if (!Files.exists(library)) {
            Path unpacked = folder.resolve(packedName + ".part");
            try (InputStream packed = RocksDB.class.getResourceAsStream("/" + packedName)) {
                if (packed == null) {
                    throw new IOException("RocksDB has no " + packedName);
                }
                Files.copy(packed, unpacked, StandardCopyOption.REPLACE_EXISTING);
            }
            Files.move(unpacked, library, StandardCopyOption.ATOMIC_MOVE);
        }
        RocksDB.loadLibrary(List.of(folder.toString()));
    }

    @Override
    public void append(int subject, long seq, byte[] data) throws IOException {
        try {
            batch.put(key(subject, seq), data);
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void sync() throws IOException {
        try {
            db.write(synced, batch);
            batch.clear();
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void read(int subject, long afterSeq, int most, Reader reader) throws IOException {
        List<Message> newestFirst = new ArrayList<>();
        try (RocksIterator at = db.newIterator()) {
            for (at.seekForPrev(key(subject, Long.MAX_VALUE)); at.isValid() && newestFirst.size() < most; at.prev()) {
                ByteBuffer key = ByteBuffer.wrap(at.key());
                if (key.getInt() != subject || key.getLong(Integer.BYTES) <= afterSeq) {
                    break;
                }
                newestFirst.add(new Message(key.getLong(Integer.BYTES), at.value()));
            }
            at.status();
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
        for (Message each : newestFirst.reversed()) {
            reader.onMessage(each.seq, each.data);
        }
    }

    private static byte[] key(int subject, long seq) {
        return ByteBuffer.allocate(KEY_BYTES).putInt(subject).putLong(seq).array();
    }

    @Override
    public void close() {
        db.close();
        batch.close();
        synced.close();
        options.close();
    }
}
